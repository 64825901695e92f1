/* SPDX-License-Identifier: Apache-2.0 */
/* The table of primitives, which are the computations of nodes, and their attributes. Rows are in
 * primitive.def, the values of choices in choice.def. This file has neither nodes nor computations.
 *
 * The numbers of primitives are the rows' positions, so they change when a row is added: nothing
 * outside the process may keep one. Names stay. */
#ifndef JG_OP_PRIMITIVE_H
#define JG_OP_PRIMITIVE_H

#include "base/base.h"
#include "op/scatter.h"
#include "tensor/tensor.h"
#include <joggle/array.h>

typedef enum jg_primitive {
#define JG_PRIMITIVE(name, kind, rules) PRIMITIVE_##name,
#include "op/primitive.def"
#undef JG_PRIMITIVE
    PRIMITIVE_COUNT
} jg_primitive;

/* The way in which a node is computed; primitive.def describes each kind. */
typedef enum primitive_kind {
    PRIMITIVE_MEMORY,
    PRIMITIVE_VIEW,
    PRIMITIVE_GENERATOR,
    PRIMITIVE_ELEMENTWISE,
    PRIMITIVE_REDUCTION,
    PRIMITIVE_ROUTINE,
    PRIMITIVE_LIBRARY,
    PRIMITIVE_MESSAGE
} primitive_kind;

/* Choices: an enum for each row of choice.def. */
#define OPTION(value, text) value,
#define JG_CHOICES(name, ...) typedef enum name { __VA_ARGS__ name##_count } name;
#include "op/choice.def"
#undef JG_CHOICES
#undef OPTION

/* Windows over space (convolutions, pooling) have operands of five axes: the batch, three of space,
 * channels. Weights have the result's channels first. Axes of space that an array of the user does
 * not have come first and have an extent of 1. */
enum {
    PRIMITIVE_SPACE_AXES = 3,
    WINDOW_BATCH = 0,
    WINDOW_SPACE,
    WINDOW_CHANNELS = WINDOW_SPACE + PRIMITIVE_SPACE_AXES,
    WINDOW_NDIM
};

/* Attributes: a struct for each primitive that has some, sort_attributes and so on, and the union
 * of all. A node has memory for those of its own primitive only, so the union is read by the member
 * of that name. */
#define INTEGER(primitive, name, text) int64_t name;
#define FLAG(primitive, name, text) bool name;
#define REAL(primitive, name, text) double name;
#define AXES(primitive, name, text) uint64_t name;
#define SPACE(primitive, name, text) int64_t name[PRIMITIVE_SPACE_AXES];
#define NUMBER(primitive, name, text) jg_scalar name;
#define CHOICE(primitive, name, choices, text) choices name;
#define JG_PRIMITIVE(name, kind, rules)
#define JG_ATTRIBUTES(name, ...)                                                                   \
    typedef struct name##_attributes {                                                             \
        __VA_ARGS__                                                                                \
    } name##_attributes;
#include "op/primitive.def"
#undef INTEGER
#undef FLAG
#undef REAL
#undef AXES
#undef SPACE
#undef NUMBER
#undef CHOICE

typedef union primitive_attributes {
#define JG_ATTRIBUTES(name, ...) name##_attributes name;
#include "op/primitive.def"
#undef JG_PRIMITIVE
} primitive_attributes;

typedef enum attribute_type {
    ATTRIBUTE_INTEGER,
    ATTRIBUTE_FLAG,
    ATTRIBUTE_REAL,
    ATTRIBUTE_AXES,
    ATTRIBUTE_SPACE,
    ATTRIBUTE_NUMBER,
    ATTRIBUTE_CHOICE
} attribute_type;

/* One attribute of a primitive: where it lies in the struct, and what it may be. */
typedef struct primitive_attribute {
    const char *name, *meaning;
    uint8_t type; /* attribute_type */
    uint8_t offset, nbytes;
    uint8_t noptions; /* of a choice, else 0 */
    const char *const *options;
} primitive_attribute;

typedef struct primitive_row {
    const char *name;
    uint8_t kind; /* primitive_kind */
    uint8_t nattributes;
    uint8_t nbytes; /* of its attributes */
    const primitive_attribute *attributes;

    /* Writes the attributes that a plan depends on, all but NUMBER ones, as bytes without padding:
     * equal bytes of one primitive mean equal attributes. NULL where there are no attributes.
     * to: memory for nbytes | gives: the address after what it wrote */
    char *(*write_key)(const primitive_attributes *attributes, char *to);
} primitive_row;

extern const primitive_row primitive_rows[PRIMITIVE_COUNT];

/* Appends "axis=1, reverse=true", in the order of the table; NUMBER ones are left out.
 * raises: as base_text does, when it is finished */
void primitive_print_attributes(jg_primitive primitive, const primitive_attributes *attributes,
                                base_text *text);

/* The texts of a set of choices.
 * gives: static strings, name##_count of them */
#define OPTION(value, text)
#define JG_CHOICES(name, ...) extern const char *const op_##name##_texts[name##_count];
#include "op/choice.def"
#undef JG_CHOICES
#undef OPTION

#endif
