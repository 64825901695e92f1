/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's format: arrays over a file's bytes where they can lie there, and headers of all kinds. */
#include "files.h"

static base_vec file_of(jg_array *x)
{
    base_vec file = {0};
    assert_ok(jg_save_npy(x, append, &file));
    return file;
}

/* A file with that header, and zeros for elements. */
static jg_status load_header(const char *header, jg_array **out)
{
    base_vec file = {0};
    const uint8_t start[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)strlen(header), 0};
    static const char zeros[256];
    assert_ok(vec_append(&file, start, sizeof start));
    assert_ok(vec_append(&file, header, strlen(header)));
    assert_ok(vec_append(&file, zeros, sizeof zeros));
    jg_source *source = source_over(&file);
    jg_status status = jg_load_npy(source, 0, out, NULL);
    jg_source_release(source);
    vec_clear(&file);
    return status;
}

TEST(what_is_saved_is_loaded_in_place)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2, 3)), *y;
    base_vec file = file_of(x);
    jg_source *source = source_over(&file);
    size_t end;
    assert_ok(jg_load_npy(source, 0, &y, &end));
    assert_int_equal(end, jg_source_nbytes(source));
    jg_source_release(source);
    assert_int_equal((uintptr_t)data_of(y) % 64, 0);
    assert_array_shape(y, SHAPE(2, 3));
    assert_elements(y, 1, 2, 3, 4, 5, 6);
    release_all(2, (jg_array *[]){x, y});
    vec_clear(&file);
}

TEST(elements_that_are_not_aligned_are_computed)
{
    jg_array *x = counting(JG_DTYPE_INT64, SHAPE(3)), *y;
    base_vec file = file_of(x);
    char bytes[512];
    memcpy(bytes + 3, file.data, file.nbytes);
    jg_source *source;
    assert_ok(jg_source_take(bytes + 3, file.nbytes, true, NULL, NULL, &source));
    assert_ok(jg_load_npy(source, 0, &y, NULL));
    jg_source_release(source);
    assert_int_equal(jg_array_current_state(y), JG_ARRAY_UNSCHEDULED);
    assert_elements(y, 1, 2, 3);
    release_all(2, (jg_array *[]){x, y});
    vec_clear(&file);
}

static void count(void *counter)
{
    *(int *)counter += 1;
}

TEST(the_bytes_are_given_back_with_the_last_array)
{
    int released = 0;
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(4)), *y, *row;
    jg_source *source;
    base_vec file = file_of(x);
    assert_ok(jg_source_take(file.data, file.nbytes, false, count, &released, &source));
    assert_ok(jg_load_npy(source, 0, &y, NULL));
    jg_source_release(source);
    assert_ok(jg_slice(y, ITEMS(AT(3)), &row));
    jg_array_release(y);
    assert_elements(row, 4);
    assert_int_equal(released, 0);
    jg_array_release(row);
    assert_int_equal(released, 1);
    jg_array_release(x);
    vec_clear(&file);
}

TEST(headers_are_read_however_they_are_written)
{
    jg_array *x;
    assert_ok(load_header("{\"shape\":(2L, 3L,),'descr':'>f8','fortran_order':True}", &x));
    assert_array_shape(x, SHAPE(2, 3));
    assert_int_equal(jg_array_dtype(x), JG_DTYPE_FLOAT64);
    jg_array_release(x);
    assert_ok(load_header("{'descr': '<V2', 'fortran_order': False, 'shape': (), }\n", &x));
    assert_int_equal(jg_array_dtype(x), JG_DTYPE_BFLOAT16);
    assert_array_shape(x, SCALAR);
    jg_array_release(x);
    assert_ok(load_header("{'descr': '|b1', 'fortran_order': False, 'shape': (0, 9)}", &x));
    assert_array_shape(x, SHAPE(0, 9));
    jg_array_release(x);
}

TEST(headers_that_lie_are_refused)
{
    static const struct {
        jg_status status;
        const char *header, *says;
    } rows[] = {
        {JG_ERR_VALUE, "{'descr': '<f4', 'fortran_order': False, 'shape': (65,), }",
         "the file has"},
        {JG_ERR_VALUE, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "header"},
        {JG_ERR_VALUE,
         "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 2)}", "elements"},
        {JG_ERR_VALUE, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
         "63 bits"},
        {JG_ERR_VALUE, "{'descr': '<f4', 'shape': (1,), }", "lacks"},
        {JG_ERR_VALUE, "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }",
         "True or False"},
        {JG_ERR_VALUE, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
         "more"},
        {JG_ERR_VALUE, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,", "whole number"},
        {JG_ERR_VALUE, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }  x ", "byte 59"},
        {JG_ERR_VALUE, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }{}", "padding"},
        {JG_ERR_TYPE, "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "|O"},
        {JG_ERR_TYPE, "{'descr': '<f+4', 'fortran_order': False, 'shape': (1,), }", "<f+4"},
        {JG_ERR_TYPE, "{'descr': '<f 4', 'fortran_order': False, 'shape': (1,), }", "<f 4"},
        {JG_ERR_TYPE, "{'descr': '<f', 'fortran_order': False, 'shape': (1,), }", "<f"},
        {JG_ERR_TYPE, "{'descr': '<U7', 'fortran_order': False, 'shape': (1,), }", "<U7"},
        {JG_ERR_TYPE, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
         "records"},
    };
    jg_array *x;
    for (size_t i = 0; i < JG_COUNT_OF(rows); ++i)
        assert_fails_saying(rows[i].status, rows[i].says, load_header(rows[i].header, &x));
}

TEST(damaged_files_are_refused_or_read)
{
    jg_array *x = counting(JG_DTYPE_INT16, SHAPE(3, 2));
    base_vec file = file_of(x);
    damage(&file, load_npy);
    jg_array_release(x);
    vec_clear(&file);
}

TEST(dtypes_that_numpy_has_not_are_refused)
{
    jg_array *x;
    base_vec file = {0};
    const int64_t two = 2;
    assert_ok(jg_empty(JG_DTYPE_FLOAT8_E5M2, 1, &two, &x));
    assert_fails_saying(JG_ERR_TYPE, "float8_e5m2", jg_save_npy(x, append, &file));
    jg_array_release(x);
    vec_clear(&file);
}

TEST(a_file_that_is_none_is_told)
{
    jg_source *source;
    assert_fails_saying(JG_ERR_IO, "No such file", jg_source_open("/nowhere/at/all", &source));
    assert_fails_saying(JG_ERR_IO, "regular", jg_source_open("/dev/null", &source));
}
