/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues and eigenvectors: of Hermitian matrices by divide and conquer, of many small real
 * ones by Jacobi's rotations; of others by the QR algorithm, whose results are complex whatever the
 * matrix is. */
#include "library/jacobi.h"
#include <math.h>
#include <string.h>

enum { VALUES = 1, VECTORS = 2 };

/* The common data for a range of a batch. lwork, lrwork and liwork are the sizes, in
 * elements, of work, real_work and whole_work. */
typedef struct eigen_job {
    const lapack_calls *lapack;
    lapack_matrices a, values, vectors;
    jg_dtype dtype;
    bool is_complex, wants_vectors;
    const char *triangle;
    int n, leading, lwork, lrwork, liwork;
    void *matrix, *spare_values, *found, *imaginary, *work, *real_work;
    int *whole_work;
} eigen_job;

/* Rough counts: they only decide how a batch is divided among threads. */
static double hermitian_operations(const routine_call *call)
{
    lapack_matrices a = matrices_of(call, 0);
    double n = (double)a.rows, operations = 9 * n * n * n + 300 * n + 1;
    return jacobi_takes(&a) ? library_group_operations(operations, JACOBI_LANES) : operations;
}

static double general_operations(const routine_call *call)
{
    double n = (double)matrices_of(call, 0).rows;
    return 25 * n * n * n + 1000 * n + 1;
}

/* Zeroes the job, so that memory that is not taken is NULL. */
static jg_status prepare(const routine_call *call, eigen_job *job)
{
    *job = (eigen_job){.a = matrices_of(call, 0),
                       .values = library_vectors_of(call, VALUES),
                       .vectors = matrices_of(call, VECTORS)};
    job->dtype = job->a.dtype;
    job->is_complex = dtype_is_complex(job->dtype);
    job->wants_vectors = job->vectors.address != NULL;
    JG_TRY(lapack_find(job->dtype, &job->lapack));
    JG_TRY(lapack_extent(job->a.rows, &job->n));
    job->leading = library_matrix_leading(job->n, job->a.itemsize);
    return JG_OK;
}

/* Complex matrices are transposed, as the vectors of the transpose are conjugated; for real ones
 * the other triangle of the transpose is the same. */
static const char *triangle_of(bool upper, bool turned)
{
    return upper == turned ? "U" : "L";
}

static void decompose_hermitian(const eigen_job *job, void *a, void *w, void *work,
                                const int *lwork, void *real_work, const int *lrwork,
                                int *whole_work, const int *liwork, int *info)
{
    const char *mode = job->wants_vectors ? "V" : "N";
    const int *n = &job->n, *leading = &job->leading;
    if (job->is_complex)
        job->lapack->heevd(mode, job->triangle, n, a, leading, w, work, lwork, real_work, lrwork,
                           whole_work, liwork, info, 1, 1);
    else
        job->lapack->syevd(mode, job->triangle, n, a, leading, w, work, lwork, whole_work, liwork,
                           info, 1, 1);
}

/* LAPACK is asked for the sizes of its work arrays with a size of -1: it answers in their first
 * elements. The least sizes are those of the documentation of syevd and heevd. */
static jg_status ask_hermitian_sizes(eigen_job *job)
{
    double told[2] = {0}, told_real[2] = {0}, n = job->n;
    bool vectors = job->wants_vectors;
    int info, ask = -1;
    decompose_hermitian(job, NULL, NULL, told, &ask, told_real, &ask, &job->liwork, &ask, &info);
    double of_real = vectors ? 1 + 6 * n + 2 * n * n : 2 * n + 1;
    double of_complex = vectors ? 2 * n + n * n : n + 1;
    double beside = !job->is_complex ? 1 : vectors ? 1 + 5 * n + 2 * n * n : n;
    JG_TRY(lapack_lwork(job->dtype, told, job->is_complex ? of_complex : of_real, &job->lwork));
    return lapack_lwork(dtype_real_part(job->dtype), told_real, beside, &job->lrwork);
}

static jg_status take_hermitian_memory(eigen_job *job, workspace *memory)
{
    job->liwork = 1;
    JG_TRY(ask_hermitian_sizes(job));
    job->matrix = workspace_take(memory, (int64_t)job->n * job->leading, job->a.itemsize);
    job->work = workspace_take(memory, job->lwork, job->a.itemsize);
    job->real_work = workspace_take(memory, job->lrwork, job->a.itemsize);
    job->whole_work = workspace_take(memory, job->liwork, sizeof(int));
    job->spare_values = workspace_take(memory, job->n, job->a.itemsize);
    return workspace_status(memory);
}

