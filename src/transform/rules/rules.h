/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the functions that the column RULES of op/primitive.def names. RULE(name)
 * stands for tangent_name and cotangent_name, LINEAR(name) and BILINEAR(name) for cotangent_name,
 * TANGENT(name) for tangent_name, SPELL(name) for spell_name. */
#ifndef JG_TRANSFORM_RULES_H
#define JG_TRANSFORM_RULES_H

#include "transform/transform.h"

#define FORMULA
#define MISSING
#define NONE
#define LINEAR(name) cotangent_rule cotangent_##name;
#define BILINEAR(name) cotangent_rule cotangent_##name;
#define RULE(name)                                                                                 \
    tangent_rule tangent_##name;                                                                   \
    cotangent_rule cotangent_##name;
#define TANGENT(name) tangent_rule tangent_##name;
#define SPELL(name) spell_rule transform_spell_##name;
#define RULES(derivative, batch) derivative
#define JG_PRIMITIVE(name, kind, ...) __VA_ARGS__
#include "op/primitive.def"
#undef JG_PRIMITIVE
#undef RULES
#undef SPELL
#undef TANGENT
#undef RULE
#undef BILINEAR
#undef LINEAR
#undef NONE
#undef MISSING
#undef FORMULA

#endif
