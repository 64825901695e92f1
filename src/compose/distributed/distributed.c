/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between processes. An op checks what this process can know; that the others call the
 * same op with an array of the same dtype and shape it cannot.
 *
 * A recorded function computes what does not depend on its arguments once, when it is recorded. So
 * a message there gets an argument as an input more, which is only waited for. */
#include "distributed/distributed.h"
#include "compose/compose.h"

/* The parameters of an op. */
typedef struct message_plan {
    jg_op op;
    message_kind kind;
    int64_t group, peer;
    int64_t rank, size; /* of the group */
} message_plan;

static jg_status open_group(message_plan *plan)
{
    JG_TRY(distributed_group(plan->group, &plan->rank, &plan->size));
    return graph_group_open(plan->group);
}

static jg_status check_host(const message_plan *plan, const jg_array *a)
{
    if (node_is_on_host(a))
        return JG_OK;
    return base_fail(JG_ERR_UNSUPPORTED,
                     "[%s] a: is on %s:%d, allowed are arrays on the CPU: move it first",
                     op_name(plan->op), jg_device_type_name(jg_array_device(a).type),
                     (int)jg_array_device(a).id);
}

static jg_status check_dtype(const message_plan *plan, jg_dtype dtype)
{
    bool ordered = plan->kind == MESSAGE_MAXIMUM || plan->kind == MESSAGE_MINIMUM;
    bool takes = dtype_is_half(dtype) || distributed_adds(dtype);
    if (takes && !(ordered && dtype_is_complex(dtype)))
        return JG_OK;
    return base_fail(JG_ERR_TYPE,
                     "[%s] a: got %s, allowed are bool, int8 to int64, uint8 to uint64, bfloat16, "
                     "float16 to float64%s",
                     op_name(plan->op), dtype_rows[dtype].name,
                     ordered ? "" : ", complex64 and complex128");
}

static jg_status check_peer(const message_plan *plan, const char *name)
{
    if (plan->size == 1)
        return base_fail(JG_ERR_VALUE,
                         "[%s] %s: got %lld, allowed is none: this process is alone in its group",
                         op_name(plan->op), name, (long long)plan->peer);
    if (plan->peer >= 0 && plan->peer < plan->size && plan->peer != plan->rank)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "[%s] %s: got %lld, allowed are 0 to %lld but %lld, the caller",
                     op_name(plan->op), name, (long long)plan->peer, (long long)plan->size - 1,
                     (long long)plan->rank);
}

/* Checks that the first axis can be divided into equal parts, one for each process. */
static jg_status check_parts(const message_plan *plan, const jg_array *a)
{
    if (a->ndim > 0 && a->dims[0] % plan->size == 0)
        return JG_OK;
    return base_fail(JG_ERR_VALUE,
                     "[%s] a: has a first extent of %lld, allowed are multiples of %lld, the "
                     "processes of the group",
                     op_name(plan->op), a->ndim > 0 ? (long long)a->dims[0] : 1LL,
                     (long long)plan->size);
}

/* Whether it is computed anew in each call of a function that is recorded. */
static bool depends(const jg_array *a)
{
    return node_flags(a) & NODE_READS_PLACEHOLDER;
}

/* Finds the array that is only waited for. gives: *out, +1; NULL if there is none */
static jg_status find_waited(const message_plan *plan, const jg_array *a, jg_array **out)
{
    const traced_call *call = traced_recorded();
    *out = NULL;
    if (call == NULL || (a != NULL && depends(a)))
        return JG_OK;
    if (call->argument == NULL)
        return base_fail(
            JG_ERR_UNSUPPORTED,
            "[%s] is called in %s, which is recorded and has no array as argument: calls "
            "would not repeat it; give it an array",
            op_name(plan->op), call->name);
    *out = jg_array_retain(call->argument);
    return JG_OK;
}

static jg_status make_node(const message_plan *plan, jg_array *a, const graph_result *as,
                           jg_array **out)
{
    const primitive_attributes attributes = {
        .message = {.group = plan->group, .kind = plan->kind, .peer = plan->peer}};
    jg_array *waited;
    JG_TRY(find_waited(plan, a, &waited));
    jg_array *inputs[] = {a, waited};
    jg_status status = graph_routine(plan->op, as->dtype, as->ndim, as->shape,
                                     waited != NULL ? 2 : 1, inputs, &attributes, out);
    jg_array_release(waited);
    return status;
}

/* a, row-major and with bools of 0 and 1, to a node of that shape. */
static jg_array *scope_message(compose_scope *scope, const message_plan *plan, jg_array *a,
                               int ndim, const int64_t *shape)
{
    jg_array *made = NULL;
    if (a == NULL)
        return NULL;
    jg_status status = compose_truth(a, &made);
    a = scope_take(scope, status, made);
    if (a == NULL)
        return NULL;
    status = graph_contiguous(a, &made);
    a = scope_take(scope, status, made);
    if (a == NULL)
        return NULL;
    const graph_result as = {(jg_dtype)a->dtype, ndim, shape};
    status = make_node(plan, a, &as, &made);
    return scope_take(scope, status, made);
}

/* Half precision is added up in float32. */
static jg_status reduce(message_plan *plan, jg_array *a, int64_t first_extent, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype = (jg_dtype)a->dtype;
    int64_t shape[JG_MAX_NDIM];
    for (int i = 0; i < a->ndim; ++i)
        shape[i] = i == 0 ? first_extent : a->dims[i];
    jg_array *wide = scope_cast(&scope, a, compose_wide(dtype));
    jg_array *made = scope_message(&scope, plan, wide, a->ndim, shape);
    return scope_finish(&scope, made != NULL ? scope_cast(&scope, made, dtype) : NULL, out);
}

