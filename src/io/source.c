/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that arrays lie over: a mapped file or a caller's memory, with a reference count. The
 * handle has a reference and so has each array; the last one releases the bytes.
 *
 * A mapping is private and may be written (memory/mapping.c handles a file that is cut short): an
 * array over it can be exported to consumers that write it, and the file is not changed. It does
 * not count as memory in use, as the system can reclaim its pages. */
#include "io/io.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* bytes, nbytes and the release do not change once it is made. release may be NULL. An empty file
 * is not mapped, and has none either. */
struct jg_source {
    atomic_int refs;
    bool read_only;
    memory_mapping *mapping; /* of a file */
    void *bytes;
    size_t nbytes;
    void (*release)(void *context);
    void *context;
};

/* gives: *out, +1, without a release */
static jg_status new_source(void *bytes, size_t nbytes, jg_source **out)
{
    jg_source *source = base_alloc_zeroed(sizeof *source);
    if (source == NULL)
        return base_nomem(sizeof *source, "a source");
    atomic_store_explicit(&source->refs, 1, memory_order_relaxed);
    source->bytes = bytes;
    source->nbytes = nbytes;
    *out = source;
    return JG_OK;
}

/* errno is that of the call that failed. */
static jg_status fail_system(const char *doing)
{
    return base_fail(JG_ERR_IO, "[load] cannot %s the file: %s", doing, strerror(errno));
}

/* gives: *out, +1, with the bytes, which after a failure stay the caller's */
static jg_status map_source(void *bytes, int descriptor, const char *path,
                            const struct stat *status, jg_source **out)
{
    jg_source *source = NULL;
    JG_TRY(new_source(bytes, (size_t)status->st_size, &source));
    jg_status result = JG_OK;
    if (bytes != NULL)
        result = mapping_add(bytes, descriptor, path, status, &source->mapping);
    if (result == JG_OK)
        *out = source;
    else
        base_free(source);
    return result;
}

/* gives: a static string, of what is no regular file */
static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

jg_status jg_source_map(int descriptor, const char *path, jg_source **out)
{
    struct stat status;
    void *bytes = NULL;
    if (fstat(descriptor, &status) != 0)
        return fail_system("look at");
    if (!S_ISREG(status.st_mode))
        return base_fail(JG_ERR_IO,
                         "[load] file: got %s, allowed is a regular file, which can be mapped",
                         kind_of(status.st_mode));
    /* The system maps no empty file; such a source has no bytes at all. */
    if (status.st_size > 0)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    if (bytes == MAP_FAILED)
        return fail_system("map");
    jg_status result = map_source(bytes, descriptor, path, &status, out);
    if (result != JG_OK && bytes != NULL)
        munmap(bytes, (size_t)status.st_size);
    return result;
}

jg_status jg_source_open(const char *path, jg_source **out)
{
    if (path == NULL)
        return base_fail(JG_ERR_VALUE, "[load] path: got NULL, allowed is a path");
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return base_fail(JG_ERR_IO, "[load] cannot open the file '%.500s': %s", path,
                         strerror(errno));
    jg_status status = jg_source_map(descriptor, path, out);
    close(descriptor);
    return status;
}

jg_status jg_source_take(const void *data, size_t nbytes, bool read_only,
                         void (*release)(void *context), void *context, jg_source **out)
{
    JG_TRY(new_source((void *)(uintptr_t)data, nbytes, out));
    (*out)->read_only = read_only;
    (*out)->release = release;
    (*out)->context = context;
    return JG_OK;
}

size_t jg_source_nbytes(const jg_source *source)
{
    return source->nbytes;
}

const uint8_t *io_source_bytes(const jg_source *source)
{
    return source->bytes;
}

