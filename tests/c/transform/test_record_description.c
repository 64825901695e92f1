/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorded function tells of itself. */
#include "../arrays.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

/* The record of x -> the sum of x * c over the first axis, and c. */
static jg_record *record_sum(jg_array *c)
{
    const int64_t axis = 0;
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2, 3)), *marker, *product, *outputs[2] = {0};
    jg_recording *recording;
    jg_record *record;
    assert_ok(jg_recording_begin("f", 1, &x, &marker, &recording));
    assert_ok(jg_multiply(marker, c, &product));
    assert_ok(jg_sum(product, 1, &axis, false, NULL, &outputs[0]));
    outputs[1] = c;
    assert_ok(jg_recording_end(recording, 2, outputs, &record));
    release_all(4, (jg_array *[]){x, marker, product, outputs[0]});
    return record;
}

TEST(nodes_are_told_after_their_inputs)
{
    jg_array *c = counting(JG_DTYPE_FLOAT32, SHAPE(3));
    jg_record *record = record_sum(c);
    jg_record_counts counts = jg_record_count(record);
    assert_int_equal(counts.arguments, 1);
    assert_int_equal(counts.keys, 0);
    assert_int_equal(counts.outputs, 2);
    for (int i = 0; i < counts.nodes; ++i) {
        jg_record_node node;
        assert_ok(jg_record_node_at(record, i, &node));
        assert_int_equal(node.number, counts.arguments + i);
        for (int j = 0; j < node.ninputs; ++j)
            assert_true(node.numbers[j] < node.number);
    }
    jg_record_release(record);
    jg_array_release(c);
}

TEST(attributes_are_told_by_name)
{
    jg_array *c = counting(JG_DTYPE_FLOAT32, SHAPE(3));
    jg_record *record = record_sum(c);
    jg_record_node node;
    jg_record_attribute attribute;
    int last = jg_record_count(record).nodes - 1;
    assert_ok(jg_record_node_at(record, last, &node));
    assert_string_equal(node.primitive, "reduce_add");
    assert_int_equal(node.nattributes, 1);
    assert_ok(jg_record_attribute_at(record, last, 0, &attribute));
    assert_string_equal(attribute.name, "axes");
    assert_int_equal(attribute.kind, JG_RECORD_LIST);
    assert_int_equal(attribute.count, 1);
    assert_int_equal(attribute.integers[0], 0);
    jg_record_release(record);
    jg_array_release(c);
}

TEST(an_output_is_a_number_or_a_constant)
{
    jg_array *c = counting(JG_DTYPE_FLOAT32, SHAPE(3));
    jg_record *record = record_sum(c);
    const jg_array *constant;
    int32_t number;
    assert_ok(jg_record_output_at(record, 0, &number, &constant));
    assert_int_equal(number, jg_record_count(record).nodes);
    assert_null(constant);
    assert_ok(jg_record_output_at(record, 1, &number, &constant));
    assert_int_equal(number, -1);
    assert_ptr_equal(constant, c);
    jg_record_release(record);
    jg_array_release(c);
}

TEST(numbers_that_a_record_does_not_have_are_refused)
{
    jg_array *c = counting(JG_DTYPE_FLOAT32, SHAPE(3));
    jg_record *record = record_sum(c);
    jg_record_node node;
    jg_record_attribute attribute;
    const jg_array *array;
    int32_t number;
    assert_int_equal(jg_record_node_at(record, -1, &node), JG_ERR_VALUE);
    assert_int_equal(jg_record_node_at(record, 1000, &node), JG_ERR_VALUE);
    assert_int_equal(jg_record_attribute_at(record, 0, 1000, &attribute), JG_ERR_VALUE);
    assert_int_equal(jg_record_argument_at(record, 1, &array), JG_ERR_VALUE);
    assert_int_equal(jg_record_output_at(record, 2, &number, &array), JG_ERR_VALUE);
    jg_record_release(record);
    jg_array_release(c);
}

/* The record of (x, y) -> y + y. */
static jg_record *record_second(jg_array *x, jg_array *y)
{
    jg_array *markers[2], *sum;
    jg_recording *recording;
    jg_record *record;
    assert_ok(jg_recording_begin("f", 2, (jg_array *[]){x, y}, markers, &recording));
    assert_ok(jg_add(markers[1], markers[1], &sum));
    assert_ok(jg_recording_end(recording, 1, &sum, &record));
    release_all(3, (jg_array *[]){markers[0], markers[1], sum});
    return record;
}

TEST(an_argument_that_is_not_read_may_be_left_out)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2, 3)),
             *y = counting(JG_DTYPE_FLOAT32, SHAPE(3));
    jg_record *record = record_second(x, y);
    jg_array *sum;
    assert_false(jg_record_reads(record, 0));
    assert_true(jg_record_reads(record, 1));
    assert_false(jg_record_reads(record, -1) || jg_record_reads(record, 2));
    assert_ok(jg_record_call(record, 2, (jg_array *[]){NULL, y}, &sum));
    assert_elements(sum, 2, 4, 6);
    jg_array_release(sum);
    assert_int_equal(jg_record_call(record, 2, (jg_array *[]){x, NULL}, &sum), JG_ERR_VALUE);
    assert_string_equal(jg_error_message(), "inputs: number 1 is NULL, allowed are arrays");
    assert_fails_saying(JG_ERR_VALUE,
                        "inputs: number 0 is float32 (3,) with strides (1,) on cpu:0, allowed is "
                        "what the function is for, float32 (2, 3) with strides (3, 1)",
                        jg_record_call(record, 2, (jg_array *[]){y, y}, &sum));
    assert_int_equal(jg_record_call(record, 2, NULL, &sum), JG_ERR_VALUE);
    jg_record_release(record);
    release_all(2, (jg_array *[]){x, y});
}
