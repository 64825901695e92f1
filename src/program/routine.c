/* SPDX-License-Identifier: Apache-2.0 */
/* The failures of routines that are the same on the host and on devices. */
#include "program/routine.h"
#include <inttypes.h>
#include <stdio.h>

jg_status program_fail_index(int64_t number, bool is_unsigned, int axis, int64_t extent)
{
    char text[32];
    if (is_unsigned)
        snprintf(text, sizeof text, "%" PRIu64, (uint64_t)number);
    else
        snprintf(text, sizeof text, "%" PRId64, number);
    return base_fail(JG_ERR_INDEX,
                     "index: %s is out of range for axis %d with extent %" PRId64
                     ", allowed are -extent to extent - 1",
                     text, axis, extent);
}
