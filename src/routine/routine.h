/* SPDX-License-Identifier: Apache-2.0 */
/* routine: joggle's own loops for work that is no flat program. Each folder is one family; its
 * files define the routine_<name> objects of the rows in op/primitive.def. */
#ifndef JG_ROUTINE_H
#define JG_ROUTINE_H

#include "base/base.h"
#include "program/routine.h"

/* The routines of this room by their primitives, NULL for others. */
extern const jg_routine *const routine_table[PRIMITIVE_COUNT];

#define JG_PRIMITIVE(name, kind, rules)
#define JG_ROUTINE(name, rules) extern const jg_routine routine_##name;
#include "op/primitive.def"
#undef JG_PRIMITIVE

/* Sixteen bytes that are moved as one element. */
typedef struct routine_word128 {
    uint64_t parts[2];
} routine_word128;

/* Whether its elements lie row-major, without gaps. */
bool routine_is_dense(const routine_operand *operand);

/* The lines of an operand along an axis: how many there are, and where line number `line` begins,
 * in elements. Lines are counted in row-major order of the other axes. */
int64_t routine_line_count(const routine_operand *operand, int axis);
int64_t routine_line_start(const routine_operand *operand, int axis, int64_t line);

/* How many lines begin side by side, evenly spaced: those of the axes after this one that are
 * walked as one. */
int64_t routine_columns(const routine_operand *operand, int axis);

/* move.c */

/* Copies count items of nbytes each, step bytes apart, to dense memory; a step of 0 repeats one. */
void routine_copy_run(void *to, const void *from, int64_t count, int64_t step, size_t nbytes);

/* Copies count dense items of nbytes each to addresses step bytes apart. */
void routine_spread_run(void *to, const void *from, int64_t count, int64_t step, size_t nbytes);

/* Copies count dense items of a and as many of b to dense memory, in turns; nbytes each, 1, 2, 4
 * or 8. */
void routine_pair_run(void *to, const void *a, const void *b, int64_t count, size_t nbytes);

/* Copies elements first to last - 1 of an operand, in row-major order, to dense memory. */
void routine_copy_range(const routine_operand *x, const void *address, int64_t first, int64_t last,
                        void *to);

#endif
