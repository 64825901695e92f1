/* SPDX-License-Identifier: Apache-2.0 */
/* Functions in files, from C: saved, loaded, called; files that lie. */
#include "../io/files.h"
#include <joggle/function.h>
#include <joggle/ops.h>

/* The record of (x, scale) -> sum(x * scale * c, 0), and Q of a QR of x. */
static jg_record *record_of(int64_t rows)
{
    const int64_t axis = 0;
    jg_array *arguments[] = {counting(JG_DTYPE_FLOAT32, SHAPE(rows, 2)),
                             counting(JG_DTYPE_FLOAT32, SHAPE(1))};
    jg_array *c = counting(JG_DTYPE_FLOAT32, SHAPE(2)), *markers[2], *scaled, *product, *outputs[2];
    jg_array_list factors;
    jg_recording *recording;
    jg_record *record;
    assert_ok(jg_recording_begin("f", 2, arguments, markers, &recording));
    assert_ok(jg_multiply(markers[0], markers[1], &scaled));
    assert_ok(jg_multiply(scaled, c, &product));
    assert_ok(jg_sum(product, 1, &axis, false, NULL, &outputs[0]));
    assert_ok(jg_linalg_qr(markers[0], false, &factors));
    outputs[1] = jg_array_retain(factors.arrays[0]);
    jg_array_list_clear(&factors);
    assert_ok(jg_recording_end(recording, 2, outputs, &record));
    release_all(2, arguments);
    release_all(2, markers);
    release_all(2, outputs);
    release_all(3, (jg_array *[]){c, scaled, product});
    return record;
}

static const char *const keyword[] = {"scale"};

static base_vec saved(void)
{
    base_vec file = {0};
    jg_record *records[] = {record_of(3), record_of(4)};
    const jg_function_variant variants[] = {{records[0], 1, keyword}, {records[1], 1, keyword}};
    assert_ok(jg_function_save("f", 2, variants, "a text", append, &file));
    jg_record_release(records[0]);
    jg_record_release(records[1]);
    return file;
}

static jg_exported *loaded(const base_vec *file)
{
    jg_exported *function;
    jg_source *source = source_over(file);
    assert_ok(jg_function_load(source, &function));
    jg_source_release(source);
    return function;
}

TEST(what_is_saved_is_loaded_and_called)
{
    base_vec file = saved();
    jg_exported *function = loaded(&file);
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(4, 2)), *two;
    jg_array_list outputs;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, 1, (const int64_t[]){1},
                      (jg_number){.kind = JG_KIND_INT, .i64 = 2}, &two));
    const jg_tensor named[] = {{"scale", two}};
    assert_string_equal(jg_function_name(function), "f");
    assert_string_equal(jg_function_metadata(function), "a text");
    assert_int_equal(jg_function_nvariants(function), 2);
    assert_ok(jg_function_call(function, 1, &x, 1, named, &outputs));
    assert_int_equal(outputs.count, 2);
    assert_elements(outputs.arrays[0], 32, 80); /* 2 * (1+3+5+7), 2 * 2 * (2+4+6+8) */
    assert_array_shape(outputs.arrays[1], SHAPE(4, 2));
    jg_function_release(function);
    assert_ok(jg_eval(1, &outputs.arrays[1]));
    jg_array_list_clear(&outputs);
    release_all(2, (jg_array *[]){x, two});
    vec_clear(&file);
}

TEST(arguments_of_no_variant_are_refused)
{
    base_vec file = saved();
    jg_exported *function = loaded(&file);
    jg_function_variant variant;
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(5, 2));
    jg_array_list outputs;
    assert_fails_saying(JG_ERR_VALUE,
                        "[f] arguments: got (float32(5, 2)), allowed are (float32(3, 2), "
                        "scale=float32(1,)), or (float32(4, 2), scale=float32(1,))",
                        jg_function_call(function, 1, &x, 0, NULL, &outputs));
    assert_fails_saying(JG_ERR_VALUE, "inputs: number 0 is NULL",
                        jg_function_call(function, 1, (jg_array *[]){NULL}, 0, NULL, &outputs));
    assert_fails_saying(JG_ERR_VALUE, "variant: got 2, allowed is 0 to 1",
                        jg_function_variant_at(function, 2, &variant));
    assert_ok(jg_function_variant_at(function, 1, &variant));
    assert_int_equal(variant.nkeywords, 1);
    assert_string_equal(variant.keywords[0], "scale");
    jg_function_release(function);
    jg_array_release(x);
    vec_clear(&file);
}

