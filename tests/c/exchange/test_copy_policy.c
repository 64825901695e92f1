/* SPDX-License-Identifier: Apache-2.0 */
/* The copy policies: what is shared, what is copied and what is refused, in and out. */
#include "producer.h"

typedef enum outcome { SHARED, COPIED, REFUSED } outcome;

static void plain(producer *own)
{
    (void)own;
}

static void misaligned(producer *own)
{
    own->managed.dl_tensor.byte_offset = 1;
}

static void read_only(producer *own)
{
    own->managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
}

static void copied_already(producer *own)
{
    own->managed.flags = DLPACK_FLAG_BITMASK_IS_COPIED;
}

static void backwards(producer *own)
{
    own->strides[0] = -3;
    own->managed.dl_tensor.byte_offset = 3 * sizeof(float);
}

typedef struct import_case {
    void (*make)(producer *own);
    outcome by_policy[3]; /* IF_NEEDED, NEVER, ALWAYS */
} import_case;

static const import_case imports[] = {
    {plain, {SHARED, SHARED, COPIED}},           {read_only, {SHARED, SHARED, COPIED}},
    {backwards, {SHARED, SHARED, COPIED}},       {misaligned, {COPIED, REFUSED, COPIED}},
    {copied_already, {SHARED, REFUSED, COPIED}},
};

static outcome import_outcome(const import_case *c, jg_copy_policy copy)
{
    producer own;
    jg_array *x = NULL;
    producer_init(&own);
    c->make(&own);
    jg_status status = take(&own, WAY_MANAGED, copy, &x);
    if (status != JG_OK) {
        assert_int_equal(status, JG_ERR_COPY);
        assert_int_equal(own.deleted, 0);
        assert_null(x);
        return REFUSED;
    }
    /* A copy is no longer the producer's business. */
    bool copied = own.deleted == 1;
    const char *address = address_of(x), *data = (const char *)own.data;
    assert_int_equal(copied, address < data || address >= data + sizeof own.data);
    assert_true(!copied || jg_array_is_writable(x));
    jg_array_release(x);
    assert_int_equal(own.deleted, 1);
    return copied ? COPIED : SHARED;
}

TEST(imports_follow_the_table)
{
    for (size_t i = 0; i < JG_COUNT_OF(imports); ++i)
        for (jg_copy_policy copy = JG_COPY_IF_NEEDED; copy <= JG_COPY_ALWAYS; ++copy)
            assert_int_equal(import_outcome(&imports[i], copy), imports[i].by_policy[copy]);
}

TEST(a_number_that_is_no_policy_is_refused_and_nothing_is_taken)
{
    const jg_copy_policy unknown[] = {(jg_copy_policy)(JG_COPY_FOR_CALL + 1), (jg_copy_policy)99,
                                      (jg_copy_policy)-1};
    const jg_view view = {0};
    jg_array *x = ones(2), *out = NULL;
    DLManagedTensorVersioned *managed = NULL;
    DLManagedTensor *legacy = NULL;
    for (size_t i = 0; i < JG_COUNT_OF(unknown); ++i) {
        producer own;
        producer_init(&own);
        assert_fails_saying(JG_ERR_VALUE, "copy: got number",
                            take(&own, WAY_MANAGED, unknown[i], &out));
        assert_int_equal(own.deleted, 0);
        assert_fails(JG_ERR_VALUE, jg_array_take_view(&view, unknown[i], NULL, NULL, &out));
        assert_fails(JG_ERR_VALUE, jg_array_to_managed(x, unknown[i], &managed));
        assert_fails(JG_ERR_VALUE, jg_array_to_managed_legacy(x, unknown[i], &legacy));
        assert_fails(JG_ERR_VALUE, jg_reshape_as(x, SHAPE(2, 1), unknown[i], &out));
    }
    assert_null(out);
    jg_array_release(x);
}

TEST(misaligned_elements_are_read_right)
{
    producer own;
    jg_array *x;
    producer_init(&own);
    memmove((char *)own.data + 1, own.data, 6 * sizeof(float));
    own.managed.dl_tensor.byte_offset = 1;
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_IF_NEEDED, &x));
    assert_elements(x, 1, 2, 3, 4, 5, 6);
    jg_array_release(x);
}

