/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory for the tests of formats. */
#ifndef JG_TESTS_FILES_H
#define JG_TESTS_FILES_H

#include "../arrays.h"
#include <joggle/io.h>

static inline jg_status append(void *context, const void *bytes, size_t nbytes)
{
    return vec_append(context, bytes, nbytes);
}

/* A source over a copy that begins at a multiple of 64, as a mapped file would. */
static inline jg_source *source_over(const base_vec *file)
{
    jg_source *source;
    char *block = base_alloc_aligned(64, file->nbytes);
    assert_non_null(block);
    memcpy(block, file->data, file->nbytes);
    assert_ok(jg_source_take(block, file->nbytes, false, base_free, block, &source));
    return source;
}

static inline const void *data_of(jg_array *x)
{
    jg_view view;
    assert_ok(jg_array_view(x, &view));
    return (const char *)view.data + view.byte_offset;
}

/* Names and arrays as a file; the test keeps the arrays. */
#define TENSORS(...)                                                                               \
    {                                                                                              \
        .count = (int)(sizeof((jg_tensor[]){__VA_ARGS__}) / sizeof(jg_tensor)),                    \
        .items = (jg_tensor[])                                                                     \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

typedef jg_status loader(jg_source *source, jg_tensors *out);

static inline jg_status load_npy(jg_source *source, jg_tensors *out)
{
    jg_array *x;
    JG_TRY(jg_load_npy(source, 0, &x, NULL));
    jg_array_release(x);
    *out = (jg_tensors){0};
    return JG_OK;
}

/* Two readings of one file: the same names in the same order, with the same bytes. */
static inline void assert_same_tensors(const jg_tensors *x, const jg_tensors *y)
{
    assert_int_equal(x->count, y->count);
    for (int i = 0; i < x->count; ++i) {
        assert_string_equal(x->items[i].name, y->items[i].name);
        assert_int_equal(jg_array_nbytes(x->items[i].array), jg_array_nbytes(y->items[i].array));
        assert_memory_equal(data_of(x->items[i].array), data_of(y->items[i].array),
                            jg_array_nbytes(x->items[i].array));
    }
}

/* Loads a copy of the bytes and evaluates what there is. A refusal has one of the statuses that say
 * what is wrong with the file. gives: whether the file is refused; *out, if it is not */
static inline bool is_refused(const void *data, size_t nbytes, loader *load, jg_tensors *out)
{
    jg_source *source;
    char *bytes = base_alloc(nbytes + 1);
    memcpy(bytes, data, nbytes);
    assert_ok(jg_source_take(bytes, nbytes, false, base_free, bytes, &source));
    jg_status status = load(source, out);
    jg_source_release(source);
    if (status != JG_OK) {
        assert_true(status == JG_ERR_VALUE || status == JG_ERR_TYPE ||
                    status == JG_ERR_UNSUPPORTED || status == JG_ERR_NOMEM);
        return true;
    }
    for (int i = 0; i < out->count; ++i)
        assert_ok(jg_eval(1, &out->items[i].array));
    return false;
}

/* A file that is cut short within its first half is refused, as are some with another byte; the
 * rest can be evaluated. The file as it was reads the same before and after all of that. */
static inline void damage(const base_vec *file, loader *load)
{
    uint64_t random = 7;
    jg_tensors tensors, before, after;
    size_t nrefused = 0, nreplaced = 3 * file->nbytes;
    assert_false(is_refused(file->data, file->nbytes, load, &before));
    for (size_t nbytes = 0; nbytes < file->nbytes; ++nbytes) {
        bool refused = is_refused(file->data, nbytes, load, &tensors);
        assert_true(refused || nbytes > file->nbytes / 2);
        if (!refused)
            jg_tensors_clear(&tensors);
    }
    for (size_t i = 0; i < nreplaced; ++i) {
        char *byte = (char *)file->data + i % file->nbytes, old = *byte;
        *byte = (char)next_random(&random);
        bool refused = is_refused(file->data, file->nbytes, load, &tensors);
        *byte = old;
        nrefused += refused;
        if (!refused)
            jg_tensors_clear(&tensors);
    }
    assert_in_range(nrefused, nreplaced / 20, nreplaced - 1);
    assert_false(is_refused(file->data, file->nbytes, load, &after));
    assert_same_tensors(&before, &after);
    jg_tensors_clear(&before);
    jg_tensors_clear(&after);
}

#endif
