/* SPDX-License-Identifier: Apache-2.0 */
/* Products by cuBLASLt or hipBLASLt, which is opened when the first one is planned. The functions
 * of both are alike; vendors.c has the numbers in which they differ.
 *
 * The library thinks of columns: memory of a matrix by rows is, to it, the transposed matrix. So it
 * is asked for the transposed product, right operand first, and an operand whose columns lie in
 * memory one after the other is one that it transposes.
 *
 * cuBLASLt chooses an algorithm by the operands' alignment, which is known when a product runs. So
 * there are two choices: for addresses that are multiples of 16, and for any. */
#include "device/cuda/cuda.h"
#include <stdio.h>

/* Kinds of numbers, by the bits of a part, which both libraries count alike. */
enum {
    BLAS_REAL_32 = 0,
    BLAS_REAL_64 = 1,
    BLAS_REAL_16 = 2,
    BLAS_COMPLEX_32 = 4,
    BLAS_COMPLEX_64 = 5,
    BLAS_BFLOAT_16 = 14
};

/* The scratch memory that NVIDIA advises for Hopper. */
static const uint64_t workspace_limit = (uint64_t)32 << 20;

/* An answer of the heuristics: cuBLASLt's struct, which is the larger one. The algorithm comes
 * first. */
typedef struct blas_choice {
    _Alignas(8) char bytes[96];
} blas_choice;

typedef struct blas_library {
#define BLAS_CALL(name, function, hip_function, parameters) int(*name) parameters;
#include "device/cuda/blas.def"
#undef BLAS_CALL
} blas_library;

enum { FUNCTIONS = sizeof(blas_library) / sizeof(void (*)(void)) };

/* One for each vendor, by cuda_blas.number. */
static struct opened {
    pthread_once_t once;
    bool is_open;
    jg_error failure; /* of a library that was named and is not there */
    blas_library call;
} libraries[2] = {{.once = PTHREAD_ONCE_INIT}, {.once = PTHREAD_ONCE_INIT}};

static const cuda_blas *blas_of(const cuda_device *own)
{
    return own->driver->vendor->blas;
}

static const blas_library *calls_of(const cuda_device *own)
{
    return &libraries[blas_of(own)->number].call;
}

/* How the library makes products of a dtype: the kind of their numbers, whether the sums are of
 * float64, and the kind of the factors beside them. float16 and bfloat16 are summed in float32;
 * float32 is never rounded. */
typedef struct blas_type {
    uint8_t dtype, numbers;
    bool is_double;
    uint8_t factors;
} blas_type;

