/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLASLt for tests, and by other names and numbers hipBLASLt: products on a stream of the fake
 * driver, summed in double one number after the other. It refuses what the real one does: layouts
 * that hold less than their columns, and a choice for aligned addresses with others. */
#include "fake.h"

#include <complex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of either header. ALGORITHM: words of one; ALIGNMENT: the first attribute of these. */
#ifdef FAKE_HIP
enum { OK = 0, NO_MEMORY = 2, INVALID_VALUE = 3, EXECUTION_FAILED = 5, NOT_SUPPORTED = 7 };
enum { TRANSPOSED = 112, TRANSPOSE_FIRST = 0, BATCH_COUNT = 0, ALIGNMENT = 100, ALGORITHM = 3 };
enum { SUMS_32 = 2, SUMS_64 = -1 };
#else
enum { OK = 0, NO_MEMORY = 3, INVALID_VALUE = 7, EXECUTION_FAILED = 13, NOT_SUPPORTED = 15 };
enum { TRANSPOSED = 1, TRANSPOSE_FIRST = 3, BATCH_COUNT = 5, ALIGNMENT = 5, ALGORITHM = 8 };
enum { SUMS_32 = 68, SUMS_64 = 70 };
#endif
enum { REAL_32, REAL_64, REAL_16, COMPLEX_32 = 4, COMPLEX_64, BRAIN_16 = 14 };
enum { WORKSPACE_NBYTES = 4096 };

typedef struct operation {
    int sums, factors, transposed[2];
} operation;

typedef struct layout {
    int numbers, batch;
    uint64_t rows, columns;
    int64_t lead, batch_stride;
} layout;

typedef struct preference {
    uint64_t workspace;
    uint32_t alignment[4];
} preference;

typedef struct choice {
    uint64_t alignment, unused[ALGORITHM - 1];
    size_t workspace;
    int error;
    float waves;
    int reserved[4];
} choice;

typedef struct product {
    operation how;
    layout a, b, d;
    const char *from[2];
    char *to, *scratch;
} product;

FAKE_API int cublasLtCreate(void **out);
FAKE_API int cublasLtMatmulDescCreate(operation **out, int sums, int factors);
FAKE_API int cublasLtMatmulDescSetAttribute(operation *of, int what, const void *to, size_t nbytes);
FAKE_API int cublasLtMatmulDescDestroy(operation *of);
FAKE_API int cublasLtMatrixLayoutCreate(layout **out, int numbers, uint64_t rows, uint64_t columns,
                                        int64_t lead);
FAKE_API int cublasLtMatrixLayoutSetAttribute(layout *of, int what, const void *to, size_t nbytes);
FAKE_API int cublasLtMatrixLayoutDestroy(layout *of);
FAKE_API int cublasLtMatmulPreferenceCreate(preference **out);
FAKE_API int cublasLtMatmulPreferenceSetAttribute(preference *of, int what, const void *to,
                                                  size_t nbytes);
FAKE_API int cublasLtMatmulPreferenceDestroy(preference *of);
FAKE_API int cublasLtMatmulAlgoGetHeuristic(void *handle, operation *how, layout *a, layout *b,
                                            layout *c, layout *d, preference *within, int wanted,
                                            choice *out, int *count);
FAKE_API int cublasLtMatmul(void *handle, operation *how, const void *alpha, uint64_t a,
                            layout *a_layout, uint64_t b, layout *b_layout, const void *beta,
                            uint64_t c, layout *c_layout, uint64_t d, layout *d_layout,
                            const choice *algorithm, uint64_t scratch, size_t workspace,
                            void *stream);

int cublasLtCreate(void **out)
{
    int error = fake_cuda_asked("blas_handle");
    *out = error == 0 ? malloc(1) : NULL;
    return error;
}

static int take(void **out, const void *bytes, size_t nbytes)
{
    *out = malloc(nbytes);
    if (*out == NULL)
        return NO_MEMORY;
    memcpy(*out, bytes, nbytes);
    return OK;
}

static int set(void *to, size_t wanted, const void *from, size_t nbytes)
{
    if (nbytes != wanted)
        return INVALID_VALUE;
    memcpy(to, from, nbytes);
    return OK;
}

