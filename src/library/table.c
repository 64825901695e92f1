/* SPDX-License-Identifier: Apache-2.0 */
/* The table of this room's routines. */
#include "library/library.h"

const jg_routine *const library_routines[PRIMITIVE_COUNT] = {
#define JG_PRIMITIVE(name, kind, rules)
#define JG_LIBRARY_ROUTINE(name, rules) [PRIMITIVE_##name] = &library_routine_##name,
#include "op/primitive.def"
#undef JG_PRIMITIVE
};
