/* SPDX-License-Identifier: Apache-2.0 */
/* The table of routines. */
#include "routine/routine.h"

const jg_routine *const routine_table[PRIMITIVE_COUNT] = {
#define JG_PRIMITIVE(name, kind, rules)
#define JG_ROUTINE(name, rules) [PRIMITIVE_##name] = &routine_##name,
#include "op/primitive.def"
#undef JG_PRIMITIVE
};
