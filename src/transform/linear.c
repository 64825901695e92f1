/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that follow from others: the tangent of a linear node is the node of the tangents, of a
 * bilinear one the sum of two; and a rule of one direction is differentiated for the other one.
 *
 * What a rule of tangents spells is linear in them, so the cotangents of its inputs do not depend
 * on their values: it is traced on placeholders. */
#include "transform/transform.h"

/* One array for each input of a node. */
typedef struct input_arrays {
    int count;
    jg_array **arrays; /* +1 each, or NULL */
    int32_t *slots;
} input_arrays;

static jg_status arrays_init(input_arrays *all, const jg_array *node)
{
    size_t count = (size_t)node->ninputs;
    all->count = 0;
    all->arrays = base_alloc_zeroed(count * (sizeof *all->arrays + sizeof *all->slots));
    if (all->arrays == NULL)
        return base_nomem(count * sizeof *all->arrays, "the derivative of an op");
    all->slots = (int32_t *)(void *)(all->arrays + count);
    all->count = node->ninputs;
    return JG_OK;
}

static void arrays_clear(input_arrays *all)
{
    for (int i = 0; i < all->count; ++i)
        jg_array_release(all->arrays[i]);
    base_free(all->arrays);
}

/* Indices, and inputs that are integers, stay as they are. */
static jg_status fill_linear(const jg_array *node, jg_array *const *tangents, input_arrays *all)
{
    jg_status status = JG_OK;
    for (int i = 0; i < node->ninputs && status == JG_OK; ++i) {
        jg_array *input = node->inputs[i];
        if (tangents[i] != NULL)
            status = transform_fit(input, tangents[i], &all->arrays[i]);
        else if (transform_has_derivative((jg_dtype)input->dtype))
            status = transform_zeros(input, &all->arrays[i]);
        else
            all->arrays[i] = jg_array_retain(input);
    }
    return status;
}

jg_status tangent_linear(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    input_arrays all;
    JG_TRY(arrays_init(&all, node));
    jg_status status = fill_linear(node, tangents, &all);
    if (status == JG_OK)
        status = node_rebuild(node, all.arrays, out);
    arrays_clear(&all);
    return status;
}

/* The node with the tangent instead of one input. */
static jg_status replace_one(jg_array *node, int input, jg_array *tangent, jg_array **out)
{
    input_arrays all;
    JG_TRY(arrays_init(&all, node));
    jg_status status = JG_OK;
    for (int i = 0; i < node->ninputs && status == JG_OK; ++i)
        if (i == input)
            status = transform_fit(node->inputs[i], tangent, &all.arrays[i]);
        else
            all.arrays[i] = jg_array_retain(node->inputs[i]);
    if (status == JG_OK)
        status = node_rebuild(node, all.arrays, out);
    arrays_clear(&all);
    return status;
}

jg_status tangent_bilinear(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *sum = NULL;
    for (int i = 0; i < node->ninputs && scope.status == JG_OK; ++i) {
        jg_array *share = NULL;
        if (tangents[i] == NULL)
            continue;
        jg_status status = replace_one(node, i, tangents[i], &share);
        share = scope_take(&scope, status, share);
        sum = sum == NULL ? share : scope_binary(&scope, jg_add, sum, share);
    }
    return scope_finish(&scope, sum, out);
}

/* Runs the pass from the spelled value to the markers, and gives the markers' cotangents to the
 * inputs. */
static jg_status reverse_through(reverse_pass *pass, const jg_array *node, input_arrays *markers,
                                 jg_array *value, jg_array *cotangent)
{
    transform_tape tape;
    input_arrays shares;
    int32_t slot;
    JG_TRY(arrays_init(&shares, node));
    jg_status status =
        tape_build(TAPE_REVERSE, markers->count, markers->arrays, 1, &value, &tape, &slot);
    if (status == JG_OK)
        status = reverse_run(&tape, 1, &slot, &cotangent, shares.arrays);
    for (int i = 0; i < shares.count && status == JG_OK; ++i)
        if (shares.arrays[i] != NULL)
            status = reverse_give(pass, i, shares.arrays[i]);
    tape_clear(&tape);
    arrays_clear(&shares);
    return status;
}

static jg_status make_placeholder(const jg_array *like, jg_array **out)
{
    jg_layout layout;
    JG_TRY(layout_init(&layout, like->ndim, node_shape(like)));
    return node_placeholder(like->device, (jg_dtype)like->dtype, &layout, out);
}

/* Inputs whose cotangent is not asked for have the tangent zero; their markers are never met. */
static jg_status mark_tangents(const reverse_pass *pass, const jg_array *node,
                               input_arrays *markers, input_arrays *tangents)
{
    jg_status status = JG_OK;
    for (int i = 0; i < node->ninputs && status == JG_OK; ++i) {
        status = make_placeholder(node->inputs[i], &markers->arrays[i]);
        if (status == JG_OK && reverse_wants(pass, i))
            tangents->arrays[i] = jg_array_retain(markers->arrays[i]);
    }
    return status;
}

jg_status tangent_cotangent(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    input_arrays markers, tangents;
    jg_array *value = NULL;
    JG_TRY(arrays_init(&markers, node));
    jg_status status = arrays_init(&tangents, node);
    if (status == JG_OK)
        status = mark_tangents(pass, node, &markers, &tangents);
    if (status == JG_OK)
        status = transform_row_of(node)->tangent(node, tangents.arrays, &value);
    if (status == JG_OK && value != NULL)
        status = reverse_through(pass, node, &markers, value, cotangent);
    jg_array_release(value);
    if (tangents.count > 0)
        arrays_clear(&tangents);
    arrays_clear(&markers);
    return status;
}

/* The spelled graph begins at the inputs themselves, except for views: for these it may make views
 * of their roots. */
static jg_status mark_inputs(const jg_array *node, input_arrays *markers)
{
    jg_status status = JG_OK;
    for (int i = 0; i < node->ninputs && status == JG_OK; ++i) {
        jg_array *input = node->inputs[i];
        if (input->primitive == PRIMITIVE_view)
            status = graph_unary(JG_OP_copy, input, &markers->arrays[i]);
        else
            markers->arrays[i] = jg_array_retain(input);
    }
    return status;
}

static jg_status spell_node(jg_array *node, input_arrays *markers, jg_array **value)
{
    JG_TRY(mark_inputs(node, markers));
    return transform_row_of(node)->spell(node, markers->arrays, value);
}

jg_status transform_spell_cotangent(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    input_arrays markers;
    jg_array *value = NULL;
    JG_TRY(arrays_init(&markers, node));
    jg_status status = spell_node(node, &markers, &value);
    if (status == JG_OK)
        status = reverse_through(pass, node, &markers, value, cotangent);
    jg_array_release(value);
    arrays_clear(&markers);
    return status;
}

jg_status transform_spell_tangent(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    input_arrays markers;
    transform_tape tape = {0};
    jg_array *value = NULL;
    int32_t slot;
    JG_TRY(arrays_init(&markers, node));
    jg_status status = spell_node(node, &markers, &value);
    if (status == JG_OK)
        status = tape_build(TAPE_FORWARD, markers.count, markers.arrays, 1, &value, &tape, &slot);
    if (status == JG_OK)
        status = forward_run(&tape, tangents, 1, &slot, out);
    tape_clear(&tape);
    jg_array_release(value);
    arrays_clear(&markers);
    return status;
}
