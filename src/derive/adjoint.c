/* SPDX-License-Identifier: Apache-2.0 */
/* The adjoint of a kernel, from its parts: the passes that simplify it, the analysis, the
 * sweeps. */
#include "derive/adjoint.h"
#include "derive/check.h"
#include <stdio.h>
#include <string.h>

jg_status derive_arrays(const kernel_program *kernel, const jg_derived *asked, jg_derived *out)
{
    for (uint32_t a = 0; a < kernel->narrays; ++a) {
        const kernel_array *array = kernel_array_at(kernel, a);
        bool floating = dtype_is_floating((jg_dtype)array->dtype);
        out[a] = asked == NULL ? (floating ? JG_DERIVED_YES : JG_DERIVED_NO) : asked[a];
        if ((unsigned)out[a] > JG_DERIVED_SHARED)
            return base_fail(JG_ERR_VALUE,
                             "derivative of kernel %s: array %s got number %d, allowed are those "
                             "of jg_derived",
                             kernel_text(kernel, kernel->name), kernel_text(kernel, array->name),
                             (int)out[a]);
        if (out[a] != JG_DERIVED_NO && !floating)
            return base_fail(JG_ERR_TYPE,
                             "derivative of kernel %s: array %s is %s, allowed are floats",
                             kernel_text(kernel, kernel->name), kernel_text(kernel, array->name),
                             dtype_rows[array->dtype].name);
    }
    return JG_OK;
}

/* The shape of the array and strides of its own: declared extents hold for the gradient too,
 * strides do not. Takes a copy of the array, as adding one may move the others. */
static jg_status add_derived_array(kernel_program *to, const kernel_array *of, const char *suffix,
                                   uint32_t *out)
{
    char name[300];
    int64_t strides[KERNEL_MAX_NDIM];
    kernel_array array = *of;
    for (int d = 0; d < array.ndim; ++d)
        strides[d] = KERNEL_GIVEN;
    snprintf(name, sizeof name, "%.240s%.40s", kernel_text(to, array.name), suffix);
    size_t length = strlen(name);
    while (derive_has_array(to, name) && length + 1 < sizeof name) {
        name[length++] = '_';
        name[length] = '\0';
    }
    return kernel_add_array(to, name, (jg_dtype)array.dtype, array.ndim, array.extents,
                            array.dense ? NULL : strides, out);
}

jg_status derive_add_arrays(kernel_program *to, const jg_derived *which, const char *suffix,
                            uint32_t *out)
{
    uint32_t narrays = to->narrays;
    for (uint32_t a = 0; a < narrays; ++a)
        if (which[a] != JG_DERIVED_NO)
            JG_TRY(add_derived_array(to, kernel_array_at(to, a), suffix, &out[a]));
    kernel_order_parameters(to);
    return JG_OK;
}

/* Frees the parts that init_sweeps has made so far; the others are NULL. The flow belongs to the
 * caller. */
static void clear_sweeps(derive_sweeps *s)
{
    uint32_t *indices[] = {s->gradients, s->adjoints,      s->local_adjoints, s->kept,
                           s->counters,  s->carriers,      s->passes,         s->kept_counts,
                           s->counts,    s->reverse.values};
    for (size_t i = 0; i < JG_COUNT_OF(indices); ++i)
        base_free(indices[i]);
    base_free(s->is_private);
    base_free(s->is_left);
    rewrite_end(&s->forward);
}

/* The forward rewrite has been begun; the reverse one shares its scalars, which both sweeps
 * read. */
static jg_status init_sweeps(derive_sweeps *s)
{
    const kernel_program *kernel = s->flow.kernel;
    s->reverse = (derive_rewrite){kernel, s->to, derive_new_indices(kernel->nvalues), NULL};
    s->gradients = derive_new_indices(kernel->narrays);
    s->adjoints = derive_new_indices(kernel->nvalues);
    s->local_adjoints = derive_new_indices(kernel->nlocals);
    s->kept = derive_new_indices(kernel->nvalues);
    s->counters = derive_new_indices(kernel->ninsts);
    s->kept_counts = derive_new_indices(kernel->ninsts);
    s->counts = derive_new_indices(kernel->ninsts);
    s->carriers = derive_new_indices(kernel->ninsts);
    s->passes = derive_new_indices(kernel->ninsts);
    s->npasses = 1;
    s->is_private = base_alloc_zeroed((size_t)kernel->narrays + 1);
    s->is_left = base_alloc_zeroed((size_t)kernel->narrays + 1);
    s->region = KERNEL_NONE;
    if (s->reverse.values == NULL || s->gradients == NULL || s->adjoints == NULL ||
        s->local_adjoints == NULL || s->kept == NULL || s->counters == NULL ||
        s->kept_counts == NULL || s->counts == NULL || s->carriers == NULL || s->passes == NULL ||
        s->is_private == NULL || s->is_left == NULL)
        return base_nomem(kernel->ninsts, "the adjoint of a kernel");
    for (uint32_t v = 0; v < kernel->nscalars; ++v)
        s->reverse.values[v] = s->forward.values[v];
    for (uint32_t a = 0; a < kernel->narrays; ++a)
        s->is_left[a] = s->flow.gradients[a] == JG_DERIVED_READ && flow_is_stored_once(&s->flow, a);
    return JG_OK;
}

