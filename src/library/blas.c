/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS, opened at run time on first use.
 *
 * OpenBLAS chooses its code by the CPU when it is loaded, and mistakes recent AMD cores with
 * AVX-512 for Haswell, which halves its speed (112 instead of 220 GFLOP/s on a Zen 5 core). So its
 * core type is put into the environment around the dlopen, unless the user has put one there, and
 * taken out again: other copies of OpenBLAS in the process choose for themselves. The environment
 * is not safe to change while other threads read it; the window is one dlopen long, once in a
 * process. The library is told to use one thread, as joggle shares the work itself. */
#include "library/library.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 }; /* CBLAS's own numbers */

typedef void real_gemm_f32(int, int, int, int, int, int, float, const float *, int, const float *,
                           int, float, float *, int);
typedef void real_gemm_f64(int, int, int, int, int, int, double, const double *, int,
                           const double *, int, double, double *, int);
typedef void real_gemv_f32(int, int, int, int, float, const float *, int, const float *, int, float,
                           float *, int);
typedef void real_gemv_f64(int, int, int, int, double, const double *, int, const double *, int,
                           double, double *, int);
typedef void complex_gemm(int, int, int, int, int, int, const void *, const void *, int,
                          const void *, int, const void *, void *, int);

/* Written once, by open_blas. failed: the library that the user named cannot be opened, and every
 * caller gets `error`. unwanted: the user said "none". None of the three: there is no library. */
static struct {
    real_gemm_f32 *sgemm;
    real_gemm_f64 *dgemm;
    real_gemv_f32 *sgemv;
    real_gemv_f64 *dgemv;
    complex_gemm *cgemm, *zgemm;
    char path[PATH_MAX];
    void *handle;
    bool open, failed, unwanted;
    jg_error error;
} blas;

/* The core type to ask for: the option's, or one that has AVX-512 code where detection misses
 * them. */
static const char *core_type(void)
{
    const char *asked = option_text(OPTION_BLAS_CORE);
    if (*asked != '\0')
        return asked;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        return "SkylakeX";
#endif
    return NULL;
}

/* An environment variable for the library's constructor to read, unless the user has set it. */
typedef struct lent_variable {
    const char *name;
    bool ours;
} lent_variable;

/* NULL for no value. */
static lent_variable lend(const char *name, const char *value)
{
    bool ours = value != NULL && getenv(name) == NULL && setenv(name, value, 1) == 0;
    return (lent_variable){name, ours};
}

static void take_back(lent_variable variable)
{
    if (variable.ours)
        unsetenv(variable.name);
}

/* The number of threads is set before as well as after, or the constructor would start a thread
 * for each core. */
static void *open_with_core_type(const char *path)
{
    lent_variable core = lend("OPENBLAS_CORETYPE", core_type());
    lent_variable threads = lend("OPENBLAS_NUM_THREADS", "1");
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    take_back(threads);
    take_back(core);
    return handle;
}

/* A function's address; the PyPI build puts a prefix before every name. ISO C has no cast from
 * an object pointer to a function pointer, POSIX allows it by way of memory. */
static bool find(void *handle, const char *name, void *out)
{
    char prefixed[64];
    void *address = dlsym(handle, name);
    if (address == NULL) {
        snprintf(prefixed, sizeof prefixed, "scipy_%s", name);
        address = dlsym(handle, prefixed);
    }
    memcpy(out, &address, sizeof address);
    return address != NULL;
}

/* Builds with 64-bit integers under the plain names exist; we pass 32 bits. */
static bool has_int32(void *handle)
{
    char *(*config)(void);
    return !find(handle, "openblas_get_config", &config) || strstr(config(), "USE64BITINT") == NULL;
}

/* Whether it is a library that we can use: it has all functions that we call, and takes 32-bit
 * integers. */
static bool bind(void *handle)
{
    void (*set_num_threads)(int);
    if (!find(handle, "cblas_sgemm", &blas.sgemm) || !find(handle, "cblas_dgemm", &blas.dgemm) ||
        !find(handle, "cblas_cgemm", &blas.cgemm) || !find(handle, "cblas_zgemm", &blas.zgemm) ||
        !find(handle, "cblas_sgemv", &blas.sgemv) || !find(handle, "cblas_dgemv", &blas.dgemv) ||
        !has_int32(handle))
        return false;
    if (find(handle, "openblas_set_num_threads", &set_num_threads))
        set_num_threads(1);
    return true;
}

/* A library that cannot be used is closed, and the next one is tried. */
static bool try_path(const char *path)
{
    void *handle = open_with_core_type(path);
    if (handle == NULL)
        return false;
    if (!bind(handle)) {
        dlclose(handle);
        return false;
    }
    snprintf(blas.path, sizeof blas.path, "%s", path);
    blas.handle = handle;
    return true;
}

