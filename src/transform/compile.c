/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are recorded at the first call for each kind of arguments. The lock is held while
 * the list of records changes, never while the function runs, which may call compiled functions. */
#include "transform/tracing.h"
#include <pthread.h>
#include <string.h>

/* All but refs and records stays as it was made; `lock` guards the records. */
struct jg_compiled {
    atomic_int refs;
    jg_function *function;
    void *context;
    void (*release)(void *context);
    base_vec records; /* jg_record *, +1 each, ordered by last use; the latest is last */
    char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the records of all functions */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void hold_over_forks(void)
{
    fork_hold(&lock);
}

jg_status jg_compile(const char *name, jg_function *function, void *context,
                     void (*release)(void *context), jg_compiled **out)
{
    name = name != NULL ? name : "a function";
    size_t length = strlen(name) + 1, nbytes = sizeof(jg_compiled) + length;
    if (function == NULL)
        return base_fail(JG_ERR_VALUE, "function: got NULL, allowed is a function");
    jg_compiled *compiled = base_alloc_zeroed(nbytes);
    if (compiled == NULL)
        return base_nomem(nbytes, "a compiled function");
    pthread_once(&once, hold_over_forks);
    atomic_init(&compiled->refs, 1);
    compiled->function = function;
    compiled->context = context;
    compiled->release = release;
    memcpy(compiled->name, name, length);
    *out = compiled;
    return JG_OK;
}

jg_compiled *jg_compiled_retain(jg_compiled *compiled)
{
    atomic_fetch_add_explicit(&compiled->refs, 1, memory_order_relaxed);
    return compiled;
}

static jg_record **records_of(const jg_compiled *compiled)
{
    return (jg_record **)(void *)compiled->records.data;
}

static int count_records(const jg_compiled *compiled)
{
    return (int)(compiled->records.nbytes / sizeof(jg_record *));
}

void jg_compiled_release(jg_compiled *compiled)
{
    if (compiled == NULL ||
        atomic_fetch_sub_explicit(&compiled->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (int i = 0; i < count_records(compiled); ++i)
        jg_record_release(records_of(compiled)[i]);
    vec_clear(&compiled->records);
    if (compiled->release != NULL)
        compiled->release(compiled->context);
    base_free(compiled);
}

int jg_compiled_nrecords(jg_compiled *compiled)
{
    pthread_mutex_lock(&lock);
    int count = count_records(compiled);
    pthread_mutex_unlock(&lock);
    return count;
}

/* Takes record number `at` out of the list. gives: it, +1 */
static jg_record *take_out(jg_compiled *compiled, int at)
{
    jg_record **records = records_of(compiled), *found = records[at];
    int count = count_records(compiled);
    memmove(records + at, records + at + 1, (size_t)(count - at - 1) * sizeof(jg_record *));
    compiled->records.nbytes -= sizeof(jg_record *);
    return found;
}

static bool is_like(const jg_array *x, const jg_array *like)
{
    size_t nbytes = 2 * (size_t)x->ndim * sizeof *x->dims;
    return x->dtype == like->dtype && x->ndim == like->ndim &&
           memcmp(x->dims, like->dims, nbytes) == 0 && node_device(x) == node_device(like);
}

/* Whether the function was recorded with such inputs and that many outputs. */
static bool takes(const jg_record *record, int ninputs, jg_array *const *inputs, int noutputs)
{
    const jg_record_counts counts = jg_record_count(record);
    const jg_array *like;
    bool same = counts.arguments == ninputs && counts.outputs == noutputs;
    for (int i = 0; i < ninputs && same; ++i)
        same = jg_record_argument_at(record, i, &like) == JG_OK && is_like(inputs[i], like);
    return same;
}

/* gives: a record, +1, or NULL */
static jg_record *find_record(jg_compiled *compiled, int ninputs, jg_array *const *inputs,
                              int noutputs)
{
    jg_record *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = count_records(compiled); i-- > 0 && found == NULL;) {
        if (!takes(records_of(compiled)[i], ninputs, inputs, noutputs))
            continue;
        found = take_out(compiled, i);
        records_of(compiled)[count_records(compiled)] = jg_record_retain(found);
        compiled->records.nbytes += sizeof found;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Another thread may have recorded the same: the first of two is not met any more, and goes as the
 * others do. keeps: record */
static jg_status keep_record(jg_compiled *compiled, jg_record *record)
{
    jg_record *oldest = NULL;
    pthread_mutex_lock(&lock);
    if (count_records(compiled) == JG_MAX_RECORDS)
        oldest = take_out(compiled, 0);
    jg_status status = vec_append(&compiled->records, &record, sizeof record);
    if (status == JG_OK) /* under the lock: other threads may take it out from here on */
        (void)jg_record_retain(record);
    pthread_mutex_unlock(&lock);
    jg_record_release(oldest);
    return status;
}

/* gives: *out, +1 */
static jg_status record_function(jg_compiled *compiled, int ninputs, jg_array *const *inputs,
                                 int noutputs, jg_array **outputs, jg_record **out)
{
    jg_recording *recording;
    size_t nbytes = (size_t)ninputs * sizeof(jg_array *);
    jg_array **placeholders = base_alloc_zeroed(nbytes + 1);
    if (placeholders == NULL)
        return base_nomem(nbytes, "a recording");
    jg_status status =
        jg_recording_begin(compiled->name, ninputs, inputs, placeholders, &recording);
    for (int i = 0; i < noutputs; ++i)
        outputs[i] = NULL;
    if (status == JG_OK) {
        status = transform_call("compile", compiled->function, compiled->context, ninputs,
                                placeholders, noutputs, outputs);
        node_release_all(ninputs, placeholders);
        if (status == JG_OK) {
            status = jg_recording_end(recording, noutputs, outputs, out);
            node_release_all(noutputs, outputs);
        }
        if (status != JG_OK)
            jg_recording_abort(recording);
    }
    base_free(placeholders);
    return status;
}

static jg_status find_or_record(jg_compiled *compiled, int ninputs, jg_array *const *inputs,
                                int noutputs, jg_array **outputs, jg_record **out)
{
    *out = find_record(compiled, ninputs, inputs, noutputs);
    if (*out != NULL)
        return JG_OK;
    JG_TRY(record_function(compiled, ninputs, inputs, noutputs, outputs, out));
    if (jg_record_is_of_one_call(*out))
        return JG_OK;
    jg_status status = keep_record(compiled, *out);
    if (status != JG_OK)
        jg_record_release(*out);
    return status;
}

jg_status jg_compiled_call(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                           jg_array **outputs)
{
    jg_compiled *compiled = context;
    jg_record *record;
    JG_TRY(graph_check_arrays("inputs", ninputs, inputs));
    if (noutputs < 0)
        return base_fail(JG_ERR_VALUE, "noutputs: got %d, allowed is 0 or more", noutputs);
    jg_status status = find_or_record(compiled, ninputs, inputs, noutputs, outputs, &record);
    if (status == JG_OK) {
        status = jg_record_call(record, ninputs, inputs, outputs);
        jg_record_release(record);
    }
    for (int i = 0; i < noutputs && status != JG_OK; ++i)
        outputs[i] = NULL;
    return status;
}
