/* SPDX-License-Identifier: Apache-2.0 */
/* safetensors and GGUF: named arrays with metadata, over the file's bytes; files that lie. */
#include "files.h"
#include "io/io.h"
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>

static jg_array *find(const jg_tensors *tensors, const char *name)
{
    for (int i = 0; i < tensors->count; ++i)
        if (strcmp(tensors->items[i].name, name) == 0)
            return tensors->items[i].array;
    fail_msg("no tensor %s", name);
    return NULL;
}

/* Two tensors of different alignment, one text. */
static base_vec sample(jg_status (*save)(const jg_tensors *, jg_sink *, void *))
{
    base_vec file = {0};
    jg_array *bytes = counting(JG_DTYPE_INT8, SHAPE(3)),
             *floats = counting(JG_DTYPE_FLOAT32, SHAPE(2, 2));
    char *text = "a \"text\"\n";
    jg_metadatum metadatum = {.key = "key", .ntexts = 1, .texts = &text};
    jg_tensors tensors = TENSORS({"bytes", bytes}, {"floats", floats});
    tensors.nmetadata = 1;
    tensors.metadata = &metadatum;
    assert_ok(save(&tensors, append, &file));
    release_all(2, (jg_array *[]){bytes, floats});
    return file;
}

static void check_round_trip(base_vec *file, loader *load)
{
    jg_tensors tensors;
    jg_source *source = source_over(file);
    assert_ok(load(source, &tensors));
    jg_source_release(source);
    assert_int_equal(tensors.count, 2);
    assert_elements(find(&tensors, "bytes"), 1, 2, 3);
    assert_elements(find(&tensors, "floats"), 1, 2, 3, 4);
    assert_array_shape(find(&tensors, "floats"), SHAPE(2, 2));
    assert_int_equal(tensors.nmetadata, 1);
    assert_string_equal(tensors.metadata[0].key, "key");
    assert_string_equal(tensors.metadata[0].texts[0], "a \"text\"\n");
    for (int i = 0; i < 2; ++i)
        assert_int_equal(jg_array_current_state(tensors.items[i].array), JG_ARRAY_AVAILABLE);
    jg_tensors_clear(&tensors);
    vec_clear(file);
}

TEST(what_is_saved_is_loaded_in_place)
{
    base_vec file = sample(jg_save_safetensors);
    check_round_trip(&file, jg_load_safetensors);
    file = sample(jg_save_gguf);
    check_round_trip(&file, jg_load_gguf);
}

TEST(damaged_files_are_refused_or_read)
{
    base_vec file = sample(jg_save_safetensors);
    damage(&file, jg_load_safetensors);
    vec_clear(&file);
    file = sample(jg_save_gguf);
    damage(&file, jg_load_gguf);
    vec_clear(&file);
}

static jg_status load_header(const char *header)
{
    base_vec file = {0};
    jg_tensors tensors;
    uint64_t length = strlen(header);
    assert_ok(vec_append(&file, &length, sizeof length));
    assert_ok(vec_append(&file, header, (size_t)length));
    assert_ok(vec_append(&file, "12345678", 8));
    jg_source *source = source_over(&file);
    vec_clear(&file);
    jg_status status = jg_load_safetensors(source, &tensors);
    jg_source_release(source);
    if (status == JG_OK)
        jg_tensors_clear(&tensors);
    return status;
}

TEST(headers_of_safetensors_that_lie_are_refused)
{
    static const struct {
        jg_status status;
        const char *header, *says;
    } rows[] = {
        {JG_ERR_VALUE, "{\"x\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}}",
         "the file has"},
        {JG_ERR_VALUE, "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}",
         "takes 8"},
        {JG_ERR_VALUE, "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,4]}}",
         "takes 4"},
        {JG_ERR_VALUE, "{\"x\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}",
         "whole number"},
        {JG_ERR_VALUE, "{\"x\":{\"dtype\":\"F32\",\"shape\":[1]}}", "lacks"},
        {JG_ERR_TYPE, "{\"x\":{\"dtype\":\"Q99\",\"shape\":[1],\"data_offsets\":[0,4]}}", "Q99"},
        {JG_ERR_VALUE, "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}", "'}'"},
        {JG_ERR_VALUE, "{\"__metadata__\":{\"k\":1}}", "'\"'"},
        {JG_ERR_VALUE, "{\"\\u00\"}", "hexadecimal"},
        {JG_ERR_VALUE, "{\"\\ud800\":1}", "surrogates"},
        {JG_ERR_VALUE, "[]", "'{'"},
        {JG_ERR_VALUE, "{} x", "the end"},
        {JG_ERR_VALUE, "{}   ", "the elements end at byte 0"},
        {JG_ERR_VALUE, "{\"x\":{\"dtype\":\"U8\",\"shape\":[7],\"data_offsets\":[1,8]}}",
         "allowed is 0"},
        {JG_ERR_VALUE,
         "{\"x\":{\"dtype\":\"F64\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}",
         "elements"},
    };
    for (size_t i = 0; i < JG_COUNT_OF(rows); ++i)
        assert_fails_saying(rows[i].status, rows[i].says, load_header(rows[i].header));
    assert_ok(load_header(
        "{\"\\u00e9\\ud83d\\ude00\":{\"more\":[{\"a\":[]},\"]\"],\"dtype\":\"U8\",\"shape\":[8],"
        "\"data_offsets\":[0,8]},\"__metadata__\":{}}"));
}

