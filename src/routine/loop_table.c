/* SPDX-License-Identifier: Apache-2.0 */
/* The table of one instruction set's loops. */
#include "routine/loops.h"

extern const routine_loops ROUTINE_NAMED(routine_loops);

const routine_loops ROUTINE_NAMED(routine_loops) = {
    .cumulatives = ROUTINE_NAMED(routine_cumulatives),
    .extrema = ROUTINE_NAMED(routine_extrema),
    .sorts = ROUTINE_NAMED(routine_sorts),
    .elements = ROUTINE_NAMED(routine_elements),
    .searches = ROUTINE_NAMED(routine_searches),
    .members = ROUTINE_NAMED(routine_members),
    .combine = ROUTINE_NAMED(routine_combine_loop_of),
    .decoders = ROUTINE_NAMED(routine_decoders),
    .look_up = ROUTINE_NAMED(routine_look_ups),
    .count_true = ROUTINE_NAMED(routine_count_true),
    .write_true = ROUTINE_NAMED(routine_write_true),
    .convolves = &ROUTINE_NAMED(routine_convolves),
    .pools = &ROUTINE_NAMED(routine_pools),
    .hadamard = ROUTINE_NAMED(hadamard_row),
    .quantized = &ROUTINE_NAMED(quantized_loops),
    .attention = &ROUTINE_NAMED(attention_loops),
};