int cublasLtMatmulDescCreate(operation **out, int sums, int factors)
{
    int error = fake_cuda_asked("blas_operation");
    if (sums != (factors == REAL_64 || factors == COMPLEX_64 ? SUMS_64 : SUMS_32))
        return INVALID_VALUE;
    return error != 0
               ? error
               : take((void **)out, &(operation){.sums = sums, .factors = factors}, sizeof **out);
}

int cublasLtMatmulDescSetAttribute(operation *of, int what, const void *to, size_t nbytes)
{
    if (nbytes != sizeof(int) || what < TRANSPOSE_FIRST || what > TRANSPOSE_FIRST + 1 ||
        *(const int *)to != TRANSPOSED)
        return INVALID_VALUE;
    of->transposed[what - TRANSPOSE_FIRST] = 1;
    return OK;
}

int cublasLtMatmulDescDestroy(operation *of)
{
    free(of);
    return OK;
}

int cublasLtMatrixLayoutCreate(layout **out, int numbers, uint64_t rows, uint64_t columns,
                               int64_t lead)
{
    layout made = {.numbers = numbers, .batch = 1, .rows = rows, .columns = columns, .lead = lead};
    if (rows == 0 || columns == 0 || lead < (int64_t)rows)
        return INVALID_VALUE;
    return take((void **)out, &made, sizeof made);
}

int cublasLtMatrixLayoutSetAttribute(layout *of, int what, const void *to, size_t nbytes)
{
    return what == BATCH_COUNT       ? set(&of->batch, sizeof of->batch, to, nbytes)
           : what == BATCH_COUNT + 1 ? set(&of->batch_stride, sizeof of->batch_stride, to, nbytes)
                                     : INVALID_VALUE;
}

int cublasLtMatrixLayoutDestroy(layout *of)
{
    free(of);
    return OK;
}

int cublasLtMatmulPreferenceCreate(preference **out)
{
    uint32_t unless_told = ALGORITHM == 8 ? 256 : 1;
    return take((void **)out,
                &(preference){.alignment = {unless_told, unless_told, unless_told, unless_told}},
                sizeof **out);
}

int cublasLtMatmulPreferenceSetAttribute(preference *of, int what, const void *to, size_t nbytes)
{
    return what == 1 ? set(&of->workspace, sizeof of->workspace, to, nbytes)
           : what >= ALIGNMENT && what < ALIGNMENT + 4
               ? set(&of->alignment[what - ALIGNMENT], sizeof(uint32_t), to, nbytes)
               : INVALID_VALUE;
}

int cublasLtMatmulPreferenceDestroy(preference *of)
{
    free(of);
    return OK;
}

static bool is_half(int numbers)
{
    return numbers == REAL_16 || numbers == BRAIN_16;
}

static bool is_possible(const operation *how, const layout *a, const layout *b, const layout *d)
{
    uint64_t m = how->transposed[0] ? a->columns : a->rows;
    uint64_t k = how->transposed[0] ? a->rows : a->columns;
    uint64_t n = how->transposed[1] ? b->rows : b->columns;
    return m == d->rows && n == d->columns && k == (how->transposed[1] ? b->columns : b->rows) &&
           a->numbers == b->numbers &&
           (a->numbers == d->numbers || (is_half(a->numbers) && d->numbers == REAL_32)) &&
           a->batch == d->batch && b->batch == d->batch;
}

int cublasLtMatmulAlgoGetHeuristic(void *handle, operation *how, layout *a, layout *b, layout *c,
                                   layout *d, preference *within, int wanted, choice *out,
                                   int *count)
{
    (void)handle, (void)c;
    *count = 0;
    if (wanted < 1 || !is_possible(how, a, b, d))
        return INVALID_VALUE;
    if (fake_cuda_asked("blas_choose") != 0)
        return NOT_SUPPORTED;
    *out = (choice){.alignment = within->alignment[0], .workspace = WORKSPACE_NBYTES};
    *count = within->workspace >= WORKSPACE_NBYTES;
    return *count == 1 ? OK : NOT_SUPPORTED;
}

