/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JG_COMPOSE_LINALG_PSEUDO_INVERSE_H
#define JG_COMPOSE_LINALG_PSEUDO_INVERSE_H

#include "compose/compose.h"

/* value, which is the pseudo-inverse of a for that limit, with rules of its own for derivatives.
 * borrowed until scope_finish. pseudo_inverse_rules.c */
jg_array *compose_pseudo_inverse_ruled(compose_scope *scope, jg_array *a, jg_array *rtol,
                                       jg_array *value);

#endif
