/* SPDX-License-Identifier: Apache-2.0 */
/* HIP as C++ of the host: what clang builds in for AMD's GPUs, by shim.h's threads and blocks. */
#include "shim.h"
#define __builtin_amdgcn_workgroup_id_x() (blockIdx.x)
#define __builtin_amdgcn_workitem_id_x() (threadIdx.x)
#define __builtin_amdgcn_workgroup_size_x() (blockDim.x)
#define __builtin_amdgcn_s_barrier() shim_barrier()
#define __builtin_amdgcn_fence(...) ((void)0)
#define __hip_atomic_compare_exchange_strong(place, old, made, success, failure, scope)            \
    __atomic_compare_exchange_n(place, old, made, false, success, failure)
#define __hip_atomic_fetch_add(place, x, order, scope) __atomic_fetch_add(place, x, order)
extern "C" {
static inline double __ocml_sin_f64(double x)
{
    return sin(x);
}
static inline double __ocml_cos_f64(double x)
{
    return cos(x);
}
static inline double __ocml_tan_f64(double x)
{
    return tan(x);
}
}
/* Shared memory is static, and a kernel is a function of the host. */
#define global visibility("default")
#define shared unused
#define device unused
#define amdgpu_flat_work_group_size(...) unused
