/* SPDX-License-Identifier: Apache-2.0 */
/* A string under construction, for printers and messages. */
#include "base/base.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(base_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    /* One byte more for the terminator that vsnprintf writes. */
    void *to = NULL;
    if (length < 0 || vec_grow(&text->bytes, (size_t)length + 1, &to) != JG_OK) {
        text->failed_nbytes = text->bytes.nbytes + (size_t)int_max(length, 0) + 1;
    } else {
        vsnprintf(to, (size_t)length + 1, format, again);
        text->bytes.nbytes -= 1; /* the next addition overwrites the terminator */
    }
    va_end(again);
}

void text_add_extents(base_text *text, int count, const int64_t *values)
{
    text_add(text, "(");
    for (int i = 0; i < count; ++i)
        text_add(text, i ? ", %" PRId64 : "%" PRId64, values[i]);
    text_add(text, count == 1 ? ",)" : ")");
}

void text_add_list(base_text *text, int count, const int64_t *values)
{
    text_add(text, "[");
    for (int i = 0; i < count; ++i)
        text_add(text, i ? ",%" PRId64 : "%" PRId64, values[i]);
    text_add(text, "]");
}

jg_status text_status(const base_text *text)
{
    return text->failed_nbytes == 0 ? JG_OK : base_nomem(text->failed_nbytes, "a text");
}

jg_status text_finish(base_text *text, char **out)
{
    text_add(text, "%s", "");
    jg_status status = text_status(text);
    if (status == JG_OK) {
        *out = text->bytes.data;
        *text = (base_text){0};
    }
    return status;
}

void text_clear(base_text *text)
{
    vec_clear(&text->bytes);
    text->failed_nbytes = 0;
}

/* Eight bytes are kept for the end: ", ...)" and its NUL. */
const char *text_extents(char *buffer, size_t nbytes, int count, const int64_t *values)
{
    size_t used = (size_t)snprintf(buffer, nbytes, "(");
    for (int i = 0; i < count; ++i) {
        char item[24];
        int length = snprintf(item, sizeof item, i ? ", %" PRId64 : "%" PRId64, values[i]);
        if (used + (size_t)length + 8 > nbytes) {
            snprintf(buffer + used, nbytes - used, ", ...)");
            return buffer;
        }
        memcpy(buffer + used, item, (size_t)length + 1);
        used += (size_t)length;
    }
    snprintf(buffer + used, nbytes - used, count == 1 ? ",)" : ")");
    return buffer;
}

/* The value rounded to the nearest number with that many bits in its significand. */
static double round_to(double value, int significand_bits)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    return ldexp(nearbyint(ldexp(fraction, significand_bits)), exponent - significand_bits);
}

/* A process may have set a locale whose decimal point is something else, of one or more bytes. */
static void put_point(char *text)
{
    char *point = text + strspn(text, "+-0123456789e");
    size_t length = strcspn(point, "+-0123456789e");
    if (length == 0)
        return;
    memmove(point + 1, point + length, strlen(point + length) + 1);
    *point = '.';
}

/* Digits of value, the first before the point, and a power of ten; the fewest that read back. */
static int shortest_digits(char buffer[TEXT_DOUBLE_SIZE], double value, int significand_bits)
{
    enum { MAX_DIGITS = 17 }; /* as many as any double needs */
    for (int digits = 1;; ++digits) {
        snprintf(buffer, TEXT_DOUBLE_SIZE, "%.*e", digits - 1, value);
        double back = strtod(buffer, NULL);
        if (back == value || digits == MAX_DIGITS ||
            (significand_bits < 53 && round_to(back, significand_bits) == value))
            return digits;
    }
}

const char *text_double(char buffer[TEXT_DOUBLE_SIZE], double value, int significand_bits)
{
    if (isnan(value) || isinf(value))
        return strcpy(buffer, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    int digits = shortest_digits(buffer, value, significand_bits);
    int exponent = atoi(strchr(buffer, 'e') + 1);
    int decimals = digits - 1 - exponent;
    /* The range in which Python's repr writes no exponent. */
    if (exponent >= -4 && exponent < 16)
        snprintf(buffer, TEXT_DOUBLE_SIZE, "%.*f", int_max(decimals, 1), value);
    put_point(buffer);
    return buffer;
}

int text_character_nbytes(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned first = bytes[0], second = first == 0 ? 0 : bytes[1];
    int nbytes = first < 0x80   ? 1
                 : first < 0xc2 ? 0
                 : first < 0xe0 ? 2
                 : first < 0xf0 ? 3
                 : first < 0xf5 ? 4
                                : 0;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90))
        return 0;
    for (int i = 1; i < nbytes; ++i)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    return nbytes;
}

const char *text_first_error(const char *log)
{
    const char *error = strstr(log, "error:"); /* names in a warning may be of errors as well */
    if (error == NULL)
        error = strstr(log, "error");
    while (error != NULL && error > log && error[-1] != '\n')
        error -= 1;
    return error != NULL ? error : log;
}