void jg_source_release(jg_source *source)
{
    if (source == NULL || atomic_fetch_sub_explicit(&source->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (source->mapping != NULL) {
        mapping_remove(source->mapping);
        munmap(source->bytes, source->nbytes);
    } else if (source->release != NULL) {
        source->release(source->context);
    }
    base_free(source);
}

static void release_reference(void *context)
{
    jg_source_release(context);
}

/* An array in place, whose buffer has a reference to the source. The bytes have been checked to be
 * there and to be aligned. */
static jg_status share(jg_source *source, size_t offset, jg_dtype dtype, int ndim,
                       const int64_t *shape, jg_array **out)
{
    jg_view view;
    jg_device_id cpu = {JG_DEVICE_CPU, 0};
    JG_TRY(jg_view_init(&view, (char *)source->bytes + offset, cpu, dtype, 1, ndim, shape, NULL,
                        source->read_only ? JG_VIEW_READ_ONLY : 0));
    atomic_fetch_add_explicit(&source->refs, 1, memory_order_relaxed);
    jg_status status = jg_array_take_view(&view, JG_COPY_NEVER, release_reference, source, out);
    if (status != JG_OK)
        jg_source_release(source);
    else if (source->mapping != NULL)
        atomic_fetch_or_explicit(&(*out)->buffer->flags, BUFFER_FILE, memory_order_relaxed);
    return status;
}

jg_status io_source_check(const jg_source *source, jg_status status)
{
    jg_status whole = mapping_check(source->mapping);
    return whole != JG_OK ? whole : status;
}

/* Whether bytes have to be exchanged: those of complex elements within each part. */
static bool is_swapped(const io_elements *elements)
{
    return elements->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) &&
           dtype_itemsize(dtype_real_part(elements->dtype)) > 1;
}

/* Whether the elements can be used in place. Those of less than a byte have no alignment. */
static bool lies_well(const jg_source *source, size_t offset, const io_elements *elements)
{
    size_t alignment = dtype_itemsize(dtype_real_part(elements->dtype));
    if (elements->dtype == JG_DTYPE_BOOL || is_swapped(elements))
        return false;
    return alignment == 0 || ((uintptr_t)source->bytes + offset) % alignment == 0;
}

/* x, a vector of bytes, with those of each element's parts in reverse. */
static jg_array *swapped(compose_scope *scope, jg_array *x, const io_elements *elements)
{
    const int64_t last = -1;
    const int64_t part = (int64_t)dtype_itemsize(dtype_real_part(elements->dtype));
    const int64_t pairs[] = {x->size / part, part};
    jg_array *rows = scope_shaped(scope, jg_reshape, x, 2, pairs);
    jg_array *turned = scope_shaped(scope, jg_flip, rows, 1, &last);
    return scope_shaped(scope, jg_reshape, turned, 1, &x->size);
}

/* The elements as a graph over an array of their bytes: bytes reversed if needed, then given their
 * dtype and their shape. Nothing is read before it is evaluated. */
static jg_status compute(jg_source *source, size_t offset, size_t nbytes,
                         const io_elements *elements, jg_array **out)
{
    compose_scope scope = {0};
    const int64_t count = (int64_t)nbytes;
    jg_array *bytes = NULL, *typed = NULL;
    jg_status status = share(source, offset, JG_DTYPE_UINT8, 1, &count, &bytes);
    bytes = scope_take(&scope, status, bytes);
    if (bytes != NULL && is_swapped(elements))
        bytes = swapped(&scope, bytes, elements);
    if (bytes != NULL) {
        status = jg_bitcast(bytes, elements->dtype, &typed);
        typed = scope_take(&scope, status, typed);
    }
    jg_array *shaped = scope_shaped(&scope, jg_reshape, typed, elements->ndim, elements->shape);
    return scope_finish(&scope, shaped, out);
}

/* Without adding offset and nbytes, which may overflow; in the message the sum is only printed. */
static jg_status check_bounds(const jg_source *source, uint64_t offset, size_t nbytes,
                              const io_elements *elements)
{
    if (offset <= source->nbytes && nbytes <= source->nbytes - offset)
        return JG_OK;
    return base_fail(JG_ERR_VALUE,
                     "[load] %s: %s wants bytes %" PRIu64 " to %" PRIu64
                     ", allowed is up to %zu, which the file has",
                     elements->format, elements->name, offset, offset + nbytes, source->nbytes);
}

/* Sizes first: shape_size and dtype_nbytes refuse what would overflow. */
jg_status io_source_array(jg_source *source, uint64_t offset, const io_elements *elements,
                          jg_array **out, size_t *nbytes)
{
    int64_t size;
    JG_TRY(shape_size(elements->ndim, elements->shape, &size));
    JG_TRY(dtype_nbytes(elements->dtype, size, nbytes));
    JG_TRY(check_bounds(source, offset, *nbytes, elements));
    if (size == 0)
        return jg_empty(elements->dtype, elements->ndim, elements->shape, out);
    if (lies_well(source, offset, elements))
        return share(source, offset, elements->dtype, elements->ndim, elements->shape, out);
    return compute(source, offset, *nbytes, elements, out);
}