TEST(variants_that_cannot_be_told_apart_are_refused)
{
    base_vec file = {0};
    jg_record *record = record_of(3);
    const char *const turned[] = {"b", "a"};
    const jg_function_variant same[] = {{record, 1, keyword}, {record, 1, keyword}};
    const jg_function_variant order[] = {{record, 2, turned}};
    assert_fails_saying(
        JG_ERR_VALUE,
        "variants: numbers 0 and 1 have arguments of the same names, dtypes and shapes",
        jg_function_save("f", 2, same, NULL, append, &file));
    assert_fails_saying(
        JG_ERR_VALUE,
        "keywords: 'a' stands behind 'b', allowed is the order of their bytes, each once",
        jg_function_save("f", 1, order, NULL, append, &file));
    assert_fails_saying(JG_ERR_VALUE, "variants: got 0, allowed is one or more",
                        jg_function_save("f", 0, NULL, NULL, append, &file));
    assert_int_equal(file.nbytes, 0);
    jg_record_release(record);
}

static jg_status load_function(jg_source *source, jg_tensors *out)
{
    jg_exported *function;
    *out = (jg_tensors){0};
    JG_TRY(jg_function_load(source, &function));
    jg_function_release(function);
    return JG_OK;
}

TEST(damaged_files_are_refused_or_read)
{
    base_vec file = saved();
    damage(&file, load_function);
    vec_clear(&file);
}

/* The file with one text of its header in another's place, of as many bytes. */
static void assert_refused(const char *from, const char *to, jg_status status, const char *message)
{
    base_vec file = saved();
    jg_exported *function;
    char *at = memmem(file.data, file.nbytes, from, strlen(from));
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    jg_source *source = source_over(&file);
    assert_fails_saying(status, message, jg_function_load(source, &function));
    jg_source_release(source);
    vec_clear(&file);
}

TEST(nodes_that_no_op_makes_are_refused)
{
    assert_refused("joggle function 1", "joggle function 2", JG_ERR_VALUE, "format is 'joggle");
    assert_refused("\\\"version\\\":1", "\\\"version\\\":7", JG_ERR_UNSUPPORTED,
                   "got version 7 of the primitive");
    assert_refused("\\\"op\\\":\\\"multiply", "\\\"op\\\":\\\"multipla", JG_ERR_UNSUPPORTED,
                   "got a node of the op 'multipla'");
    assert_refused("\\\"inputs\\\":[0,1]", "\\\"inputs\\\":[0,9]", JG_ERR_VALUE,
                   "not behind the number of a value that stands before");
    assert_refused("\\\"inputs\\\":[0,1]", "\\\"inputs\\\":[0  ]", JG_ERR_VALUE,
                   "a node 'multiply': inputs: got 1, allowed is 2");
    assert_refused("\\\"axes\\\":[0]", "\\\"axes\\\":[3]", JG_ERR_VALUE,
                   "a node 'sum': axes: got 3, allowed is 0 to 1");
    assert_refused("\\\"axes\\\":[0]", "\\\"axes\\\":[1]", JG_ERR_VALUE,
                   "a node 'sum': result 0: got float32(2,), allowed is float32(3,), which its "
                   "operands make");
    assert_refused("\\\"complete\\\":0", "\\\"complete\\\":1", JG_ERR_VALUE,
                   "a node 'linalg_qr': result 0: got float32(3, 2), allowed is float32(3, 3), "
                   "which its operands make");
    assert_refused("\\\"linalg_qr\\\",\\\"inputs\\\":[0]", "\\\"linalg_qr\\\",\\\"inputs\\\":[1]",
                   JG_ERR_VALUE,
                   "[load] function: a node 'linalg_qr': a: has 1 axes, allowed are two or more");
    assert_refused("constant.0", "constant.7", JG_ERR_VALUE, "constant 0 is not among the tensors");
}
