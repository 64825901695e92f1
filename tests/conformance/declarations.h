/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of OpenCL C that printed texts call (src/source/dialects/opencl.c), in the place of
 * opencl-c.h, whose 17,000 lines take PoCL half the time in which it compiles a small text. PoCL
 * does without that file where its guard is defined. */

#define PURE __attribute__((overloadable, const))
#define READS __attribute__((overloadable, pure))
#define WRITES __attribute__((overloadable))

#define as_uint(x) __builtin_astype(x, uint)
#define as_float(x) __builtin_astype(x, float)
#define as_ulong(x) __builtin_astype(x, ulong)
#define as_double(x) __builtin_astype(x, double)

size_t PURE get_group_id(uint);
size_t PURE get_local_id(uint);
size_t PURE get_local_size(uint);
void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);
void __attribute__((overloadable)) mem_fence(cl_mem_fence_flags);

float8 READS vload8(size_t, const __global float *);
float8 READS vload8(size_t, const __local float *);
float8 READS vload8(size_t, const __private float *);
void WRITES vstore8(float8, size_t, __global float *);
void WRITES vstore8(float8, size_t, __local float *);
void WRITES vstore8(float8, size_t, __private float *);
float8 PURE fma(float8, float8, float8);

uint WRITES atomic_add(volatile __global uint *, uint);
uint WRITES atomic_cmpxchg(volatile __global uint *, uint, uint);
ulong WRITES atom_cmpxchg(volatile __global ulong *, ulong, ulong);

ulong PURE clz(ulong);
float PURE fabs(float);
float PURE copysign(float, float);
float PURE sqrt(float);
float PURE floor(float);
float PURE ceil(float);
float PURE trunc(float);
float PURE rint(float);
float PURE fma(float, float, float);

#ifdef cl_khr_fp64
double PURE fabs(double);
double PURE copysign(double, double);
double PURE sqrt(double);
double PURE floor(double);
double PURE ceil(double);
double PURE trunc(double);
double PURE rint(double);
double PURE fma(double, double, double);
double PURE sin(double);
double PURE cos(double);
double PURE tan(double);
double PURE ldexp(double, int);
#endif
