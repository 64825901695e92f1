/* SPDX-License-Identifier: Apache-2.0 */
/* library: host libraries behind one interface, and the loops that replace them where there is
 * none. */
#ifndef JG_LIBRARY_H
#define JG_LIBRARY_H

#include "program/routine.h"

/* One matrix product C = A B, of m by k and k by n matrices; strides in elements. The elements of a
 * row of C lie side by side, and C is not read. k may be 0: then C becomes zero. */
typedef struct matmul_call {
    jg_dtype dtype;
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column, c_row;
} matmul_call;

/* The product of the transposes, which makes that of C: its rows and columns change places, so the
 * caller sets c_row. raises: never */
static inline matmul_call library_turned(const matmul_call *call)
{
    matmul_call turned = *call;
    turned.m = call->n;
    turned.n = call->m;
    turned.a = call->b;
    turned.a_row = call->b_column;
    turned.a_column = call->b_row;
    turned.b = call->a;
    turned.b_row = call->a_column;
    turned.b_column = call->a_row;
    return turned;
}

/* One matrix product on the calling thread: by OpenBLAS for float32, float64 and the complex
 * dtypes where one is found, else by joggle's own loops. Any strides; any thread.
 * raises: UNSUPPORTED for a dtype without products, LIBRARY if the library that JOGGLE_BLAS
 * names cannot be opened */
jg_status library_matmul(const matmul_call *call);

/* Whether library_matmul takes such matrices as they are; others are cast to a wider dtype. */
bool library_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k);

/* The routines of this room by their primitives, NULL for others. The table of src/routine is read
 * beside this one. */
extern const jg_routine *const library_routines[PRIMITIVE_COUNT];

#define JG_PRIMITIVE(name, kind, rules)
#define JG_LIBRARY_ROUTINE(name, rules) extern const jg_routine library_routine_##name;
#include "op/primitive.def"
#undef JG_PRIMITIVE

/* blas.c */

/* Computes the product by BLAS. *done is false, and nothing is written, if there is no library or
 * it does not take the dtype, strides or extents. raises: LIBRARY as above */
jg_status blas_matmul(const matmul_call *call, bool *done);

/* The path of the library that was opened. For reports. gives: borrowed, valid forever, or NULL */
const char *blas_path(void);

/* Whether the user names a library that cannot be opened: products of floats fail then. */
bool blas_is_missed(void);

/* The address of one of the library's functions, by its name without the prefix that some builds
 * put before all names; false if there is none. out: of a pointer to a function */
bool blas_find(const char *name, void *out);

/* Opens the library, once. raises: LIBRARY where there is none, telling what to install */
jg_status blas_require(void);

/* bfloat.c */

/* Whether this machine multiplies bfloat16 matrices of m rows by n columns as they are. */
bool library_bfloat_takes(int64_t m, int64_t n);

/* The product of bfloat16 matrices, any strides; only where library_bfloat_takes says so and k > 0.
 * raises: NOMEM */
jg_status library_bfloat_matmul(const matmul_call *call);

/* loops.c */

/* Computes the product by loops, any strides. raises: UNSUPPORTED */
jg_status library_loops_matmul(const matmul_call *call);

#endif
