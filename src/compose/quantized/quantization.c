/* SPDX-License-Identifier: Apache-2.0 */
/* The modes of quantised matrices, and the checks of the arguments that describe one: of the mode,
 * the group size and the width first, then of w, its scales and its biases against those. */
#include "compose/quantized/quantize.h"
#include <string.h>

#define GROUPS(a, b, c)                                                                            \
    {                                                                                              \
        a, b, c                                                                                    \
    }
/* The widths and group sizes that each mode allows. The first group size and the default width
 * differ by mode. */
typedef struct mode_row {
    int group, bits;
    int groups[3];
    unsigned widths; /* a bit for each */
    const char *groups_text, *widths_text;
} mode_row;

/* 0x17e: bits 1 to 6 and 8. */
static const mode_row modes[quantized_mode_count] = {
    [QUANTIZED_AFFINE] = {64, 4, GROUPS(32, 64, 128), 0x17e, "32, 64 and 128", "1 to 6 and 8"},
    [QUANTIZED_MXFP4] = {32, 4, GROUPS(32, 32, 32), 1u << 4, "32", "4"},
    [QUANTIZED_MXFP8] = {32, 8, GROUPS(32, 32, 32), 1u << 8, "32", "8"},
    [QUANTIZED_NVFP4] = {16, 4, GROUPS(16, 16, 16), 1u << 4, "16", "4"},
};

static jg_status find_mode(const char *op, const char *name, quantized_mode *out)
{
    for (int i = 0; i < quantized_mode_count; ++i)
        if (strcmp(op_quantized_mode_texts[i], name) == 0) {
            *out = (quantized_mode)i;
            return JG_OK;
        }
    return base_fail(JG_ERR_VALUE,
                     "[%s] mode: got \"%s\", allowed are \"affine\", \"mxfp4\", \"mxfp8\" and "
                     "\"nvfp4\"",
                     op, name);
}

static bool is_group(const mode_row *row, int64_t size)
{
    return size == row->groups[0] || size == row->groups[1] || size == row->groups[2];
}

static bool is_width(const mode_row *row, int64_t bits)
{
    return bits >= 0 && bits <= 8 && (row->widths >> bits & 1) != 0;
}

bool compose_is_quantization(quantized_mode mode, int64_t bits, int64_t group)
{
    return is_width(&modes[mode], bits) && is_group(&modes[mode], group);
}

jg_status quantization_read(jg_op op, const char *mode, const int64_t *group_size,
                            const int64_t *bits, quantization *out)
{
    quantization scheme = {.op = op_name(op), .dtype = JG_DTYPE_FLOAT32};
    JG_TRY(find_mode(scheme.op, mode, &scheme.mode));
    const mode_row *row = &modes[scheme.mode];
    int64_t group = group_size != NULL ? *group_size : row->group;
    int64_t width = bits != NULL ? *bits : row->bits;
    if (!is_group(row, group))
        return base_fail(JG_ERR_VALUE, "[%s] group_size: got %lld, allowed for %s is %s", scheme.op,
                         (long long)group, mode, row->groups_text);
    if (!is_width(row, width))
        return base_fail(JG_ERR_VALUE, "[%s] bits: got %lld, allowed for %s is %s", scheme.op,
                         (long long)width, mode, row->widths_text);
    scheme.group = (int)group;
    scheme.bits = (int)width;
    *out = scheme;
    return JG_OK;
}

jg_status quantization_check_global(const quantization *scheme, const jg_array *global_scale)
{
    if (global_scale == NULL)
        return JG_OK;
    if (scheme->mode != QUANTIZED_NVFP4)
        return base_fail(JG_ERR_VALUE,
                         "[%s] global_scale: got one with mode \"%s\", allowed with \"nvfp4\" only",
                         scheme->op, op_quantized_mode_texts[scheme->mode]);
    if (global_scale->size != 1 || !dtype_is_single_or_half((jg_dtype)global_scale->dtype))
        return base_fail(
            JG_ERR_VALUE, "[%s] global_scale: got %s of %lld elements, allowed is one float",
            scheme->op, dtype_rows[global_scale->dtype].name, (long long)global_scale->size);
    return JG_OK;
}

