/* SPDX-License-Identifier: Apache-2.0 */
/* Products by cuBLASLt, which is opened when the first one is planned.
 *
 * The library thinks of columns: memory of a matrix by rows is, to it, the transposed matrix. So it
 * is asked for the transposed product, right operand first, and an operand whose columns lie in
 * memory one after the other is one that it transposes.
 *
 * It chooses an algorithm by the operands' alignment, which is known when a product runs. So there
 * are two choices: for addresses that are multiples of 16, and for any. */
#include "device/cuda/cuda.h"
#include <stdio.h>

/* Numbers of the library's header. */
enum {
    BLAS_NO_MEMORY = 3,
    BLAS_OP_TRANSPOSED = 1,
    BLAS_TRANSPOSE_FIRST = 3, /* attributes of an operation */
    BLAS_TRANSPOSE_SECOND = 4,
    BLAS_BATCH_COUNT = 5, /* of a layout */
    BLAS_BATCH_STRIDE = 6,
    BLAS_WORKSPACE = 1, /* of a preference */
    BLAS_ALIGNMENT = 5, /* of the first matrix; the other three follow */
    BLAS_REAL_32 = 0,   /* kinds of numbers, by the bits of a part */
    BLAS_REAL_64 = 1,
    BLAS_REAL_16 = 2,
    BLAS_COMPLEX_32 = 4,
    BLAS_COMPLEX_64 = 5,
    BLAS_BFLOAT_16 = 14,
    BLAS_SUMS_32 = 68, /* kinds of sums */
    BLAS_SUMS_64 = 70
};

/* The scratch memory that NVIDIA advises for Hopper. */
static const uint64_t workspace_limit = (uint64_t)32 << 20;

/* cublasLtMatmulHeuristicResult_t. */
typedef struct blas_choice {
    uint64_t algorithm[8];
    size_t workspace;
    int error;
    float waves;
    int reserved[4];
} blas_choice;

typedef struct blas_library {
#define BLAS_CALL(name, function, parameters) int(*name) parameters;
#include "device/cuda/blas.def"
#undef BLAS_CALL
} blas_library;

static const char *const symbols[] = {
#define BLAS_CALL(name, function, parameters) #function,
#include "device/cuda/blas.def"
#undef BLAS_CALL
};

_Static_assert(sizeof(blas_library) == sizeof symbols, "one function for each name");
_Static_assert(sizeof(blas_choice) == 96, "the library's struct");

