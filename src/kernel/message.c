/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of PRINT and ASSERT: {} is a placeholder of a value, {:.2f} of one in that format, {{
 * and }} are braces. Any other brace is literal. */
#include "kernel/kernel.h"
#include <string.h>

/* The end of the placeholder that begins at text, which is a brace; NULL if it begins none. */
static const char *end_of_placeholder(const char *text)
{
    if (text[1] == '}')
        return text + 2;
    const char *end = text[1] == ':' ? strpbrk(text + 2, "{}") : NULL;
    return end != NULL && *end == '}' ? end + 1 : NULL;
}

/* Doubled braces come first: "{{}" is "{" and a literal brace. */
bool kernel_next_piece(const char **at, kernel_piece *out)
{
    const char *text = *at, *end = *text == '{' ? end_of_placeholder(text) : NULL;
    if (*text == '\0')
        return false;
    if ((text[0] == '{' || text[0] == '}') && text[1] == text[0]) {
        *out = (kernel_piece){.text = text, .length = 1};
        *at = text + 2;
    } else if (end != NULL) {
        int format = text[1] == ':';
        *out = (kernel_piece){text + 1 + format, (size_t)(end - text) - 2 - (size_t)format, true};
        *at = end;
    } else {
        size_t length = 1 + strcspn(text + 1, "{}");
        *out = (kernel_piece){.text = text, .length = length};
        *at = text + length;
    }
    return true;
}