/* Eigenvalues are written to the result in ascending order; vectors are columns and are
 * transposed. */
static jg_status run_one_hermitian(const eigen_job *job, int64_t index)
{
    int info;
    void *w = job->values.address ? library_matrix_at(&job->values, index) : job->spare_values;
    library_matrix_load(&job->a, index, job->is_complex, job->matrix, job->leading);
    decompose_hermitian(job, job->matrix, w, job->work, &job->lwork, job->real_work, &job->lrwork,
                        job->whole_work, &job->liwork, &info);
    if (info != 0)
        return library_batch_fail("a", index, job->a.count, "has no eigenvalues: no convergence");
    if (job->wants_vectors)
        library_matrix_store(&job->vectors, index, true, job->matrix, job->leading);
    return JG_OK;
}

typedef struct hermitian_run {
    const routine_call *call;
    eigen_job job;
    workspace memory;
    bool is_ready; /* job and memory; they are not needed if lanes take all matrices */
} hermitian_run;

static jg_status run_by_lapack(void *context, int64_t index)
{
    hermitian_run *run = context;
    if (!run->is_ready) {
        JG_TRY(prepare(run->call, &run->job));
        run->job.triangle =
            triangle_of(run->call->attributes->eigen_hermitian.upper, run->job.is_complex);
        JG_TRY(take_hermitian_memory(&run->job, &run->memory));
        run->is_ready = true;
    }
    return run_one_hermitian(&run->job, index);
}

static jg_status run_hermitian(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    hermitian_run run = {.call = call};
    const jacobi_call lanes = {.a = matrices_of(call, 0),
                               .values = library_vectors_of(call, VALUES),
                               .left = matrices_of(call, VECTORS),
                               .upper = call->attributes->eigen_hermitian.upper};
    jg_status status = JG_OK;
    library_batch_range(lanes.a.count, hermitian_operations(call), &first, &last);
    if (jacobi_takes(&lanes.a))
        status = jacobi_hermitian(&lanes, first, last, run_by_lapack, &run);
    else
        for (int64_t i = first; i < last && status == JG_OK; ++i)
            status = run_by_lapack(&run, i);
    workspace_clear(&run.memory);
    return status;
}

/* Right vectors only; the left ones' leading dimension must be positive even so. */
static void decompose_general(const eigen_job *job, void *a, void *w, void *v, void *work,
                              const int *lwork, int *info)
{
    const char *mode = job->wants_vectors ? "V" : "N";
    const int *n = &job->n, *leading = &job->leading;
    if (job->is_complex)
        job->lapack->geev_complex("N", mode, n, a, leading, w, NULL, n, v, leading, work, lwork,
                                  job->real_work, info, 1, 1);
    else
        job->lapack->geev_real("N", mode, n, a, leading, w, job->imaginary, NULL, n, v, leading,
                               work, lwork, info, 1, 1);
}

static jg_status take_general_memory(eigen_job *job, workspace *memory)
{
    double told[2] = {0};
    int info, ask = -1;
    size_t itemsize = job->a.itemsize;
    job->real_work = workspace_take(memory, 2 * (int64_t)job->n, itemsize);
    JG_TRY(workspace_status(memory)); /* it is written to also when asked */
    decompose_general(job, NULL, NULL, NULL, told, &ask, &info);
    JG_TRY(lapack_lwork(job->dtype, told, 4 * (double)job->n, &job->lwork));
    job->matrix = workspace_take(memory, (int64_t)job->n * job->leading, itemsize);
    job->work = workspace_take(memory, job->lwork, itemsize);
    job->spare_values = workspace_take(memory, job->n, itemsize);
    job->imaginary = workspace_take(memory, job->n, itemsize);
    if (job->wants_vectors)
        job->found = workspace_take(memory, (int64_t)job->n * job->leading, itemsize);
    return workspace_status(memory);
}

/* Part number `part` (0 real, 1 imaginary) of element `at` of a complex result. */
static void put_part(void *to, int64_t at, int part, double value, bool is_wide)
{
    if (is_wide)
        ((double *)to)[2 * at + part] = value;
    else
        ((float *)to)[2 * at + part] = (float)value;
}

/* For a pair of conjugate eigenvalues, column j has the real parts and column j + 1 the imaginary
 * parts of the eigenvector of the eigenvalue with the positive imaginary part. */