TEST(what_a_format_has_not_is_refused)
{
    jg_array *x;
    base_vec file = {0};
    assert_ok(jg_full(JG_DTYPE_COMPLEX128, 0, NULL, float_number(1), &x));
    const jg_tensors tensors = TENSORS({"x", x});
    assert_fails_saying(JG_ERR_TYPE, "complex128", jg_save_safetensors(&tensors, append, &file));
    assert_fails_saying(JG_ERR_TYPE, "complex128", jg_save_gguf(&tensors, append, &file));
    jg_array_release(x);
    vec_clear(&file);
}

TEST(a_name_that_occurs_twice_is_refused_before_the_first_byte)
{
    jg_array *x;
    base_vec file = {0};
    assert_ok(jg_full(JG_DTYPE_FLOAT32, 0, NULL, float_number(1), &x));
    const jg_tensors tensors = TENSORS({"w", x}, {"b", x}, {"w", x});
    assert_fails_saying(JG_ERR_VALUE, "'w': names a tensor twice",
                        jg_save_safetensors(&tensors, append, &file));
    assert_fails_saying(JG_ERR_VALUE, "'w': names a tensor twice",
                        jg_save_gguf(&tensors, append, &file));
    char *texts[] = {"text"};
    jg_metadatum metadata[] = {{.key = "k", .texts = texts, .ntexts = 1},
                               {.key = "k", .texts = texts, .ntexts = 1}};
    const jg_tensors keys = {.nmetadata = 2, .metadata = metadata};
    assert_fails_saying(JG_ERR_VALUE, "'k': names a metadatum twice",
                        jg_save_safetensors(&keys, append, &file));
    assert_fails_saying(JG_ERR_VALUE, "'k': names a metadatum twice",
                        jg_save_gguf(&keys, append, &file));
    assert_int_equal(file.nbytes, 0);
    jg_array_release(x);
    vec_clear(&file);
}

TEST(texts_that_are_no_list_are_refused_unless_there_is_one)
{
    static const int counts[] = {2, 0, -1};
    base_vec file = {0};
    char *texts[] = {"v", "w"}, says[32];
    for (size_t i = 0; i < JG_COUNT_OF(counts); ++i) {
        jg_metadatum metadatum = {
            .key = "n", .ntexts = counts[i], .texts = counts[i] > 0 ? texts : NULL};
        const jg_tensors tensors = {.nmetadata = 1, .metadata = &metadatum};
        snprintf(says, sizeof says, "'n': got %d texts, allowed is 1", counts[i]);
        assert_fails_saying(JG_ERR_VALUE, says, jg_save_safetensors(&tensors, append, &file));
        assert_fails_saying(JG_ERR_VALUE, says, jg_save_gguf(&tensors, append, &file));
    }
    assert_int_equal(file.nbytes, 0);
}

TEST(safetensors_has_no_text_that_is_no_utf8)
{
    /* Bytes alone, one too few, a form that is too long, half of a pair, beyond U+10FFFF. */
    static char *wrong[] = {"a\xff",    "\x80",         "a\xc3",
                            "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"};
    char *right = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    jg_array *x = ones(1);
    base_vec file = {0};
    for (size_t i = 0; i < JG_COUNT_OF(wrong); ++i) {
        jg_metadatum metadata[] = {{.key = wrong[i], .ntexts = 1, .texts = &right},
                                   {.key = right, .ntexts = 1, .texts = &wrong[i]}};
        const jg_tensors name = TENSORS({wrong[i], x});
        const jg_tensors key = {.nmetadata = 1, .metadata = metadata},
                         text = {.nmetadata = 1, .metadata = metadata + 1};
        assert_fails_saying(JG_ERR_VALUE, "[save_safetensors] name '",
                            jg_save_safetensors(&name, append, &file));
        check_message(wrong[i], __FILE__, __LINE__);
        check_message(wrong[i][0] == 'a' ? "byte 1 is no UTF-8" : "byte 0 is no UTF-8", __FILE__,
                      __LINE__);
        assert_fails_saying(JG_ERR_VALUE, "[save_safetensors] key '",
                            jg_save_safetensors(&key, append, &file));
        assert_fails_saying(JG_ERR_VALUE, "[save_safetensors] metadata '",
                            jg_save_safetensors(&text, append, &file));
    }
    assert_int_equal(file.nbytes, 0);
    jg_metadatum metadatum = {.key = right, .ntexts = 1, .texts = &right};
    jg_tensors tensors = TENSORS({right, x}), read;
    tensors.nmetadata = 1;
    tensors.metadata = &metadatum;
    assert_ok(jg_save_safetensors(&tensors, append, &file));
    jg_source *source = source_over(&file);
    assert_ok(jg_load_safetensors(source, &read));
    assert_string_equal(read.items[0].name, right);
    assert_string_equal(read.metadata[0].texts[0], right);
    jg_source_release(source);
    jg_tensors_clear(&read);
    vec_clear(&file);
    jg_array_release(x);
}

