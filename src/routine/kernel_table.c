/* SPDX-License-Identifier: Apache-2.0 */
/* The table of one instruction set's loops. */
#include "routine/kernels.h"

extern const routine_kernels ROUTINE_NAMED(routine_kernels);

const routine_kernels ROUTINE_NAMED(routine_kernels) = {
    .scans = ROUTINE_NAMED(routine_scans),
    .places = ROUTINE_NAMED(routine_places),
    .sorts = ROUTINE_NAMED(routine_sorts),
    .elements = ROUTINE_NAMED(routine_elements),
    .searches = ROUTINE_NAMED(routine_searches),
    .members = ROUTINE_NAMED(routine_members),
    .combine = ROUTINE_NAMED(combine_kernel_of),
    .decoders = ROUTINE_NAMED(routine_decoders),
    .look_up = ROUTINE_NAMED(routine_look_ups),
    .count_true = ROUTINE_NAMED(count_true),
    .write_true = ROUTINE_NAMED(write_true),
    .convolves = &ROUTINE_NAMED(routine_convolves),
    .pools = &ROUTINE_NAMED(routine_pools),
    .hadamard = ROUTINE_NAMED(hadamard_row),
    .quantized = &ROUTINE_NAMED(quantized_loops),
};
