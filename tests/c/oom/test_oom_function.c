/* SPDX-License-Identifier: Apache-2.0 */
/* Files of functions while every allocation fails once: saved, loaded and called. */
#include "../io/files.h"
#include "attempts.h"
#include <joggle/function.h>
#include <joggle/ops.h>

static const char *const keyword[] = {"k"};

/* (x, k) -> the running sums of x * k + 1 along the axis, cut */
static jg_status record(jg_array *const *arguments, jg_record **out)
{
    const int64_t axis = 0;
    const jg_index items[] = {{.kind = JG_INDEX_SLICE, .step = 2, .has_step = true}};
    jg_array *markers[2], *made[4] = {NULL};
    jg_recording *recording;
    jg_status status;
    JG_TRY(jg_recording_begin("f", 2, arguments, markers, &recording));
    JG_TRY_DONE(jg_multiply(markers[0], markers[1], &made[0]));
    JG_TRY_DONE(jg_add(made[0], arguments[0], &made[1]));
    JG_TRY_DONE(jg_cummax(made[1], &axis, false, true, &made[2]));
    JG_TRY_DONE(jg_slice(made[2], 1, items, &made[3]));
done:
    if (status == JG_OK)
        status = jg_recording_end(recording, 1, &made[3], out);
    if (status != JG_OK)
        jg_recording_abort(recording);
    release_all(2, markers);
    release_all(4, made);
    return status;
}

static jg_status save(jg_array *const *arguments, base_vec *file)
{
    jg_record *made;
    JG_TRY(record(arguments, &made));
    const jg_function_variant variant = {made, 1, keyword};
    jg_status status = jg_function_save("f", 1, &variant, "text", append, file);
    jg_record_release(made);
    return status;
}

static jg_status load_and_call(jg_array *const *arguments, const base_vec *file)
{
    jg_exported *function = NULL;
    jg_source *source;
    jg_array_list outputs = {0};
    const jg_tensor named[] = {{"k", arguments[1]}};
    jg_status status;
    JG_TRY(jg_source_take(file->data, file->nbytes, true, NULL, NULL, &source));
    JG_TRY_DONE(jg_function_load(source, &function));
    JG_TRY_DONE(jg_function_call(function, 1, arguments, 1, named, &outputs));
    JG_TRY_DONE(jg_eval(1, outputs.arrays));
done:
    jg_array_list_clear(&outputs);
    jg_function_release(function);
    jg_source_release(source);
    return status;
}

SCENARIO(a_function_file)
{
    jg_array *arguments[] = {NULL, NULL};
    base_vec file = {0};
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 1, &size, float_number(1), &arguments[0]));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 0, NULL, float_number(2), &arguments[1]));
    JG_TRY_DONE(jg_eval(2, arguments));
    JG_TRY_DONE(save(arguments, &file));
    JG_TRY_DONE(load_and_call(arguments, &file));
done:
    release_all(2, arguments);
    vec_clear(&file);
    return status;
}