static const cuda_library named_library = {
    .symbol = "cublasLtMatmul",
    .folder = CUDA_NVIDIA_FOLDER,
    .names = {"libcublasLt", "libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}};

static struct {
    pthread_once_t once;
    bool is_open;
    jg_error failure; /* of a library that was named and is not there */
    blas_library call;
} blas = {.once = PTHREAD_ONCE_INIT};

/* How the library makes products of a dtype: the kind of their numbers, of the sums, and of the
 * factors beside them. float16 and bfloat16 are summed in float32; float32 is never rounded. */
typedef struct blas_type {
    uint8_t dtype, numbers, sums, factors;
} blas_type;

static const blas_type types[] = {
    {JG_DTYPE_FLOAT16, BLAS_REAL_16, BLAS_SUMS_32, BLAS_REAL_32},
    {JG_DTYPE_BFLOAT16, BLAS_BFLOAT_16, BLAS_SUMS_32, BLAS_REAL_32},
    {JG_DTYPE_FLOAT32, BLAS_REAL_32, BLAS_SUMS_32, BLAS_REAL_32},
    {JG_DTYPE_FLOAT64, BLAS_REAL_64, BLAS_SUMS_64, BLAS_REAL_64},
    {JG_DTYPE_COMPLEX64, BLAS_COMPLEX_32, BLAS_SUMS_32, BLAS_COMPLEX_32},
    {JG_DTYPE_COMPLEX128, BLAS_COMPLEX_64, BLAS_SUMS_64, BLAS_COMPLEX_64},
};

/* 1 and 0 of each kind of factors, with an imaginary part that real ones do not look at. */
static const float ones_32[] = {1, 0}, zeros_32[] = {0, 0};
static const double ones_64[] = {1, 0}, zeros_64[] = {0, 0};

enum { CHOICES = 2 }; /* for aligned addresses, for any */

/* A product that is ready to run. Immutable. */
typedef struct cuda_product {
    const blas_type *type;
    bool widens;        /* the result is float32 */
    uint32_t alignment; /* an element's bytes */
    void *operation;
    void *layouts[DEVICE_PRODUCT_BUFFERS];
    blas_choice choices[CHOICES];
} cuda_product;

/* How a matrix lies in memory, as the library sees it. */
typedef struct stored {
    int64_t rows, columns, lead, batch_stride; /* in elements */
    bool transposed;
} stored;

static void fail_named(const char *named)
{
    error_capture(
        &blas.failure,
        jg_fail(JG_ERR_DEVICE,
                "JOGGLE_CUBLASLT: got '%s', allowed are a folder that has libcublasLt.so, "
                "the name of its file, and none",
                named));
}

/* Where no library is named, none is needed. */
static void open_library(void)
{
    const char *named = option_text(OPTION_CUBLASLT);
    if (strcmp(named, "none") == 0)
        return;
    void *library = cuda_library_open(&named_library, named);
    if (library == NULL && *named != '\0')
        fail_named(named);
    if (library == NULL)
        return;
    blas.is_open = base_bind(library, JG_COUNT_OF(symbols), symbols, &blas.call) == NULL;
}

static jg_status fail_call(const jg_device *device, const char *call, int error)
{
    bool memory = error == BLAS_NO_MEMORY;
    return jg_fail(memory ? JG_ERR_NOMEM : JG_ERR_DEVICE, "%scuda:%d: %s: error %d of cuBLASLt",
                   memory ? "out of memory: " : "", (int)device->id.id, call, error);
}

static const blas_type *find_type(uint8_t dtype)
{
    for (size_t i = 0; i < JG_COUNT_OF(types); ++i)
        if (types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

/* gives: false where the library has no name for the strides */
static bool store(const int64_t *strides, int64_t rows, int64_t columns, int64_t size, stored *out)
{
    bool by_rows = strides[2] == size || columns == 1;
    bool by_columns = strides[1] == size || rows == 1;
    for (int i = 0; i < 3; ++i)
        if (strides[i] % size != 0 || strides[i] < 0)
            return false;
    out->batch_stride = strides[0] / size;
    if (by_rows) {
        out->lead = rows == 1 ? columns : strides[1] / size;
        out->rows = columns;
        out->columns = rows;
        out->transposed = false;
        if (out->lead >= columns)
            return true;
    }
    out->lead = columns == 1 ? rows : strides[2] / size;
    out->rows = rows;
    out->columns = columns;
    out->transposed = true;
    return by_columns && out->lead >= rows;
}

static bool describe(const device_product *product, stored *out)
{
    int64_t size = (int64_t)dtype_itemsize((jg_dtype)product->dtype);
    int64_t out_size = product->widens ? (int64_t)sizeof(float) : size;
    int64_t limits[] = {product->batch, product->rows, product->columns, product->inner};
    for (size_t i = 0; i < JG_COUNT_OF(limits); ++i)
        if (limits[i] < 1 || limits[i] > INT32_MAX)
            return false;
    return store(product->left, product->rows, product->inner, size, &out[DEVICE_PRODUCT_LEFT]) &&
           store(product->right, product->inner, product->columns, size,
                 &out[DEVICE_PRODUCT_RIGHT]) &&
           store(product->out, product->rows, product->columns, out_size,
                 &out[DEVICE_PRODUCT_OUT]) &&
           !out[DEVICE_PRODUCT_OUT].transposed;
}

/* The context is current. */
static jg_status require_handle(cuda_device *own)
{
    jg_status status = JG_OK;
    void *handle = NULL;
    if (atomic_load_explicit(&own->blas, memory_order_acquire) != NULL)
        return JG_OK;
    pthread_mutex_lock(&own->opening);
    int error = own->blas == NULL ? blas.call.handle_new(&handle) : 0;
    if (error != 0)
        status = fail_call(&own->base, "cublasLtCreate", error);
    else if (handle != NULL)
        own->blas = handle;
    pthread_mutex_unlock(&own->opening);
    return status;
}

static int make_layout(const stored *matrix, int numbers, int64_t batch, void **out)
{
    int32_t count = (int32_t)batch;
    int error = blas.call.layout_new(out, numbers, (uint64_t)matrix->rows,
                                     (uint64_t)matrix->columns, matrix->lead);
    if (error == 0 && batch > 1)
        error = blas.call.layout_set(*out, BLAS_BATCH_COUNT, &count, sizeof count);
    if (error == 0 && batch > 1)
        error = blas.call.layout_set(*out, BLAS_BATCH_STRIDE, &matrix->batch_stride,
                                     sizeof matrix->batch_stride);
    return error;
}

static int make_operation(cuda_product *made, const stored *matrices)
{
    int32_t transposed = BLAS_OP_TRANSPOSED;
    int error = blas.call.operation_new(&made->operation, made->type->sums, made->type->factors);
    if (error == 0 && matrices[DEVICE_PRODUCT_RIGHT].transposed)
        error = blas.call.operation_set(made->operation, BLAS_TRANSPOSE_FIRST, &transposed,
                                        sizeof transposed);
    if (error == 0 && matrices[DEVICE_PRODUCT_LEFT].transposed)
        error = blas.call.operation_set(made->operation, BLAS_TRANSPOSE_SECOND, &transposed,
                                        sizeof transposed);
    return error;
}

static int make_preference(uint32_t alignment, void **out)
{
    int error = blas.call.preference_new(out);
    if (error == 0)
        error = blas.call.preference_set(*out, BLAS_WORKSPACE, &workspace_limit,
                                         sizeof workspace_limit);
    for (int i = 0; i < 4 && error == 0; ++i)
        error = blas.call.preference_set(*out, BLAS_ALIGNMENT + i, &alignment, sizeof alignment);
    return error;
}

/* gives: false where the library makes no such product of such an alignment */
static bool choose(const cuda_device *own, cuda_product *made, uint32_t alignment, blas_choice *out)
{
    void *preference = NULL;
    int count = 0;
    void *const *layouts = made->layouts;
    int error = make_preference(alignment, &preference);
    if (error == 0)
        error = blas.call.choose(own->blas, made->operation, layouts[DEVICE_PRODUCT_RIGHT],
                                 layouts[DEVICE_PRODUCT_LEFT], layouts[DEVICE_PRODUCT_OUT],
                                 layouts[DEVICE_PRODUCT_OUT], preference, 1, out, &count);
    if (preference != NULL)
        (void)blas.call.preference_free(preference);
    return error == 0 && count == 1 && out->error == 0;
}

static int numbers_of(const cuda_product *made, int buffer)
{
    return made->widens && buffer == DEVICE_PRODUCT_OUT ? BLAS_REAL_32 : made->type->numbers;
}

/* The context is current. gives: false where the library does not make the product */
static bool ready(const cuda_device *own, const device_product *product, const stored *matrices,
                  cuda_product *made)
{
    int error = make_operation(made, matrices);
    for (int b = 0; b < DEVICE_PRODUCT_BUFFERS && error == 0; ++b)
        error = make_layout(&matrices[b], numbers_of(made, b), product->batch, &made->layouts[b]);
    return error == 0 && choose(own, made, 16, &made->choices[0]) &&
           choose(own, made, made->alignment, &made->choices[1]);
}

void cuda_product_free(jg_device *device, void *opaque)
{
    (void)device;
    cuda_product *made = opaque;
    for (int b = 0; b < DEVICE_PRODUCT_BUFFERS; ++b)
        if (made->layouts[b] != NULL)
            (void)blas.call.layout_free(made->layouts[b]);
    if (made->operation != NULL)
        (void)blas.call.operation_free(made->operation);
    base_free(made);
}

static jg_status make(cuda_device *own, const device_product *product, const stored *matrices,
                      cuda_product **out)
{
    cuda_product *made = base_alloc_zeroed(sizeof *made);
    if (made == NULL)
        return base_nomem(sizeof *made, "a product");
    made->type = find_type(product->dtype);
    made->widens = product->widens;
    made->alignment = (uint32_t)dtype_itemsize((jg_dtype)product->dtype);
    jg_status status = cuda_enter(&own->base, NULL);
    bool is_ready = false;
    if (status == JG_OK) {
        status = require_handle(own);
        is_ready = status == JG_OK && ready(own, product, matrices, made);
        cuda_leave();
    }
    if (is_ready)
        *out = made;
    else
        cuda_product_free(&own->base, made);
    return status;
}

jg_status cuda_product_new(jg_device *device, const device_product *product, size_t *scratch_nbytes,
                           void **out)
{
    cuda_product *made = NULL;
    stored matrices[DEVICE_PRODUCT_BUFFERS];
    *out = NULL;
    if (find_type(product->dtype) == NULL || !describe(product, matrices))
        return JG_OK;
    pthread_once(&blas.once, open_library);
    if (blas.failure.status != JG_OK)
        return error_raise(&blas.failure);
    if (!blas.is_open)
        return JG_OK;
    JG_TRY(make(cuda_of(device), product, matrices, &made));
    if (made != NULL)
        *scratch_nbytes = size_max(made->choices[0].workspace, made->choices[1].workspace);
    *out = made;
    return JG_OK;
}

/* The context is current. */
static jg_status run(const cuda_device *own, void *stream, const cuda_product *made,
                     const device_product_start *start)
{
    uint64_t at[DEVICE_PRODUCT_BUFFERS], low = 0;
    for (int b = 0; b < DEVICE_PRODUCT_BUFFERS; ++b) {
        at[b] = (uint64_t)(uintptr_t)start->handles[b] + (uint64_t)start->offsets[b];
        low |= at[b];
    }
    const blas_choice *choice = &made->choices[low % 16 != 0];
    bool is_double = made->type->sums == BLAS_SUMS_64;
    const void *one = is_double ? (const void *)ones_64 : ones_32;
    const void *zero = is_double ? (const void *)zeros_64 : zeros_32;
    void *const *layouts = made->layouts;
    int error = blas.call.run(
        own->blas, made->operation, one, at[DEVICE_PRODUCT_RIGHT], layouts[DEVICE_PRODUCT_RIGHT],
        at[DEVICE_PRODUCT_LEFT], layouts[DEVICE_PRODUCT_LEFT], zero, at[DEVICE_PRODUCT_OUT],
        layouts[DEVICE_PRODUCT_OUT], at[DEVICE_PRODUCT_OUT], layouts[DEVICE_PRODUCT_OUT],
        choice->algorithm, (uint64_t)(uintptr_t)start->scratch, choice->workspace, stream);
    return error == 0 ? JG_OK : fail_call(&own->base, "cublasLtMatmul", error);
}

jg_status cuda_product_run(jg_device *device, void *opaque, void *made,
                           const device_product_start *start)
{
    cuda_queue *queue = opaque;
    cuda_device *own;
    JG_TRY(cuda_enter(device, &own));
    jg_status status = cuda_queue_catch_up(own, queue);
    if (status == JG_OK)
        status = run(own, queue->stream, made, start);
    cuda_leave();
    cuda_queue_note(queue, start->label);
    return status;
}
