/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that a file's text is made of: members of objects in their order, dtypes with shapes,
 * and the attributes of primitives, as the table of op/primitive.def has them. */
#include "function/function.h"
#include <stdio.h>
#include <string.h>

/* The next string must be that one. */
static jg_status expect_text(io_cursor *text, const char *wanted, const char *what)
{
    char *found;
    JG_TRY(json_text(text, &found));
    bool same = strcmp(found, wanted) == 0;
    base_free(found);
    return same ? JG_OK : json_fail(text, what);
}

/* Reads a comma (not before the first member), the name of a member and the colon. */
jg_status function_text_member(io_cursor *text, bool first, const char *name)
{
    char what[96];
    snprintf(what, sizeof what, "behind the member '%s'", name);
    JG_TRY(json_expect(text, first ? '{' : ','));
    JG_TRY(expect_text(text, name, what));
    return json_expect(text, ':');
}

jg_status function_text_integer(io_cursor *text, int64_t *out)
{
    bool negative = json_accept(text, '-');
    JG_TRY(json_count(text, out));
    if (negative)
        *out = -*out;
    return JG_OK;
}

jg_status function_text_count(io_cursor *text, int64_t limit, int *out)
{
    int64_t count;
    JG_TRY(json_count(text, &count));
    if (count > limit)
        return json_fail(text, "behind a number that is small enough");
    *out = (int)count;
    return JG_OK;
}

/* A list of as many integers as it has, at most `limit`. */
static jg_status read_list(io_cursor *text, int limit, int64_t *out, int *count)
{
    *count = 0;
    JG_TRY(json_expect(text, '['));
    if (json_accept(text, ']'))
        return JG_OK;
    do {
        if (*count == limit)
            return json_fail(text, "a number that there is room for");
        JG_TRY(function_text_integer(text, &out[*count]));
        *count += 1;
    } while (json_accept(text, ','));
    return json_expect(text, ']');
}

static jg_status find_dtype(io_cursor *text, const char *name, jg_dtype *out)
{
    for (int dtype = 0; dtype < JG_DTYPE_COUNT; ++dtype)
        if (dtype_is_castable((jg_dtype)dtype) && strcmp(dtype_rows[dtype].name, name) == 0) {
            *out = (jg_dtype)dtype;
            return JG_OK;
        }
    return json_fail(text, "behind the name of a dtype that values may have");
}

/* "dtype":...,"shape":[...]: the size is one that an array may have. */
jg_status function_text_type(io_cursor *text, bool first, jg_dtype *dtype, int *ndim,
                             int64_t *shape)
{
    char *name;
    int64_t size;
    JG_TRY(function_text_member(text, first, "dtype"));
    JG_TRY(json_text(text, &name));
    jg_status status = find_dtype(text, name, dtype);
    base_free(name);
    JG_TRY(status);
    JG_TRY(function_text_member(text, false, "shape"));
    JG_TRY(read_list(text, JG_MAX_NDIM, shape, ndim));
    JG_TRY(shape_size(*ndim, shape, &size));
    if (size > INT64_MAX / 64)
        return json_fail(text, "behind the shape of an array that can be");
    return JG_OK;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static jg_status read_bits(io_cursor *text, uint8_t *out, size_t nbytes)
{
    char *digits;
    JG_TRY(json_text(text, &digits));
    bool fits = strlen(digits) == 2 * nbytes;
    for (size_t i = 0; fits && i < nbytes; ++i) {
        int high = digit_of(digits[2 * i]), low = digit_of(digits[2 * i + 1]);
        fits = high >= 0 && low >= 0;
        out[i] = (uint8_t)(fits ? high << 4 | low : 0);
    }
    base_free(digits);
    return fits ? JG_OK : json_fail(text, "behind the bytes of a number");
}

static jg_status read_axes(io_cursor *text, uint64_t *out)
{
    int64_t axes[JG_MAX_NDIM];
    int count;
    *out = 0;
    JG_TRY(read_list(text, JG_MAX_NDIM, axes, &count));
    for (int i = 0; i < count; ++i) {
        if (axes[i] < 0 || axes[i] >= JG_MAX_NDIM)
            return json_fail(text, "behind a list of axes");
        *out |= UINT64_C(1) << axes[i];
    }
    return JG_OK;
}

static jg_status read_space(io_cursor *text, int64_t *out)
{
    int count;
    JG_TRY(read_list(text, PRIMITIVE_SPACE_AXES, out, &count));
    return count == PRIMITIVE_SPACE_AXES ? JG_OK : json_fail(text, "behind three numbers");
}

/* Choices are enums, of which unsigned is the type. */
static jg_status read_choice(io_cursor *text, const primitive_attribute *row, void *to)
{
    char *name;
    JG_TRY(json_text(text, &name));
    unsigned choice = 0;
    while (choice < row->noptions && strcmp(row->options[choice], name) != 0)
        ++choice;
    base_free(name);
    if (choice == row->noptions)
        return json_fail(text, "behind a choice that the attribute has");
    memcpy(to, &choice, sizeof choice);
    return JG_OK;
}

static jg_status read_attribute(io_cursor *text, const primitive_attribute *row, char *at)
{
    int flag = 0;
    switch ((attribute_type)row->type) {
    case ATTRIBUTE_INTEGER: return function_text_integer(text, (int64_t *)(void *)at);
    case ATTRIBUTE_AXES: return read_axes(text, (uint64_t *)(void *)at);
    case ATTRIBUTE_SPACE: return read_space(text, (int64_t *)(void *)at);
    case ATTRIBUTE_CHOICE: return read_choice(text, row, at);
    case ATTRIBUTE_REAL:
    case ATTRIBUTE_NUMBER: return read_bits(text, (uint8_t *)at, row->nbytes);
    case ATTRIBUTE_FLAG: break;
    }
    JG_TRY(function_text_count(text, 1, &flag));
    *(bool *)at = flag != 0;
    return JG_OK;
}

static jg_status read_view(io_cursor *text, function_node *node, int *count)
{
    JG_TRY(function_text_member(text, true, "offset"));
    JG_TRY(function_text_integer(text, &node->offset));
    JG_TRY(function_text_member(text, false, "strides"));
    JG_TRY(read_list(text, JG_MAX_NDIM, node->strides, count));
    return json_expect(text, '}');
}

/* nstrides: of a view */
jg_status function_text_attributes(io_cursor *text, function_node *node, int *nstrides)
{
    const primitive_row *row = &primitive_rows[node->primitive];
    char *bytes = (char *)&node->attributes;
    JG_TRY(function_text_member(text, false, "attributes"));
    if (node->primitive == PRIMITIVE_view)
        return read_view(text, node, nstrides);
    for (int i = 0; i < row->nattributes; ++i) {
        JG_TRY(function_text_member(text, i == 0, row->attributes[i].name));
        JG_TRY(read_attribute(text, &row->attributes[i], bytes + row->attributes[i].offset));
    }
    if (row->nattributes == 0)
        JG_TRY(json_expect(text, '{'));
    return json_expect(text, '}');
}
