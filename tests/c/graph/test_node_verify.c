/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that break a rule, as a wrong rewrite would make them, are refused with the reason. Members
 * are changed in place and set back, as nodes are freed by them. */
#include "../arrays.h"
#include "graph/graph.h"

static jg_array *a, *b, *sum,
    *total; /* int8 (2, 1); int16 (3); int16 (2, 3); its sum over axis 1 */

static int begin(void **state)
{
    (void)state;
    assert_ok(jg_empty(JG_DTYPE_INT8, SHAPE(2, 1), &a));
    assert_ok(jg_empty(JG_DTYPE_INT16, SHAPE(3), &b));
    assert_ok(jg_add(a, b, &sum));
    assert_ok(jg_max(sum, 1, (int64_t[]){1}, false, &total));
    assert_ok(node_verify(sum));
    assert_ok(node_verify(total));
    return 0;
}

static int end(void **state)
{
    (void)state;
    release_all(4, (jg_array *[]){a, b, sum, total});
    return 0;
}

#define REFUSED(fault, node) assert_fails_saying(JG_ERR_INTERNAL, fault, node_verify(node))

TEST(the_size_is_that_of_the_shape)
{
    sum->size = 5;
    REFUSED("[add] node: got 5 elements, allowed are the 6 of its shape", sum);
}

TEST(the_shape_is_what_the_inputs_broadcast_to)
{
    sum->dims[0] = 3;
    sum->dims[1] = 2;
    REFUSED("[add] node: got shape (3, 2), allowed is that which its inputs broadcast to", sum);
    sum->dims[0] = 2; /* an axis that no input has */
    sum->dims[1] = 3;
    sum->inputs[1] = a;
    REFUSED("[add] node: got shape (2, 3)", sum);
    sum->inputs[1] = b;
    assert_ok(node_verify(sum));
}

TEST(the_dtype_is_what_the_rule_of_the_row_gives)
{
    sum->dtype = JG_DTYPE_INT32;
    REFUSED("[add] node: got dtype int32, allowed is int16", sum);
    total->dtype = JG_DTYPE_FLOAT32;
    REFUSED("[max] node: got dtype float32, allowed is int32", total);
}

TEST(a_cast_has_the_dtype_that_was_asked_for)
{
    jg_array *cast;
    assert_ok(jg_astype(sum, JG_DTYPE_FLOAT64, &cast));
    assert_ok(node_verify(cast));
    jg_array_release(cast);
}

TEST(an_elementwise_node_has_one_to_three_inputs)
{
    sum->ninputs = 0;
    REFUSED("[add] node: got 0 inputs, allowed are 1 to 3", sum);
    sum->ninputs = 2;
}

TEST(a_reduction_has_the_axes_that_remain)
{
    total->attributes.reduce.axes = 1;
    REFUSED("[max] node: got shape (2,), allowed is that which its input has without", total);
    total->attributes.reduce.axes = 1u << 2;
    REFUSED("[max] node: got the set of axes 4, allowed are 2 axes", total);
}

TEST(inputs_are_on_the_device_of_the_node)
{
    sum->device = 1;
    REFUSED("[add] node: got input 0 on device 0, allowed is the node's, 1", sum);
    sum->device = 0;
}

TEST(a_result_is_one_of_those_that_the_call_has)
{
    jg_array *x;
    jg_array_list factors;
    assert_ok(jg_empty(JG_DTYPE_FLOAT64, SHAPE(3, 3), &x));
    assert_ok(jg_linalg_qr(x, false, &factors));
    jg_array *q = node_root(factors.arrays[0]), *r = node_root(factors.arrays[1]);
    assert_int_equal(q->nresults, 2);
    assert_ok(node_verify(q));
    assert_ok(node_verify_siblings(2, (jg_array *[]){q, r}));
    assert_fails_saying(JG_ERR_INTERNAL,
                        "[linalg_qr] node: got result 0 beside result 0 of linalg_qr",
                        node_verify_siblings(2, (jg_array *[]){q, q}));
    assert_fails_saying(JG_ERR_INTERNAL, "[add] node: got result 0 beside result 0 of linalg_qr",
                        node_verify_siblings(2, (jg_array *[]){q, sum}));
    q->result = GRAPH_MAX_RESULTS;
    REFUSED("[linalg_qr] node: got result 7, allowed are those below 2", q);
    q->result = 0;
    jg_array_list_clear(&factors);
    jg_array_release(x);
}

TEST(a_result_of_a_call_becomes_only_what_it_was_said_to_be)
{
    jg_array *other, *wide;
    assert_ok(node_verify_becomes(sum, sum));
    assert_ok(jg_multiply(a, b, &other));
    assert_fails_saying(JG_ERR_INTERNAL, "[add] node: got the inputs of multiply",
                        node_verify_becomes(sum, other));
    assert_ok(jg_add(sum, sum, &wide));
    assert_ok(node_verify_becomes(sum, wide));
    wide->dtype = JG_DTYPE_INT32;
    assert_fails_saying(JG_ERR_INTERNAL, "[add] node: got dtype int32, allowed is int16",
                        node_verify_becomes(sum, wide));
    release_all(2, (jg_array *[]){other, wide});
    assert_ok(jg_add(b, b, &wide));
    assert_fails_saying(JG_ERR_INTERNAL, "[add] node: got shape (3,), allowed is that which the",
                        node_verify_becomes(sum, wide));
    jg_array_release(wide);
}

/* A function of a batch whose rule is wrong. Nothing but a changed table could make one, so the
 * node that is batched is changed instead. */
static jg_status doubled_as_int32(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                                  jg_array **outputs)
{
    (void)context, (void)ninputs, (void)noutputs;
    JG_TRY(jg_add(inputs[0], inputs[0], &outputs[0]));
    outputs[0]->dtype = JG_DTYPE_INT32;
    return JG_OK;
}

TEST(batching_is_checked_where_rewrites_are)
{
    const int64_t axis = 0;
    bool verifies = graph_verifies;
    jg_array *out;
    graph_verifies = true;
    assert_fails_saying(JG_ERR_INTERNAL, "[add] node: got dtype int32, allowed is int16",
                        jg_vmap(doubled_as_int32, NULL, 1, &sum, &axis, 1, &out, &axis));
    graph_verifies = verifies;
}

TEST(the_tests_check_rewrites)
{
    assert_true(graph_verifies); /* by JOGGLE_VERIFY, which tests/c/meson.build sets */
}

BEFORE_EACH(begin)
AFTER_EACH(end)