TEST(packed_elements_are_copied_whole)
{
    producer own;
    jg_array *x;
    unsigned char back[3];
    producer_init(&own);
    own.managed.dl_tensor.dtype = (DLDataType){kDLInt, 4, 1};
    assert_ok(take(&own, WAY_MANAGED, JG_COPY_ALWAYS, &x));
    assert_int_equal(jg_array_nbytes(x), 3);
    assert_ok(jg_array_copy_to(x, back, sizeof back));
    assert_memory_equal(back, own.data, sizeof back);
    jg_array_release(x);
}

static jg_array *make_plain(producer *own)
{
    jg_array *x;
    producer_init(own);
    assert_ok(take(own, WAY_MANAGED, JG_COPY_NEVER, &x));
    return x;
}

static jg_array *make_read_only(producer *own)
{
    jg_array *x;
    producer_init(own);
    read_only(own);
    assert_ok(take(own, WAY_MANAGED, JG_COPY_NEVER, &x));
    return x;
}

static jg_array *make_backwards(producer *own)
{
    jg_array *x = make_plain(own), *view;
    assert_ok(jg_slice(x, ITEMS(EVERY(-1)), &view));
    jg_array_release(x);
    return view;
}

static jg_array *make_broadcast(producer *own)
{
    jg_array *x = make_plain(own), *view;
    assert_ok(jg_broadcast_to(x, SHAPE(2, 2, 3), &view));
    jg_array_release(x);
    return view;
}

static jg_array *make_transposed(producer *own)
{
    jg_array *x = make_plain(own), *view;
    assert_ok(jg_matrix_transpose(x, &view));
    jg_array_release(x);
    return view;
}

typedef struct export_case {
    jg_array *(*make)(producer *own);
    outcome versioned[3], legacy[3]; /* IF_NEEDED, NEVER, ALWAYS */
    unsigned flags;                  /* of a versioned tensor that shares */
} export_case;

static const export_case exports[] = {
    {make_plain, {SHARED, SHARED, COPIED}, {SHARED, SHARED, COPIED}, 0},
    {make_transposed, {SHARED, SHARED, COPIED}, {SHARED, SHARED, COPIED}, 0},
    {make_read_only, {SHARED, SHARED, COPIED}, {COPIED, REFUSED, COPIED}, 1},
    {make_broadcast, {SHARED, SHARED, COPIED}, {COPIED, REFUSED, COPIED}, 1},
    {make_backwards, {COPIED, REFUSED, COPIED}, {COPIED, REFUSED, COPIED}, 0},
};

static void check_export(const export_case *c, jg_copy_policy copy, bool legacy)
{
    producer own;
    jg_array *x = c->make(&own);
    DLManagedTensorVersioned *versioned = NULL;
    DLManagedTensor *unversioned = NULL;
    outcome expected = legacy ? c->legacy[copy] : c->versioned[copy];
    jg_status status = legacy ? jg_array_to_managed_legacy(x, copy, &unversioned)
                              : jg_array_to_managed(x, copy, &versioned);
    assert_int_equal(status, expected == REFUSED ? JG_ERR_COPY : JG_OK);
    if (status == JG_OK) {
        const DLTensor *tensor = legacy ? &unversioned->dl_tensor : &versioned->dl_tensor;
        const float *data = tensor->data;
        assert_int_equal(expected == COPIED, data < own.data || data >= own.data + 32);
        if (versioned != NULL)
            assert_int_equal(versioned->flags,
                             expected == COPIED ? DLPACK_FLAG_BITMASK_IS_COPIED : c->flags);
        for (int i = 0; i < tensor->ndim; ++i)
            assert_true(tensor->strides[i] >= 0);
    }
    jg_array_release(x);
    assert_int_equal(own.deleted, status != JG_OK || expected == COPIED);
    if (versioned != NULL)
        versioned->deleter(versioned);
    if (unversioned != NULL)
        unversioned->deleter(unversioned);
    assert_int_equal(own.deleted, 1);
}

TEST(exports_follow_the_table)
{
    for (size_t i = 0; i < JG_COUNT_OF(exports); ++i)
        for (jg_copy_policy copy = JG_COPY_IF_NEEDED; copy <= JG_COPY_ALWAYS; ++copy)
            for (int legacy = 0; legacy < 2; ++legacy)
                check_export(&exports[i], copy, legacy);
}
