/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of keys: integers of 32 and of 64 bits, the ranks of elements. */
#include "routine/loops.h"
#include "routine/sort/sort_lanes.h"
#include <string.h>

#define BITS 32
#include "routine/sort/sort_loops.inc.h"
#undef BITS
#define BITS 64
#include "routine/sort/sort_loops.inc.h"
#undef BITS

const sort_loops ROUTINE_NAMED(routine_sorts)[2] = {
    {sizeof(int32_t), sort_keys_32, select_keys_32, split_parts_32},
    {sizeof(int64_t), sort_keys_64, select_keys_64, split_parts_64},
};