static jg_status check_reduction(message_plan *plan, const jg_array *a)
{
    plan->peer = -1;
    JG_TRY(open_group(plan));
    JG_TRY(check_host(plan, a));
    return check_dtype(plan, (jg_dtype)a->dtype);
}

static jg_status all_reduce(jg_op op, message_kind kind, jg_array *a, int64_t group, jg_array **out)
{
    message_plan plan = {.op = op, .kind = kind, .group = group};
    JG_TRY(check_reduction(&plan, a));
    if (plan.size == 1)
        return graph_same(a, out);
    return reduce(&plan, a, a->ndim > 0 ? a->dims[0] : 1, out);
}

jg_status compose_distributed_all_sum(jg_array *a, int64_t group, jg_array **out)
{
    return all_reduce(JG_OP_distributed_all_sum, MESSAGE_SUM, a, group, out);
}

jg_status compose_distributed_all_max(jg_array *a, int64_t group, jg_array **out)
{
    return all_reduce(JG_OP_distributed_all_max, MESSAGE_MAXIMUM, a, group, out);
}

jg_status compose_distributed_all_min(jg_array *a, int64_t group, jg_array **out)
{
    return all_reduce(JG_OP_distributed_all_min, MESSAGE_MINIMUM, a, group, out);
}

jg_status compose_distributed_sum_scatter(jg_array *a, int64_t group, jg_array **out)
{
    message_plan plan = {
        .op = JG_OP_distributed_sum_scatter, .kind = MESSAGE_SUM_SCATTER, .group = group};
    JG_TRY(check_reduction(&plan, a));
    if (plan.size == 1)
        return graph_same(a, out);
    JG_TRY(check_parts(&plan, a));
    return reduce(&plan, a, a->dims[0] / plan.size, out);
}

static jg_status check_moved(message_plan *plan, const jg_array *a)
{
    JG_TRY(open_group(plan));
    JG_TRY(check_host(plan, a));
    return compose_check_bytes(a);
}

jg_status compose_distributed_all_gather(jg_array *a, int64_t group, jg_array **out)
{
    compose_scope scope = {0};
    message_plan plan = {
        .op = JG_OP_distributed_all_gather, .kind = MESSAGE_GATHER, .group = group, .peer = -1};
    int64_t shape[JG_MAX_NDIM];
    JG_TRY(check_moved(&plan, a));
    if (plan.size == 1)
        return a->ndim > 0 ? graph_same(a, out) : compose_new_axis(a, 0, out);
    for (int i = 1; i < a->ndim; ++i)
        shape[i] = a->dims[i];
    if (__builtin_mul_overflow(a->ndim > 0 ? a->dims[0] : 1, plan.size, &shape[0]))
        return base_fail(
            JG_ERR_VALUE,
            "[distributed_all_gather] a: has a first extent of %lld, allowed are such that "
            "%lld times as much is a number of 64 bits",
            (long long)a->dims[0], (long long)plan.size);
    int ndim = a->ndim > 0 ? a->ndim : 1;
    return scope_finish(&scope, scope_message(&scope, &plan, a, ndim, shape), out);
}

jg_status compose_distributed_send(jg_array *a, int64_t dst, int64_t group, jg_array **out)
{
    compose_scope scope = {0};
    message_plan plan = {
        .op = JG_OP_distributed_send, .kind = MESSAGE_SEND, .group = group, .peer = dst};
    JG_TRY(check_moved(&plan, a));
    JG_TRY(check_peer(&plan, "dst"));
    return scope_finish(&scope, scope_message(&scope, &plan, a, a->ndim, node_shape(a)), out);
}

static jg_status check_received(const message_plan *plan, int ndim, const int64_t *shape,
                                jg_dtype dtype)
{
    if (ndim < 0 || ndim > JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "[%s] shape: got %d axes, allowed are 0 to %d",
                         op_name(plan->op), ndim, JG_MAX_NDIM);
    for (int i = 0; i < ndim; ++i)
        if (shape[i] < 0)
            return base_fail(JG_ERR_VALUE,
                             "[%s] shape: got an extent of %lld, allowed are 0 and more",
                             op_name(plan->op), (long long)shape[i]);
    if (dtype < 0 || dtype >= JG_DTYPE_COUNT || dtype_rows[dtype].bits % 8 != 0)
        return base_fail(JG_ERR_TYPE, "[%s] dtype: got %s, allowed are those of whole bytes",
                         op_name(plan->op), jg_dtype_name(dtype));
    return JG_OK;
}

/* A node has one input at least: without a placeholder, a number. */
jg_status compose_distributed_recv(int ndim, const int64_t *shape, jg_dtype dtype, int64_t src,
                                   int64_t group, jg_array **out)
{
    message_plan plan = {
        .op = JG_OP_distributed_recv, .kind = MESSAGE_RECEIVE, .group = group, .peer = src};
    const graph_result as = {dtype, ndim, shape};
    jg_array *waited;
    JG_TRY(open_group(&plan));
    JG_TRY(check_peer(&plan, "src"));
    JG_TRY(check_received(&plan, ndim, shape, dtype));
    JG_TRY(find_waited(&plan, NULL, &waited));
    if (waited == NULL)
        JG_TRY(jg_full(JG_DTYPE_UINT8, 0, NULL, (jg_number){.kind = JG_KIND_INT}, &waited));
    const primitive_attributes attributes = {
        .message = {.group = group, .kind = MESSAGE_RECEIVE, .peer = src}};
    jg_status status = graph_routine(plan.op, as.dtype, ndim, shape, 1, &waited, &attributes, out);
    jg_array_release(waited);
    return status;
}
