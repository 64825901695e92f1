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

/* What every reader must survive: the file cut short anywhere, and any byte replaced. What it takes
 * for good is evaluated. */
static inline void damage(const base_vec *file, loader *load)
{
    uint64_t random = 7;
    jg_tensors tensors;
    for (size_t i = 0; i < 4 * file->nbytes; ++i) {
        size_t nbytes = i < file->nbytes ? i : file->nbytes;
        char *bytes = base_alloc(nbytes + 1);
        memcpy(bytes, file->data, nbytes);
        if (i >= file->nbytes)
            bytes[i % file->nbytes] = (char)next_random(&random);
        jg_source *source;
        assert_ok(jg_source_take(bytes, nbytes, false, base_free, bytes, &source));
        if (load(source, &tensors) == JG_OK) {
            for (int k = 0; k < tensors.count; ++k)
                assert_ok(jg_eval(1, &tensors.items[k].array));
            jg_tensors_clear(&tensors);
        }
        jg_source_release(source);
    }
}

#endif