/* Names the new kernel and sweeps the whole of the old one. */
static jg_status sweep(derive_sweeps *s)
{
    JG_TRY(init_sweeps(s));
    JG_TRY(derive_add_arrays(s->to, s->flow.gradients, "_grad", s->gradients));
    JG_TRY(sweeps_region(s, 0, s->flow.kernel->ninsts));
    return kernel_verify(s->to);
}

/* Results are left out: the adjoint gives gradients, in arrays. */
static jg_status sweep_plain(const derive_flow *flow, kernel_program *out)
{
    kernel_program made;
    derive_sweeps s = {.flow = *flow, .to = &made};
    JG_TRY(rewrite_begin(flow->kernel, false, &made, &s.forward));
    jg_status status = sweep(&s);
    clear_sweeps(&s);
    if (status == JG_OK)
        *out = made;
    else
        kernel_clear(&made);
    return status;
}

/* The kernels that are derived from one analysis: the adjoint and, unless NULL, the check. */
typedef struct adjoint_results {
    kernel_program *adjoint, *check;
    bool *marked;
} adjoint_results;

/* Doubts that can only be decided at run time are left to the check (check.c). Doubts that the
 * check cannot decide are refused. check: NULL if none is wanted */
static jg_status check_flow(const derive_flow *flow, bool *marked, kernel_program *check)
{
    derive_doubts doubts;
    JG_TRY(doubts_find(flow, &doubts));
    jg_status status = check == NULL ? JG_OK : check_make(&doubts, marked, check);
    doubts_clear(&doubts);
    return status;
}

static jg_status derive_from(derive_flow *flow, const adjoint_results *out)
{
    JG_TRY(flow_check_order(flow));
    JG_TRY(flow_find_needs(flow));
    JG_TRY(check_flow(flow, out->marked, out->check));
    jg_status status = sweep_plain(flow, out->adjoint);
    if (status != JG_OK && out->check != NULL)
        kernel_clear(out->check);
    return status;
}

static jg_status adjoint_of_plain(const kernel_program *plain, const jg_derived *gradients,
                                  const adjoint_results *out)
{
    derive_flow flow;
    JG_TRY(flow_init(plain, gradients, &flow));
    jg_status status = derive_from(&flow, out);
    flow_clear(&flow);
    return status;
}

jg_status derive_make_plain(const kernel_program *kernel, kernel_program *out)
{
    kernel_program structured;
    JG_TRY(derive_structure(kernel, &structured));
    jg_status status = JG_OK;
#ifndef NDEBUG
    status = kernel_verify(&structured); /* as after every pass that makes a kernel */
#endif
    if (status == JG_OK)
        status = derive_promote(&structured, out);
    kernel_clear(&structured);
    if (status != JG_OK)
        return status;
    status = kernel_verify(out);
    if (status != JG_OK)
        kernel_clear(out);
    return status;
}

/* Arrays keep their numbers through all passes, so `which` holds for the plain kernel, too. */
static jg_status derive_results(const kernel_program *kernel, const jg_derived *gradients,
                                const adjoint_results *out)
{
    jg_derived which[KERNEL_MAX_ARRAYS];
    kernel_program plain;
    JG_TRY(derive_arrays(kernel, gradients, which));
    JG_TRY(derive_make_plain(kernel, &plain));
    jg_status status = adjoint_of_plain(&plain, which, out);
    kernel_clear(&plain);
    return status;
}

jg_status derive_adjoint(const kernel_program *kernel, const jg_derived *gradients,
                         kernel_program *out)
{
    return derive_results(kernel, gradients, &(adjoint_results){.adjoint = out});
}

jg_status derive_adjoint_and_check(const kernel_program *kernel, const jg_derived *gradients,
                                   kernel_program *adjoint, bool *marked, kernel_program *check)
{
    memset(marked, 0, kernel->narrays * sizeof *marked);
    return derive_results(kernel, gradients, &(adjoint_results){adjoint, check, marked});
}

jg_status derive_check(const kernel_program *kernel, const jg_derived *gradients, bool *marked,
                       kernel_program *out)
{
    jg_derived which[KERNEL_MAX_ARRAYS];
    kernel_program plain;
    derive_flow flow;
    *out = (kernel_program){0};
    memset(marked, 0, kernel->narrays * sizeof *marked);
    JG_TRY(derive_arrays(kernel, gradients, which));
    JG_TRY(derive_make_plain(kernel, &plain));
    jg_status status = flow_init(&plain, which, &flow);
    if (status == JG_OK) {
        status = flow_find_needs(&flow);
        if (status == JG_OK)
            status = check_flow(&flow, marked, out);
        flow_clear(&flow);
    }
    kernel_clear(&plain);
    return status;
}
