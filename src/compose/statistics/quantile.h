/* SPDX-License-Identifier: Apache-2.0 */
/* The positions of quantiles among sorted elements: quantile_rank.c. */
#ifndef JG_COMPOSE_QUANTILE_H
#define JG_COMPOSE_QUANTILE_H

#include "compose/compose.h"

/* Between two ranks from 0 on, perhaps the same: part is how far, 0 to 1. */
typedef struct quantile_cut {
    int64_t below, above;
    double part;
} quantile_cut;

/* The rank of quantile q among count elements; it may be fractional, and outside of them. */
typedef double quantile_rule(double q, int64_t count);

/* The rule of the method. gives: *out, a function | raises: VALUE for an unknown method */
jg_status quantile_rule_of(jg_op op, const char *method, quantile_rule **out);

/* The two ranks of quantile q among count elements; of no elements, rank 0. */
quantile_cut quantile_cut_at(quantile_rule *rule, double q, int64_t count);

#endif
