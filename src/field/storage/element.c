/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of fields: scalars in a small shape, or named members. An element never changes, so
 * elements are shared freely. */
#include "field/field.h"
#include <inttypes.h>
#include <string.h>

/* One block holds the element, its members and the text of their names. */
static jg_status alloc_element(size_t nbytes, jg_element **out)
{
    jg_element *element = base_alloc_zeroed(nbytes);
    if (element == NULL)
        return base_nomem(nbytes, "an element of fields");
    atomic_init(&element->refs, 1);
    *out = element;
    return JG_OK;
}

/* Fields are for kernels, which have no complex numbers and nothing that is only stored. */
static jg_status check_dtype(jg_dtype dtype)
{
    bool known = (unsigned)dtype < JG_DTYPE_COUNT;
    if (known && dtype_rows[dtype].computable && !dtype_is_complex(dtype))
        return JG_OK;
    return base_fail(JG_ERR_TYPE, "dtype: got %s, allowed are bool, integers and real floats",
                     known ? dtype_rows[dtype].name : "no dtype");
}

jg_status jg_element_new(jg_dtype dtype, int ndim, const int64_t *extents, jg_element **out)
{
    jg_element *element = NULL;
    int64_t size = 1;
    JG_TRY(check_dtype(dtype));
    if (ndim < 0 || ndim > JG_ELEMENT_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "ndim: got %d axes of an element, allowed 0 to %d", ndim,
                         JG_ELEMENT_MAX_NDIM);
    /* At most INT32_MAX scalars: with the largest dtype their bytes still fit an int64. */
    for (int i = 0; i < ndim; ++i)
        if (extents[i] < 1 || __builtin_mul_overflow(size, extents[i], &size) || size > INT32_MAX)
            return base_fail(
                JG_ERR_VALUE,
                "extents: got %" PRId64
                " along axis %d of an element, allowed is 1 or more, and %d scalars in all",
                extents[i], i, INT32_MAX);
    JG_TRY(alloc_element(sizeof *element, &element));
    element->dtype = dtype;
    element->ndim = ndim;
    element->size = size;
    for (int i = 0; i < ndim; ++i)
        element->extents[i] = extents[i];
    *out = element;
    return JG_OK;
}

static jg_status check_names(int count, const char *const *names)
{
    if (count < 1)
        return base_fail(JG_ERR_VALUE, "members: got %d, allowed is 1 or more", count);
    for (int i = 0; i < count; ++i) {
        if (names[i] == NULL || names[i][0] == '\0')
            return base_fail(
                JG_ERR_VALUE,
                "members: number %d has no name, allowed are names of a character or more", i);
        for (int j = 0; j < i; ++j)
            if (strcmp(names[i], names[j]) == 0)
                return base_fail(JG_ERR_VALUE,
                                 "members: %s is there twice; allowed is each name once", names[i]);
    }
    return JG_OK;
}

/* The lengths include the final zeros. */
static size_t names_nbytes(int count, const char *const *names)
{
    size_t nbytes = 0;
    for (int i = 0; i < count; ++i)
        nbytes += strlen(names[i]) + 1;
    return nbytes;
}

jg_status jg_element_new_struct(int count, const char *const *names, jg_element *const *members,
                                jg_element **out)
{
    jg_element *element = NULL;
    JG_TRY(check_names(count, names));
    size_t table = (size_t)count * sizeof *element->members;
    JG_TRY(alloc_element(sizeof *element + table + names_nbytes(count, names), &element));
    char *text = (char *)element->members + table;
    element->dtype = JG_DTYPE_OPAQUE;
    element->count = count;
    for (int i = 0; i < count; ++i) {
        size_t nbytes = strlen(names[i]) + 1;
        element->members[i] =
            (element_member){memcpy(text, names[i], nbytes), jg_element_retain(members[i])};
        text += nbytes;
    }
    *out = element;
    return JG_OK;
}

jg_element *jg_element_retain(jg_element *element)
{
    atomic_fetch_add_explicit(&element->refs, 1, memory_order_relaxed);
    return element;
}

void jg_element_release(jg_element *element)
{
    if (element == NULL || atomic_fetch_sub_explicit(&element->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (int i = 0; i < element->count; ++i)
        jg_element_release(element->members[i].element);
    base_free(element);
}

jg_dtype jg_element_dtype(const jg_element *element)
{
    return element->dtype;
}

int jg_element_ndim(const jg_element *element)
{
    return element->ndim;
}

const int64_t *jg_element_extents(const jg_element *element)
{
    return element->extents;
}

int jg_element_count(const jg_element *element)
{
    return element->count;
}

const char *jg_element_name(const jg_element *element, int member)
{
    return member >= 0 && member < element->count ? element->members[member].name : NULL;
}

jg_element *jg_element_member(const jg_element *element, int member)
{
    return member >= 0 && member < element->count ? element->members[member].element : NULL;
}