/* Tries the OpenBLAS of the PyPI package scipy-openblas32, which pip installs beside the package
 * that holds this library: FOLDER/joggle/libjoggle.so.0, FOLDER/scipy_openblas32/lib. */
static bool try_beside(void)
{
    Dl_info info;
    char path[PATH_MAX];
    if (dladdr((void *)blas_path, &info) == 0)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int length = snprintf(path, sizeof path, "%.*s/../scipy_openblas32/lib/libscipy_openblas.so",
                          slash == NULL ? 1 : (int)(slash - info.dli_fname),
                          slash == NULL ? "." : info.dli_fname);
    return length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0 && try_path(path);
}

/* Called once. A name from the user that does not open is a failure; for the usual paths it is
 * not. */
static void open_blas(void)
{
    static const char *const usual[] = {"libopenblas.so.0", "libopenblas.so"};
    const char *named = option_text(OPTION_BLAS);
    blas.unwanted = strcmp(named, "none") == 0;
    if (blas.unwanted)
        return;
    if (*named != '\0') {
        blas.open = try_path(named);
        blas.failed = !blas.open;
        if (blas.failed)
            error_capture(
                &blas.error,
                base_fail(
                    JG_ERR_LIBRARY,
                    "JOGGLE_BLAS: got %s, allowed is the path of an OpenBLAS that can be used",
                    named));
        return;
    }
    blas.open = try_beside();
    for (size_t i = 0; i < JG_COUNT_OF(usual) && !blas.open; ++i)
        blas.open = try_path(usual[i]);
}

/* Any thread may be the first; the others wait for it. */
static void open_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_blas);
}

const char *blas_path(void)
{
    open_once();
    return blas.open ? blas.path : NULL;
}

bool blas_is_missed(void)
{
    open_once();
    return blas.failed;
}

bool blas_find(const char *name, void *out)
{
    open_once();
    return blas.open && find(blas.handle, name, out);
}

static const char absent[] = "no OpenBLAS was found: install scipy-openblas32 with pip, or the "
                             "system's libopenblas0, or name one in JOGGLE_BLAS";

jg_status blas_require(void)
{
    open_once();
    if (blas.failed)
        return error_raise(&blas.error);
    if (!blas.open)
        return base_fail(JG_ERR_LIBRARY, "%s",
                         blas.unwanted ? "JOGGLE_BLAS: got none, allowed for this work is the path "
                                         "of an OpenBLAS, or nothing to look for one"
                                       : absent);
    return JG_OK;
}

/* Tells once a process that a library is missing, at the first part of a product, which may be cut
 * in many, that takes the loops a tenth of a millisecond. */
static void warn_of_loops(const matmul_call *call)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    double terms = (double)call->m * (double)call->n * (double)call->k;
    if (!blas.unwanted && terms >= 1e6 && !atomic_flag_test_and_set(&told))
        fprintf(stderr,
                "joggle: matrix products use joggle's own loops, which are slower: %s; "
                "JOGGLE_BLAS=none turns this line off\n",
                absent);
}

/* One operand as BLAS sees it: dense rows, or the transpose of dense rows. */
typedef struct blas_operand {
    int transpose, leading;
} blas_operand;

/* The leading stride must be at least the row's length, also where there is only one row. */
static bool describe(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                     blas_operand *out)
{
    int64_t leading;
    /* A column's elements may be any distance apart: BLAS takes it as rows of one element. */
    if (column_stride == 1 || columns == 1) {
        out->transpose = NO_TRANS;
        leading = rows == 1 ? columns : row_stride;
        if (leading < columns || (columns == 1 && rows > 1 && row_stride < 1))
            leading = -1;
    } else {
        leading = -1;
    }
    if (leading < 0 && (row_stride == 1 || rows == 1)) {
        out->transpose = TRANS;
        leading = columns == 1 ? rows : column_stride;
        if (leading < rows)
            leading = -1;
    }
    out->leading = (int)leading;
    return leading >= 1 && leading <= INT_MAX;
}

/* ldc of one row must still be at least the row's length. */
static void run_real(const matmul_call *c, const blas_operand *a, const blas_operand *b)
{
    int m = (int)c->m, n = (int)c->n, k = (int)c->k, ldc = c->m == 1 ? n : (int)c->c_row;
    if (c->dtype == JG_DTYPE_FLOAT32)
        blas.sgemm(ROW_MAJOR, a->transpose, b->transpose, m, n, k, 1, c->a, a->leading, c->b,
                   b->leading, 0, c->c, ldc);
    else
        blas.dgemm(ROW_MAJOR, a->transpose, b->transpose, m, n, k, 1, c->a, a->leading, c->b,
                   b->leading, 0, c->c, ldc);
}