TEST(a_list_has_any_number_of_texts)
{
    jg_source *source;
    jg_tensors read;
    char *texts[] = {"v", "w"};
    for (int count = 0; count <= 2; ++count) {
        base_vec file = {0};
        jg_metadatum metadatum = {.key = "n", .ntexts = count, .texts = texts, .is_list = true};
        const jg_tensors tensors = {.nmetadata = 1, .metadata = &metadatum};
        assert_ok(jg_save_gguf(&tensors, append, &file));
        source = source_over(&file);
        assert_ok(jg_load_gguf(source, &read));
        assert_int_equal(read.metadata[0].ntexts, count);
        assert_true(read.metadata[0].is_list);
        for (int i = 0; i < count; ++i)
            assert_string_equal(read.metadata[0].texts[i], texts[i]);
        jg_source_release(source);
        jg_tensors_clear(&read);
        vec_clear(&file);
    }
    jg_metadatum none = {.key = "n", .ntexts = -1, .is_list = true};
    const jg_tensors tensors = {.nmetadata = 1, .metadata = &none};
    base_vec file = {0};
    assert_fails_saying(JG_ERR_VALUE, "got -1 texts, allowed are 0 or more",
                        jg_save_gguf(&tensors, append, &file));
}

/* A file of GGUF that ends with a list of so many texts, all of them empty, in pages that are read
 * as zeros and take no memory. */
TEST(more_texts_than_an_int_counts_are_refused)
{
    const uint64_t count = (uint64_t)INT_MAX + 1;
    const uint32_t version = 3, list = 9, text = 8;
    const uint64_t counts[] = {0, 1}, length = 1;
    base_vec start = {0};
    assert_ok(vec_append(&start, "GGUF", 4));
    assert_ok(vec_append(&start, &version, sizeof version));
    assert_ok(vec_append(&start, counts, sizeof counts));
    assert_ok(vec_append(&start, &length, sizeof length));
    assert_ok(vec_append(&start, "k", 1));
    assert_ok(vec_append(&start, &list, sizeof list));
    assert_ok(vec_append(&start, &text, sizeof text));
    assert_ok(vec_append(&start, &count, sizeof count));
    size_t nbytes = start.nbytes + count * sizeof(uint64_t);
    char *pages = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(pages != MAP_FAILED);
    memcpy(pages, start.data, start.nbytes);
    jg_source *source;
    jg_tensors tensors;
    assert_ok(jg_source_take(pages, nbytes, true, NULL, NULL, &source));
    assert_fails_saying(JG_ERR_VALUE, "'k' has 2147483648 texts, allowed are 2147483647",
                        jg_load_gguf(source, &tensors));
    jg_source_release(source);
    assert_int_equal(munmap(pages, nbytes), 0);
    vec_clear(&start);
}

/* The lists' memory is not looked at: they are full. */
TEST(more_tensors_than_an_int_counts_are_refused)
{
    tensors_builder builder = {.items = {.nbytes = INT_MAX * sizeof(jg_tensor)},
                               .metadata = {.nbytes = INT_MAX * sizeof(jg_metadatum)}};
    jg_metadatum metadatum = {0};
    jg_array *x = ones(1);
    char *name = base_copy("x", 2);
    assert_fails_saying(JG_ERR_VALUE, "more tensors, allowed are 2147483647",
                        tensors_add(&builder, name, x));
    assert_fails_saying(JG_ERR_VALUE, "more metadata, allowed are 2147483647",
                        tensors_add_metadatum(&builder, &metadatum));
    base_free(name); /* what was given is the caller's as before */
    jg_array_release(x);
}
