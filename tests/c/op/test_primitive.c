/* SPDX-License-Identifier: Apache-2.0 */
/* The table of primitives: its rows, and keys and texts of attributes. */
#include "../support.h"
#include "op/op.h"

TEST(names_are_unique)
{
    for (int i = 0; i < PRIMITIVE_COUNT; ++i) {
        assert_non_null(primitive_rows[i].name);
        for (int j = 0; j < i; ++j)
            assert_string_not_equal(primitive_rows[i].name, primitive_rows[j].name);
    }
}

TEST(attributes_lie_side_by_side)
{
    for (int i = 0; i < PRIMITIVE_COUNT; ++i) {
        const primitive_row *row = &primitive_rows[i];
        int end = 0;
        for (int k = 0; k < row->nattributes; ++k) {
            const primitive_attribute *attribute = &row->attributes[k];
            assert_true(attribute->offset >= end);
            end = attribute->offset + attribute->nbytes;
            assert_int_equal(attribute->type == ATTRIBUTE_CHOICE, attribute->options != NULL);
        }
        assert_true(end <= row->nbytes);
        assert_true(row->nbytes <= sizeof(primitive_attributes));
    }
}

TEST(every_reduction_has_its_axes_first)
{
    for (int i = 0; i < PRIMITIVE_COUNT; ++i)
        if (primitive_rows[i].kind == PRIMITIVE_REDUCTION) {
            assert_int_equal(primitive_rows[i].nattributes, 1);
            assert_int_equal(primitive_rows[i].attributes[0].type, ATTRIBUTE_AXES);
            assert_int_equal(primitive_rows[i].attributes[0].offset, 0);
        }
}

TEST(every_label_has_its_primitive)
{
    assert_int_equal(op_primitive(JG_OP_add), PRIMITIVE_add);
    assert_int_equal(op_primitive(JG_OP_positive), PRIMITIVE_copy);
    assert_int_equal(op_primitive(JG_OP_any), PRIMITIVE_reduce_maximum);
    assert_int_equal(op_primitive(JG_OP_cummax), PRIMITIVE_cumulative);
    assert_int_equal(op_primitive(JG_OP_square), PRIMITIVE_none);
    assert_int_equal(op_primitive(JG_OP_view), PRIMITIVE_view);
}

/* The bytes between the members may be anything. */
static size_t key_of(jg_primitive primitive, const primitive_attributes *from, char *key)
{
    return (size_t)(primitive_rows[primitive].write_key(from, key) - key);
}

TEST(keys_tell_attributes_apart_and_not_padding)
{
    char keys[3][sizeof(primitive_attributes)];
    primitive_attributes one, two, other;
    memset(&one, 0x00, sizeof one);
    memset(&two, 0xff, sizeof two);
    one.cumulative.axis = two.cumulative.axis = 3;
    one.cumulative.reverse = two.cumulative.reverse = true;
    one.cumulative.initial = two.cumulative.initial = false;
    one.cumulative.kind = two.cumulative.kind = CUMULATIVE_MAXIMUM;
    other = one;
    other.cumulative.initial = true;
    size_t nbytes = key_of(PRIMITIVE_cumulative, &one, keys[0]);
    assert_int_equal(key_of(PRIMITIVE_cumulative, &two, keys[1]), nbytes);
    assert_int_equal(key_of(PRIMITIVE_cumulative, &other, keys[2]), nbytes);
    assert_memory_equal(keys[0], keys[1], nbytes);
    assert_memory_not_equal(keys[0], keys[2], nbytes);
}

TEST(numbers_are_not_in_the_key)
{
    char key[sizeof(primitive_attributes)];
    const primitive_attributes full = {.full = {.value = {.i64 = 7}}};
    assert_int_equal(key_of(PRIMITIVE_full, &full, key), 0);
}

static void check_text(jg_primitive primitive, const primitive_attributes *attributes,
                       const char *expected)
{
    base_text text = {0};
    char *made;
    primitive_print_attributes(primitive, attributes, &text);
    assert_ok(text_finish(&text, &made));
    assert_string_equal(made, expected);
    base_free(made);
    text_clear(&text);
}

TEST(attributes_are_printed_by_their_types)
{
    check_text(PRIMITIVE_cumulative,
               &(primitive_attributes){
                   .cumulative = {.axis = 1, .reverse = true, .kind = CUMULATIVE_LOG_SUM}},
               "axis=1, reverse=true, initial=false, kind=log_sum");
    check_text(PRIMITIVE_reduce_add, &(primitive_attributes){.reduce_add = {.axes = 5}},
               "axes={0 2}");
    check_text(PRIMITIVE_hadamard,
               &(primitive_attributes){.hadamard = {.factor = 12, .scale = 0.5}},
               "factor=12, scale=0.5");
    check_text(PRIMITIVE_scatter,
               &(primitive_attributes){.scatter = {.axes = 1, .mode = JG_SCATTER_ADD}},
               "axes={0}, mode=add");
    check_text(PRIMITIVE_pool, &(primitive_attributes){.pool = {.window = {1, 2, 3}, .mean = true}},
               "window=(1, 2, 3), stride=(0, 0, 0), dilation=(0, 0, 0), before=(0, 0, 0), "
               "after=(0, 0, 0), mean=true, channels_first=false, without_padding=false, "
               "divisor=0");
    check_text(PRIMITIVE_add, NULL, "");
}