static double complex read_number(const char *memory, int numbers, int64_t at)
{
    uint32_t bits;
    float parts[2];
    double wide[2];
    switch (numbers) {
    case REAL_16: return (double)((const _Float16 *)memory)[at];
    case BRAIN_16:
        bits = (uint32_t)((const uint16_t *)memory)[at] << 16;
        memcpy(parts, &bits, sizeof bits);
        return (double)parts[0];
    case REAL_32: memcpy(parts, memory + at * 4, 4); return (double)parts[0];
    case REAL_64: memcpy(wide, memory + at * 8, 8); return wide[0];
    case COMPLEX_32: memcpy(parts, memory + at * 8, 8); return CMPLX(parts[0], parts[1]);
    default: memcpy(wide, memory + at * 16, 16); return CMPLX(wide[0], wide[1]);
    }
}

static void write_number(char *memory, int numbers, int64_t at, double complex x)
{
    float parts[2] = {(float)creal(x), (float)cimag(x)};
    double wide[2] = {creal(x), cimag(x)};
    uint32_t bits;
    switch (numbers) {
    case REAL_16: ((_Float16 *)memory)[at] = (_Float16)creal(x); break;
    case BRAIN_16:
        memcpy(&bits, parts, sizeof bits);
        ((uint16_t *)memory)[at] = (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
        break;
    case REAL_32: memcpy(memory + at * 4, parts, 4); break;
    case REAL_64: memcpy(memory + at * 8, wide, 8); break;
    case COMPLEX_32: memcpy(memory + at * 8, parts, 8); break;
    default: memcpy(memory + at * 16, wide, 16); break;
    }
}

static double complex element(const product *p, int which, int batch, uint64_t row, uint64_t column)
{
    const layout *of = which == 0 ? &p->a : &p->b;
    uint64_t down = p->how.transposed[which] ? column : row;
    uint64_t along = p->how.transposed[which] ? row : column;
    return read_number(p->from[which], of->numbers,
                       batch * of->batch_stride + (int64_t)along * of->lead + (int64_t)down);
}

/* The scratch memory is written over, as an algorithm may. */
static void run(const void *argument)
{
    const product *p = argument;
    uint64_t inner = p->how.transposed[0] ? p->a.rows : p->a.columns;
    memset(p->scratch, 0x5A, WORKSPACE_NBYTES);
    for (int batch = 0; batch < p->d.batch; ++batch)
        for (uint64_t column = 0; column < p->d.columns; ++column)
            for (uint64_t row = 0; row < p->d.rows; ++row) {
                double complex sum = 0;
                for (uint64_t k = 0; k < inner; ++k)
                    sum += element(p, 0, batch, row, k) * element(p, 1, batch, k, column);
                write_number(p->to, p->d.numbers,
                             batch * p->d.batch_stride + (int64_t)column * p->d.lead + (int64_t)row,
                             sum);
            }
}

static bool is_one(const operation *how, const void *factor, double wanted)
{
    bool is_double = how->factors == REAL_64 || how->factors == COMPLEX_64;
    return (is_double ? *(const double *)factor : (double)*(const float *)factor) == wanted;
}

int cublasLtMatmul(void *handle, operation *how, const void *alpha, uint64_t a, layout *a_layout,
                   uint64_t b, layout *b_layout, const void *beta, uint64_t c, layout *c_layout,
                   uint64_t d, layout *d_layout, const choice *algorithm, uint64_t scratch,
                   size_t workspace, void *stream)
{
    product what = {*how,
                    *a_layout,
                    *b_layout,
                    *d_layout,
                    {(const char *)(uintptr_t)a, (const char *)(uintptr_t)b},
                    (char *)(uintptr_t)d,
                    (char *)(uintptr_t)scratch};
    (void)handle, (void)c, (void)c_layout;
    if ((a | b | d) % algorithm->alignment != 0 || workspace < WORKSPACE_NBYTES ||
        !is_one(how, alpha, 1) || !is_one(how, beta, 0))
        return INVALID_VALUE;
    if (fake_cuda_asked("blas_run") != 0)
        return EXECUTION_FAILED;
    return fake_cuda_call(stream, run, &what, sizeof what) == 0 ? OK : EXECUTION_FAILED;
}
