/* SPDX-License-Identifier: Apache-2.0 */
/* The table of primitives, and how attributes become keys and text. */
#include "op/primitive.h"
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define OPTION(value, text) [value] = text,
#define JG_CHOICES(name, ...) const char *const op_##name##_texts[name##_count] = {__VA_ARGS__};
#define JG_CHOICES_OF(name, ...) static const char *const op_##name##_texts[] = {__VA_ARGS__};
#include "op/choice.def"
#undef JG_CHOICES
#undef OPTION

#define ATTRIBUTE(primitive, name, text, type)                                                     \
    {#name,                                                                                        \
     text,                                                                                         \
     type,                                                                                         \
     offsetof(primitive##_attributes, name),                                                       \
     sizeof(((primitive##_attributes *)0)->name),                                                  \
     0,                                                                                            \
     NULL},
#define INTEGER(primitive, name, text) ATTRIBUTE(primitive, name, text, ATTRIBUTE_INTEGER)
#define FLAG(primitive, name, text) ATTRIBUTE(primitive, name, text, ATTRIBUTE_FLAG)
#define REAL(primitive, name, text) ATTRIBUTE(primitive, name, text, ATTRIBUTE_REAL)
#define AXES(primitive, name, text) ATTRIBUTE(primitive, name, text, ATTRIBUTE_AXES)
#define SPACE(primitive, name, text) ATTRIBUTE(primitive, name, text, ATTRIBUTE_SPACE)
#define NUMBER(primitive, name, text) ATTRIBUTE(primitive, name, text, ATTRIBUTE_NUMBER)
#define CHOICE(primitive, name, choices, text)                                                     \
    {#name,                                                                                        \
     text,                                                                                         \
     ATTRIBUTE_CHOICE,                                                                             \
     offsetof(primitive##_attributes, name),                                                       \
     sizeof(((primitive##_attributes *)0)->name),                                                  \
     JG_COUNT_OF(op_##choices##_texts),                                                            \
     op_##choices##_texts},
#define JG_PRIMITIVE(name, kind, rules)
#define JG_ATTRIBUTES(name, ...) static const primitive_attribute name##_list[] = {__VA_ARGS__};
#include "op/primitive.def"
#undef JG_PRIMITIVE

/* A key is written by straight code for each primitive: every evaluation of a routine needs one. */
#undef INTEGER
#undef FLAG
#undef REAL
#undef AXES
#undef SPACE
#undef NUMBER
#undef CHOICE
#define KEY(name)                                                                                  \
    memcpy(to, &from->name, sizeof from->name);                                                    \
    to += sizeof from->name;
#define INTEGER(primitive, name, text) KEY(name)
#define FLAG(primitive, name, text) KEY(name)
#define REAL(primitive, name, text) KEY(name)
#define AXES(primitive, name, text) KEY(name)
#define SPACE(primitive, name, text) KEY(name)
#define NUMBER(primitive, name, text)
#define CHOICE(primitive, name, choices, text) KEY(name)
#define JG_PRIMITIVE(name, kind, rules)
#define JG_ATTRIBUTES(row, ...)                                                                    \
    static char *write_##row(const primitive_attributes *attributes, char *to)                     \
    {                                                                                              \
        const row##_attributes *from = &attributes->row;                                           \
        (void)from;                                                                                \
        __VA_ARGS__                                                                                \
        return to;                                                                                 \
    }
#include "op/primitive.def"
#undef JG_PRIMITIVE

const primitive_row primitive_rows[PRIMITIVE_COUNT] = {
#define JG_PRIMITIVE(row, what, rules)                                                             \
    [PRIMITIVE_##row].name = #row, [PRIMITIVE_##row].kind = PRIMITIVE_##what,
#define JG_ATTRIBUTES(row, ...)                                                                    \
    [PRIMITIVE_##row].write_key = write_##row, [PRIMITIVE_##row].attributes = row##_list,          \
    [PRIMITIVE_##row].nattributes = JG_COUNT_OF(row##_list),                                       \
    [PRIMITIVE_##row].nbytes = sizeof(row##_attributes),
#include "op/primitive.def"
#undef JG_PRIMITIVE
};

static void print_axes(uint64_t axes, base_text *text)
{
    const char *separator = "";
    text_add(text, "{");
    for (int i = 0; i < JG_MAX_NDIM; ++i)
        if (axes >> i & 1) {
            text_add(text, "%s%d", separator, i);
            separator = " ";
        }
    text_add(text, "}");
}

static void print_value(const primitive_attribute *attribute, const void *field, base_text *text)
{
    switch ((attribute_type)attribute->type) {
    case ATTRIBUTE_INTEGER: text_add(text, "%" PRId64, *(const int64_t *)field); break;
    case ATTRIBUTE_FLAG: text_add(text, *(const bool *)field ? "true" : "false"); break;
    case ATTRIBUTE_REAL: text_add(text, "%.17g", *(const double *)field); break;
    case ATTRIBUTE_AXES: print_axes(*(const uint64_t *)field, text); break;
    case ATTRIBUTE_SPACE: text_add_extents(text, PRIMITIVE_SPACE_AXES, field); break;
    case ATTRIBUTE_CHOICE:
        text_add(text, "%s", attribute->options[*(const unsigned *)field]);
        break;
    case ATTRIBUTE_NUMBER: break;
    }
}

void primitive_print_attributes(jg_primitive primitive, const primitive_attributes *attributes,
                                base_text *text)
{
    const primitive_row *row = &primitive_rows[primitive];
    const char *separator = "";
    for (int i = 0; i < row->nattributes; ++i) {
        const primitive_attribute *attribute = &row->attributes[i];
        if (attribute->type == ATTRIBUTE_NUMBER)
            continue;
        text_add(text, "%s%s=", separator, attribute->name);
        print_value(attribute, (const char *)attributes + attribute->offset, text);
        separator = ", ";
    }
}
