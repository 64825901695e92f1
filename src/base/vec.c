/* SPDX-License-Identifier: Apache-2.0 */
/* A growable run of bytes: capacity doubles, contents move with it. */
#include "base/base.h"
#include <string.h>

jg_status vec_reserve(base_vec *vec, size_t nbytes)
{
    size_t capacity = vec->capacity ? vec->capacity : 256, needed;
    if (__builtin_add_overflow(vec->nbytes, nbytes, &needed))
        return base_nomem(nbytes, "a growing list");
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

void vec_clear(base_vec *vec)
{
    base_free(vec->data);
    *vec = (base_vec){0};
}