int64_t quantization_columns(const quantization *scheme, const jg_array *w)
{
    return w->dims[w->ndim - 1] * 32 / scheme->bits;
}

/* One element for each group of w's rows. */
static jg_status check_groups(const quantization *scheme, const char *name, const jg_array *w,
                              const jg_array *x)
{
    char text[200];
    int64_t groups = quantization_columns(scheme, w) / scheme->group;
    bool fits = x->ndim == w->ndim && x->dims[x->ndim - 1] == groups;
    for (int i = 0; fits && i < w->ndim - 1; ++i)
        fits = x->dims[i] == w->dims[i];
    if (fits)
        return JG_OK;
    return base_fail(
        JG_ERR_VALUE,
        "[%s] %s: got shape %s, allowed is that of w with %lld, the groups of a row, last",
        scheme->op, name, text_extents(text, sizeof text, x->ndim, x->dims), (long long)groups);
}

static jg_status check_words(const quantization *scheme, const jg_array *w)
{
    if (w->dtype != JG_DTYPE_UINT32)
        return base_fail(JG_ERR_TYPE, "[%s] w: got %s, allowed is uint32", scheme->op,
                         dtype_rows[w->dtype].name);
    if (w->ndim < 2)
        return base_fail(JG_ERR_VALUE, "[%s] w: got %d axes, allowed is 2 or more", scheme->op,
                         w->ndim);
    if (w->dims[w->ndim - 1] * 32 % ((int64_t)scheme->bits * scheme->group) != 0)
        return base_fail(
            JG_ERR_VALUE, "[%s] w: got %lld words in a row, allowed are whole groups of %d",
            scheme->op, (long long)w->dims[w->ndim - 1], scheme->bits * scheme->group / 32);
    return JG_OK;
}

/* The checks start with w's words, which determine the most; then come scales against w, and biases
 * against scales. */
jg_status quantization_check(const quantization *scheme, const jg_array *w, const jg_array *scales,
                             const jg_array *biases, const jg_array *global_scale)
{
    bool affine = scheme->mode == QUANTIZED_AFFINE;
    JG_TRY(check_words(scheme, w));
    if (affine ? !dtype_is_single_or_half((jg_dtype)scales->dtype)
               : scales->dtype != JG_DTYPE_UINT8)
        return base_fail(JG_ERR_TYPE, "[%s] scales: got %s, allowed for %s is %s", scheme->op,
                         dtype_rows[scales->dtype].name, op_quantized_mode_texts[scheme->mode],
                         affine ? "float16, bfloat16 and float32" : "uint8");
    JG_TRY(check_groups(scheme, "scales", w, scales));
    if (affine != (biases != NULL))
        return base_fail(JG_ERR_VALUE, "[%s] biases: got %s, allowed for mode \"%s\" is %s",
                         scheme->op, affine ? "none" : "an array",
                         op_quantized_mode_texts[scheme->mode], affine ? "an array" : "none");
    if (affine && biases->dtype != scales->dtype)
        return base_fail(JG_ERR_TYPE, "[%s] biases: got %s, allowed is %s, as of scales",
                         scheme->op, dtype_rows[biases->dtype].name,
                         dtype_rows[scales->dtype].name);
    if (affine)
        JG_TRY(check_groups(scheme, "biases", w, biases));
    return quantization_check_global(scheme, global_scale);
}

jg_status quantization_check_matrix(const quantization *scheme, const char *name, const jg_array *w)
{
    if (!dtype_is_single_or_half((jg_dtype)w->dtype))
        return base_fail(JG_ERR_TYPE, "[%s] %s: got %s, allowed are float16, bfloat16 and float32",
                         scheme->op, name, dtype_rows[w->dtype].name);
    if (w->ndim < 2 || w->ndim >= JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "[%s] %s: got %d axes, allowed are 2 to %d", scheme->op,
                         name, w->ndim, JG_MAX_NDIM - 1);
    if (w->dims[w->ndim - 1] % scheme->group != 0)
        return base_fail(JG_ERR_VALUE,
                         "[%s] %s: got %lld elements in a row, allowed are whole groups of %d",
                         scheme->op, name, (long long)w->dims[w->ndim - 1], scheme->group);
    return JG_OK;
}
