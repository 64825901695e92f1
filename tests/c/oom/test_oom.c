/* SPDX-License-Identifier: Apache-2.0 */
/* Building, evaluating, importing and exporting while every allocation fails once. */
#include "attempts.h"

SCENARIO(build_and_evaluate_a_chain)
{
    jg_array *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    jg_status status;
    JG_TRY_DONE(array_of(size, &a));
    JG_TRY_DONE(jg_add(a, a, &b));
    JG_TRY_DONE(jg_exp(b, &c));
    JG_TRY_DONE(jg_multiply(c, b, &d));
    JG_TRY_DONE(jg_eval(1, &d));
done:
    release_all(4, (jg_array *[]){a, b, c, d});
    return status;
}

SCENARIO(evaluate_much_at_once)
{
    return build_and_evaluate_a_chain(size * 1000);
}

SCENARIO(reduce)
{
    jg_array *a = NULL, *sum = NULL, *mean = NULL, *most = NULL, *both = NULL;
    jg_status status;
    JG_TRY_DONE(jg_arange(JG_DTYPE_FLOAT16, integer_number(0), integer_number(size),
                          integer_number(1), &a));
    JG_TRY_DONE(jg_sum(a, -1, NULL, true, NULL, &sum));
    JG_TRY_DONE(jg_mean(a, -1, NULL, true, &mean));
    JG_TRY_DONE(jg_max(a, -1, NULL, true, &most));
    JG_TRY_DONE(jg_where(a, sum, most, &both));
    JG_TRY_DONE(jg_eval(2, (jg_array *[]){both, mean}));
done:
    release_all(5, (jg_array *[]){a, sum, mean, most, both});
    return status;
}

SCENARIO(multiply_matrices)
{
    jg_array *a = NULL, *b = NULL, *half = NULL, *product = NULL;
    const int64_t shape[] = {3, size}, back[] = {size, 3};
    jg_status status;
    JG_TRY_DONE(jg_empty(JG_DTYPE_FLOAT32, 2, shape, &a));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT16, 2, back, float_number(1), &half));
    JG_TRY_DONE(jg_add(half, half, &b));
    JG_TRY_DONE(jg_matmul(a, b, &product));
    JG_TRY_DONE(jg_eval(1, &product));
done:
    release_all(4, (jg_array *[]){a, b, half, product});
    return status;
}

SCENARIO(multiply_vectors)
{
    jg_array *a = NULL, *product = NULL;
    jg_number item;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_INT32, 1, &size, integer_number(1), &a));
    JG_TRY_DONE(jg_matmul(a, a, &product));
    JG_TRY_DONE(jg_array_item(product, &item));
done:
    release_all(2, (jg_array *[]){a, product});
    return status;
}

SCENARIO(update_a_slice)
{
    jg_array *a = NULL, *value = NULL, *updated = NULL;
    jg_status status;
    JG_TRY_DONE(array_of(size, &a));
    JG_TRY_DONE(jg_full(JG_DTYPE_INT8, 0, NULL, integer_number(1), &value));
    JG_TRY_DONE(jg_slice_update(a, ITEMS(EVERY(-2)), value, &updated));
done:
    release_all(3, (jg_array *[]){a, value, updated});
    return status;
}

SCENARIO(reshape_across_rows)
{
    jg_array *a = NULL, *turned = NULL, *flat = NULL;
    const int64_t shape[] = {size, 2}, all = -1;
    jg_status status;
    JG_TRY_DONE(jg_empty(JG_DTYPE_INT16, 2, shape, &a));
    JG_TRY_DONE(jg_matrix_transpose(a, &turned));
    JG_TRY_DONE(jg_reshape(turned, 1, &all, &flat));
    JG_TRY_DONE(jg_eval(1, &flat));
done:
    release_all(3, (jg_array *[]){a, turned, flat});
    return status;
}

SCENARIO(show_the_graph)
{
    jg_array *a = NULL, *sum = NULL;
    char *text = NULL;
    jg_status status;
    JG_TRY_DONE(array_of(size, &a));
    JG_TRY_DONE(jg_add(a, a, &sum));
    JG_TRY_DONE(jg_export_dot(1, &sum, &text));
done:
    release_all(2, (jg_array *[]){a, sum});
    jg_text_release(text);
    return status;
}

static int deleted; /* by the attempt that runs */

static void forget_deleted(void)
{
    deleted = 0;
}

static void count_deletion(DLManagedTensorVersioned *self)
{
    (void)self;
    deleted += 1;
}

static jg_status import_with(jg_copy_policy copy)
{
    static float data[6];
    int64_t shape[] = {2, 3};
    DLManagedTensorVersioned managed = {.version = {1, 0},
                                        .deleter = count_deletion,
                                        .dl_tensor = {.data = data,
                                                      .device = {kDLCPU, 0},
                                                      .ndim = 2,
                                                      .dtype = {kDLFloat, 32, 1},
                                                      .shape = shape}};
    jg_array *x = NULL;
    bool taken = true;
    jg_status status = jg_array_take_managed(&managed, copy, &x, &taken);
    if (status == JG_OK)
        jg_array_release(x);
    /* Refused, it is still the caller's; taken, it has been given back by now. */
    return taken == (status == JG_OK) && deleted == taken ? status : JG_ERR_INTERNAL;
}

SCENARIO(import_in_place)
{
    (void)size;
    return import_with(JG_COPY_NEVER);
}

SCENARIO(import_a_copy)
{
    (void)size;
    return import_with(JG_COPY_ALWAYS);
}

static jg_status export_with(int64_t size, jg_copy_policy copy)
{
    jg_array *a = NULL, *sum = NULL, *backwards = NULL;
    DLManagedTensorVersioned *out = NULL;
    DLManagedTensor *legacy = NULL;
    jg_status status;
    JG_TRY_DONE(array_of(size, &a));
    JG_TRY_DONE(jg_add(a, a, &sum));
    JG_TRY_DONE(jg_array_to_managed(sum, copy, &out));
    JG_TRY_DONE(jg_slice(sum, ITEMS(EVERY(-1)), &backwards));
    JG_TRY_DONE(jg_array_to_managed_legacy(backwards, JG_COPY_IF_NEEDED, &legacy));
done:
    release_all(3, (jg_array *[]){a, sum, backwards});
    if (out != NULL)
        out->deleter(out);
    if (legacy != NULL)
        legacy->deleter(legacy);
    return status;
}

SCENARIO(export_in_place)
{
    return export_with(size, JG_COPY_NEVER);
}

SCENARIO(export_a_copy)
{
    return export_with(size, JG_COPY_ALWAYS);
}

static void ignore_error(void *context, const char *kind, const char *message)
{
    (void)message;
    *(bool *)context = strcmp(kind, "MemoryError") == 0;
}

SCENARIO(allocate_for_others)
{
    DLTensor prototype = {
        .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &size};
    DLManagedTensorVersioned *out;
    bool told = false;
    if (jg_exchange_allocate(&prototype, &out, &told, ignore_error) != 0)
        return told ? JG_ERR_NOMEM : JG_ERR_INTERNAL;
    out->deleter(out);
    return JG_OK;
}

static int take_one_thread(void **state)
{
    (void)state;
    before_attempt = forget_deleted;
    return jg_option_set("num_threads", "1") == JG_OK ? 0 : -1;
}
BEFORE_ALL(take_one_thread)