/* A product with one column, or (the transpose of it) with one row: y = A x. */
typedef struct vector_call {
    int transpose, rows, columns, leading; /* of the matrix as it is stored */
    const void *matrix, *x;
    void *y;
    int x_step, y_step;
    int64_t length; /* of y */
} vector_call;

/* BLAS counts negative steps from the other end, so they are left to loops.c, as is a step of 0. */
static bool is_step(int64_t step, int64_t length)
{
    return length == 1 || (step > 0 && step <= INT_MAX);
}

static bool describe_vector(const matmul_call *c, const blas_operand *a, const blas_operand *b,
                            vector_call *out)
{
    bool column = c->n == 1;
    const blas_operand *matrix = column ? a : b;
    bool plain = (matrix->transpose == NO_TRANS) == column;
    int64_t length = column ? c->m : c->n, x_step = column ? c->b_row : c->a_column;
    if ((c->m != 1 && c->n != 1) || dtype_is_complex(c->dtype) || !is_step(x_step, c->k))
        return false;
    /* The extents fit int: blas_matmul has checked. */
    *out = (vector_call){
        .transpose = plain ? NO_TRANS : TRANS,
        .rows = (int)(plain ? length : c->k),
        .columns = (int)(plain ? c->k : length),
        .leading = matrix->leading,
        .matrix = column ? c->a : c->b,
        .x = column ? c->b : c->a,
        .y = c->c,
        .x_step = c->k == 1 ? 1 : (int)x_step,
        .y_step = column && c->m > 1 ? (int)c->c_row : 1,
        .length = length,
    };
    return true;
}

/* y is zeroed first, as some releases read y also if beta is 0. */
static void run_vector(jg_dtype dtype, const vector_call *v)
{
    size_t itemsize = dtype_itemsize(dtype);
    for (int64_t i = 0; i < v->length; ++i)
        memset((char *)v->y + (size_t)i * (size_t)v->y_step * itemsize, 0, itemsize);
    if (dtype == JG_DTYPE_FLOAT32)
        blas.sgemv(ROW_MAJOR, v->transpose, v->rows, v->columns, 1, v->matrix, v->leading, v->x,
                   v->x_step, 0, v->y, v->y_step);
    else
        blas.dgemv(ROW_MAJOR, v->transpose, v->rows, v->columns, 1, v->matrix, v->leading, v->x,
                   v->x_step, 0, v->y, v->y_step);
}

/* Vectors as well, as the complex functions for vectors are not bound. */
static void run_complex(const matmul_call *c, const blas_operand *a, const blas_operand *b)
{
    static const float one_f32[2] = {1, 0}, zero_f32[2];
    static const double one_f64[2] = {1, 0}, zero_f64[2];
    bool single = c->dtype == JG_DTYPE_COMPLEX64;
    complex_gemm *gemm = single ? blas.cgemm : blas.zgemm;
    const void *one = single ? (const void *)one_f32 : one_f64;
    const void *zero = single ? (const void *)zero_f32 : zero_f64;
    gemm(ROW_MAJOR, a->transpose, b->transpose, (int)c->m, (int)c->n, (int)c->k, one, c->a,
         a->leading, c->b, b->leading, zero, c->c, c->m == 1 ? (int)c->n : (int)c->c_row);
}

/* *done is false where BLAS has no such dtype, is not there, or cannot take the strides or extents:
 * the caller then uses loops.c. An extent beyond int would be cut off silently. */
jg_status blas_matmul(const matmul_call *call, bool *done)
{
    blas_operand a, b;
    vector_call vector;
    *done = false;
    if (!dtype_is_lapack(call->dtype))
        return JG_OK;
    open_once();
    if (blas.failed)
        return error_raise(&blas.error);
    if (!blas.open) {
        warn_of_loops(call);
        return JG_OK;
    }
    if (call->m > INT_MAX || call->n > INT_MAX || call->k > INT_MAX || call->c_row > INT_MAX ||
        !describe(call->m, call->k, call->a_row, call->a_column, &a) ||
        !describe(call->k, call->n, call->b_row, call->b_column, &b))
        return JG_OK;
    if (describe_vector(call, &a, &b, &vector))
        run_vector(call->dtype, &vector);
    else if (dtype_is_complex(call->dtype))
        run_complex(call, &a, &b);
    else
        run_real(call, &a, &b);
    *done = true;
    return JG_OK;
}
