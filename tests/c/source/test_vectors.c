/* SPDX-License-Identifier: Apache-2.0 */
/* Products for processors are printed in vectors, in the dialects that say that they have them. */
#include "../support.h"
#include "source/draft.h"
#include "source/source.h"

static const device_product product = {
    .batch = 1, .rows = 4, .columns = 4, .inner = 4, .dtype = JG_DTYPE_FLOAT32};
static const device_work work = {.kind = DEVICE_WORK_PRODUCT, .product = &product};

static device_facts facts_of(int dialect)
{
    return (device_facts){.dialect = (device_dialect)dialect,
                          .shape = DEVICE_LANES,
                          .exact_division = true,
                          .lane_width = 8,
                          .group_limit = 64,
                          .compute_units = 4,
                          .max_buffers = 31,
                          .local_nbytes = 1 << 20,
                          .argument_nbytes = 4096};
}

TEST(a_dialect_that_has_vectors_defines_them)
{
    static const char *const names[] = {"#define VECTOR ", "#define VECTOR_AT(",
                                        "#define STORE_VECTOR(", "#define JOIN_VECTOR("};
    for (int i = 0; i < DEVICE_DIALECT_COUNT; ++i) {
        device_facts facts = facts_of(i);
        const source_dialect *dialect = source_dialect_of(&facts);
        for (size_t k = 0; k < JG_COUNT_OF(names); ++k)
            if ((strstr(dialect->header, names[k]) != NULL) != dialect->vectors)
                fail_msg("%s: vectors is %d, but the header differs about %s", dialect->name,
                         dialect->vectors, names[k]);
    }
}

TEST(a_product_for_lanes_is_refused_without_vectors_alone)
{
    for (int i = 0; i < DEVICE_DIALECT_COUNT; ++i) {
        device_facts facts = facts_of(i);
        device_refusal refusal = {0};
        const source_dialect *dialect = source_dialect_of(&facts);
        bool taken = source_printer.takes(&facts, &work, &refusal);
        if (taken != dialect->vectors)
            fail_msg("%s: taken is %d: %s", dialect->name, taken, refusal.message);
        if (!taken)
            assert_memory_equal(refusal.message, dialect->name, strlen(dialect->name));
    }
}

TEST(some_dialects_have_vectors_and_some_have_not)
{
    int having = 0;
    for (int i = 0; i < DEVICE_DIALECT_COUNT; ++i) {
        device_facts facts = facts_of(i);
        having += source_dialect_of(&facts)->vectors;
    }
    assert_true(having > 0 && having < DEVICE_DIALECT_COUNT);
}