static void store_pairs(const eigen_job *job, int64_t index)
{
    bool is_wide = job->dtype == JG_DTYPE_FLOAT64;
    int64_t n = job->n;
    const char *found = job->found, *imaginary = job->imaginary;
    char *to = library_matrix_at(&job->vectors, index);
    size_t itemsize = job->a.itemsize;
    int sign = 0; /* of the imaginary part; 0 before a pair begins and for a real vector */
    for (int64_t j = 0; j < n; ++j) {
        bool paired = library_number_at(imaginary + (size_t)j * itemsize, job->dtype).re != 0;
        sign = !paired ? 0 : sign == 1 ? -1 : 1;
        const char *real = found + (size_t)((j - (sign == -1)) * job->leading) * itemsize;
        for (int64_t i = 0; i < n; ++i) {
            const char *re = real + (size_t)i * itemsize,
                       *im = re + (size_t)job->leading * itemsize;
            put_part(to, i * n + j, 0, library_number_at(re, job->dtype).re, is_wide);
            put_part(to, i * n + j, 1, sign ? sign * library_number_at(im, job->dtype).re : 0,
                     is_wide);
        }
        if (sign == -1)
            sign = 0;
    }
}

/* LAPACK's routine for real matrices gives real and imaginary parts in two arrays. */
static void store_values(const eigen_job *job, int64_t index)
{
    bool is_wide = job->dtype == JG_DTYPE_FLOAT64;
    void *to = library_matrix_at(&job->values, index);
    const char *re = job->spare_values, *im = job->imaginary;
    for (int64_t i = 0; i < job->n; ++i, re += job->a.itemsize, im += job->a.itemsize) {
        put_part(to, i, 0, library_number_at(re, job->dtype).re, is_wide);
        put_part(to, i, 1, library_number_at(im, job->dtype).re, is_wide);
    }
}

/* LAPACK gives a real matrix's eigenvalues as two lists, real and imaginary parts, and vectors of a
 * conjugate pair as two real columns; complex results need no change. */
static void store_general(const eigen_job *job, int64_t index)
{
    if (job->is_complex) {
        if (job->values.address != NULL)
            memcpy(library_matrix_at(&job->values, index), job->spare_values,
                   (size_t)job->n * job->a.itemsize);
        if (job->wants_vectors)
            library_matrix_store(&job->vectors, index, true, job->found, job->leading);
        return;
    }
    if (job->values.address != NULL)
        store_values(job, index);
    if (job->wants_vectors)
        store_pairs(job, index);
}

/* LAPACK may not return for a matrix with an infinity. */
static bool is_finite(const eigen_job *job)
{
    const char *column = job->matrix;
    for (int j = 0; j < job->n; ++j, column += (size_t)job->leading * job->a.itemsize)
        for (int i = 0; i < job->n; ++i) {
            lapack_number x = library_number_at(column + (size_t)i * job->a.itemsize, job->dtype);
            if (!isfinite(x.re) || !isfinite(x.im))
                return false;
        }
    return true;
}

/* Only what is finite is handed to geev. */
static jg_status run_one_general(const eigen_job *job, int64_t index)
{
    int info;
    library_matrix_load(&job->a, index, true, job->matrix, job->leading);
    if (!is_finite(job))
        return library_batch_fail("a", index, job->a.count, "holds NaN or an infinity");
    decompose_general(job, job->matrix, job->spare_values, job->found, job->work, &job->lwork,
                      &info);
    if (info != 0)
        return library_batch_fail("a", index, job->a.count, "has no eigenvalues: no convergence");
    store_general(job, index);
    return JG_OK;
}

static jg_status run_general(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    workspace memory = {0};
    eigen_job job;
    JG_TRY(prepare(call, &job));
    jg_status status = take_general_memory(&job, &memory);
    library_batch_range(job.a.count, general_operations(call), &first, &last);
    for (int64_t i = first; i < last && status == JG_OK; ++i)
        status = run_one_general(&job, i);
    workspace_clear(&memory);
    return status;
}

LIBRARY_BATCH(hermitian, hermitian_operations, false)
LIBRARY_BATCH(general, general_operations, false)

const jg_routine library_routine_eigen_hermitian = {.name = "eigen_hermitian",
                                                    .units = hermitian_units,
                                                    .run = run_hermitian,
                                                    .work = hermitian_work};
const jg_routine library_routine_eigen = {
    .name = "eigen", .units = general_units, .run = run_general, .work = general_work};