static const blas_type types[] = {
    {JG_DTYPE_FLOAT16, BLAS_REAL_16, false, BLAS_REAL_32},
    {JG_DTYPE_BFLOAT16, BLAS_BFLOAT_16, false, BLAS_REAL_32},
    {JG_DTYPE_FLOAT32, BLAS_REAL_32, false, BLAS_REAL_32},
    {JG_DTYPE_FLOAT64, BLAS_REAL_64, true, BLAS_REAL_64},
    {JG_DTYPE_COMPLEX64, BLAS_COMPLEX_32, false, BLAS_COMPLEX_32},
    {JG_DTYPE_COMPLEX128, BLAS_COMPLEX_64, true, BLAS_COMPLEX_64},
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

static jg_status fail_named(const cuda_blas *blas, const char *named)
{
    return base_fail(JG_ERR_DEVICE,
                     "%s: got '%s', allowed are a folder that has %s.so, the name of its file, and "
                     "none",
                     blas->variable, named, blas->library.names[0]);
}

/* If no library is named by the option and none is found, that is no failure. */
static void open_library(const cuda_blas *blas)
{
    struct opened *opened = &libraries[blas->number];
    const char *named = option_text(blas->option);
    if (strcmp(named, "none") == 0)
        return;
    void *library = cuda_library_open(&blas->library, named);
    if (library == NULL && *named != '\0')
        error_capture(&opened->failure, fail_named(blas, named));
    if (library == NULL)
        return;
    opened->is_open = base_bind(library, FUNCTIONS, blas->symbols, &opened->call) == NULL;
}

static void open_nvidia(void)
{
    open_library(cuda_nvidia.blas);
}

static void open_amd(void)
{
    open_library(cuda_amd.blas);
}

static jg_status fail_call(const cuda_device *own, const char *call, int error)
{
    const cuda_blas *blas = blas_of(own);
    bool memory = error == blas->no_memory;
    return base_fail(memory ? JG_ERR_NOMEM : JG_ERR_DEVICE, "%s%s:%d: %s: error %d of %s",
                     memory ? "out of memory: " : "", own->base.ops->name, own->ordinal, call,
                     error, blas->name);
}

static const blas_type *find_type(uint8_t dtype)
{
    for (size_t i = 0; i < JG_COUNT_OF(types); ++i)
        if (types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

static bool has_type(const cuda_blas *blas, const blas_type *type)
{
    bool is_real = type->factors == BLAS_REAL_32 || type->factors == BLAS_REAL_64;
    return blas->sums_64 != 0 || (is_real && !type->is_double);
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
    int error = own->blas == NULL ? calls_of(own)->handle_new(&handle) : 0;
    if (error != 0)
        status = fail_call(own, blas_of(own)->symbols[0], error);
    else if (handle != NULL)
        own->blas = handle;
    pthread_mutex_unlock(&own->opening);
    return status;
}

static int make_layout(const cuda_device *own, const stored *matrix, int numbers, int64_t batch,
                       void **out)
{
    const blas_library *call = calls_of(own);
    const cuda_blas *blas = blas_of(own);
    int32_t count = (int32_t)batch;
    int error = call->layout_new(out, numbers, (uint64_t)matrix->rows, (uint64_t)matrix->columns,
                                 matrix->lead);
    if (error == 0 && batch > 1)
        error = call->layout_set(*out, blas->batch_count, &count, sizeof count);
    if (error == 0 && batch > 1)
        error = call->layout_set(*out, blas->batch_stride, &matrix->batch_stride,
                                 sizeof matrix->batch_stride);
    return error;
}

static int make_operation(const cuda_device *own, cuda_product *made, const stored *matrices)
{
    const blas_library *call = calls_of(own);
    const cuda_blas *blas = blas_of(own);
    int32_t transposed = blas->transposed;
    int sums = made->type->is_double ? blas->sums_64 : blas->sums_32;
    int error = call->operation_new(&made->operation, sums, made->type->factors);
    if (error == 0 && matrices[DEVICE_PRODUCT_RIGHT].transposed)
        error = call->operation_set(made->operation, blas->transpose_first, &transposed,
                                    sizeof transposed);
    if (error == 0 && matrices[DEVICE_PRODUCT_LEFT].transposed)
        error = call->operation_set(made->operation, blas->transpose_second, &transposed,
                                    sizeof transposed);
    return error;
}

static int make_preference(const cuda_device *own, uint32_t alignment, void **out)
{
    const blas_library *call = calls_of(own);
    const cuda_blas *blas = blas_of(own);
    int error = call->preference_new(out);
    if (error == 0)
        error =
            call->preference_set(*out, blas->workspace, &workspace_limit, sizeof workspace_limit);
    for (int i = 0; i < 4 && blas->alignment != 0 && error == 0; ++i)
        error = call->preference_set(*out, blas->alignment + i, &alignment, sizeof alignment);
    return error;
}

static size_t workspace_of(const cuda_device *own, const blas_choice *choice)
{
    size_t nbytes;
    memcpy(&nbytes, choice->bytes + blas_of(own)->workspace_at, sizeof nbytes);
    return nbytes;
}

/* gives: false where the library makes no such product of such an alignment */
static bool choose(const cuda_device *own, cuda_product *made, uint32_t alignment, blas_choice *out)
{
    const blas_library *call = calls_of(own);
    void *preference = NULL;
    int count = 0, refused;
    void *const *layouts = made->layouts;
    int error = make_preference(own, alignment, &preference);
    if (error == 0)
        error = call->choose(own->blas, made->operation, layouts[DEVICE_PRODUCT_RIGHT],
                             layouts[DEVICE_PRODUCT_LEFT], layouts[DEVICE_PRODUCT_OUT],
                             layouts[DEVICE_PRODUCT_OUT], preference, 1, out, &count);
    if (preference != NULL)
        (void)call->preference_free(preference);
    memcpy(&refused, out->bytes + blas_of(own)->error_at, sizeof refused);
    return error == 0 && count == 1 && refused == 0;
}

static int numbers_of(const cuda_product *made, int buffer)
{
    return made->widens && buffer == DEVICE_PRODUCT_OUT ? BLAS_REAL_32 : made->type->numbers;
}

/* The context is current. gives: false where the library does not make the product */
static bool ready(const cuda_device *own, const device_product *product, const stored *matrices,
                  cuda_product *made)
{
    int error = make_operation(own, made, matrices);
    for (int b = 0; b < DEVICE_PRODUCT_BUFFERS && error == 0; ++b)
        error =
            make_layout(own, &matrices[b], numbers_of(made, b), product->batch, &made->layouts[b]);
    return error == 0 && choose(own, made, 16, &made->choices[0]) &&
           choose(own, made, made->alignment, &made->choices[1]);
}

void cuda_product_free(jg_device *device, void *opaque)
{
    const blas_library *call = calls_of(cuda_of(device));
    cuda_product *made = opaque;
    for (int b = 0; b < DEVICE_PRODUCT_BUFFERS; ++b)
        if (made->layouts[b] != NULL)
            (void)call->layout_free(made->layouts[b]);
    if (made->operation != NULL)
        (void)call->operation_free(made->operation);
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
    cuda_device *own = cuda_of(device);
    const blas_type *type = find_type(product->dtype);
    *out = NULL;
    if (type == NULL || !has_type(blas_of(own), type) || !describe(product, matrices))
        return JG_OK;
    struct opened *opened = &libraries[blas_of(own)->number];
    pthread_once(&opened->once, blas_of(own) == cuda_nvidia.blas ? open_nvidia : open_amd);
    if (opened->failure.status != JG_OK)
        return error_raise(&opened->failure);
    if (!opened->is_open)
        return JG_OK;
    JG_TRY(make(own, product, matrices, &made));
    if (made != NULL)
        *scratch_nbytes =
            size_max(workspace_of(own, &made->choices[0]), workspace_of(own, &made->choices[1]));
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
    const void *one = made->type->is_double ? (const void *)ones_64 : ones_32;
    const void *zero = made->type->is_double ? (const void *)zeros_64 : zeros_32;
    void *const *layouts = made->layouts;
    int error = calls_of(own)->run(
        own->blas, made->operation, one, at[DEVICE_PRODUCT_RIGHT], layouts[DEVICE_PRODUCT_RIGHT],
        at[DEVICE_PRODUCT_LEFT], layouts[DEVICE_PRODUCT_LEFT], zero, at[DEVICE_PRODUCT_OUT],
        layouts[DEVICE_PRODUCT_OUT], at[DEVICE_PRODUCT_OUT], layouts[DEVICE_PRODUCT_OUT],
        choice->bytes, (uint64_t)(uintptr_t)start->scratch, workspace_of(own, choice), stream);
    return error == 0 ? JG_OK : fail_call(own, blas_of(own)->run_name, error);
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
