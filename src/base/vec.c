/* SPDX-License-Identifier: Apache-2.0 */
/* A growable run of bytes: capacity doubles, contents move with it. */
#include "base/base.h"
#include <string.h>

/* Makes the capacity `needed` at least. After a failure the vector is as it was. */
static jg_status reserve(base_vec *vec, size_t needed)
{
    size_t capacity = vec->capacity ? vec->capacity : 256;
    while (capacity < needed) {
        if (capacity > SIZE_MAX / 2)
            return base_nomem(needed, "a growing list");
        capacity *= 2;
    }
    char *data = base_alloc(capacity);
    if (data == NULL)
        return base_nomem(capacity, "a growing list");
    if (vec->nbytes > 0)
        memcpy(data, vec->data, vec->nbytes);
    base_free(vec->data);
    vec->data = data;
    vec->capacity = capacity;
    return JG_OK;
}

jg_status vec_grow(base_vec *vec, size_t nbytes, void **out)
{
    size_t needed;
    if (__builtin_add_overflow(vec->nbytes, nbytes, &needed))
        return base_nomem(nbytes, "a growing list");
    if (JG_UNLIKELY(needed > vec->capacity))
        JG_TRY(reserve(vec, needed));
    *out = vec->data + vec->nbytes;
    vec->nbytes = needed;
    return JG_OK;
}

jg_status vec_append(base_vec *vec, const void *bytes, size_t nbytes)
{
    void *to;
    if (nbytes == 0)
        return JG_OK;
    JG_TRY(vec_grow(vec, nbytes, &to));
    memcpy(to, bytes, nbytes);
    return JG_OK;
}

void vec_clear(base_vec *vec)
{
    base_free(vec->data);
    *vec = (base_vec){0};
}
