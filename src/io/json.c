/* SPDX-License-Identifier: Apache-2.0 */
/* A reader for the JSON in the header of a safetensors file: objects of strings, and lists of whole
 * numbers; other values are skipped. It uses no recursion, however deep the nesting is. */
#include "io/io.h"
#include <string.h>

/* The next byte, -1 at the end. */
static int peek(const io_cursor *cursor)
{
    return cursor->at < cursor->nbytes ? cursor->bytes[cursor->at] : -1;
}

void json_skip_space(io_cursor *cursor)
{
    for (int next = peek(cursor); next == ' ' || next == '\t' || next == '\n' || next == '\r';
         next = peek(cursor))
        cursor->at += 1;
}

jg_status json_fail(const io_cursor *cursor, const char *allowed)
{
    return base_fail(JG_ERR_VALUE, "[load] %s: the header cannot be read: its byte %zu is not %s",
                     cursor->format, cursor->at, allowed);
}

bool json_accept(io_cursor *cursor, char punctuation)
{
    json_skip_space(cursor);
    bool found = peek(cursor) == punctuation;
    cursor->at += found;
    return found;
}

bool json_accept_word(io_cursor *cursor, const char *word)
{
    const size_t length = strlen(word);
    json_skip_space(cursor);
    bool found = cursor->nbytes - cursor->at >= length &&
                 memcmp(cursor->bytes + cursor->at, word, length) == 0;
    cursor->at += found ? length : 0;
    return found;
}

jg_status json_expect(io_cursor *cursor, char punctuation)
{
    const char allowed[] = {'\'', punctuation, '\'', '\0'};
    return json_accept(cursor, punctuation) ? JG_OK : json_fail(cursor, allowed);
}

/* Digits alone: no sign, fraction or exponent, of which extents and offsets have none. */
jg_status json_count(io_cursor *cursor, int64_t *out)
{
    int64_t value = 0;
    json_skip_space(cursor);
    size_t first = cursor->at;
    for (int next = peek(cursor); next >= '0' && next <= '9'; next = peek(cursor)) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, next - '0', &value))
            return json_fail(cursor, "part of a number of 63 bits");
        cursor->at += 1;
    }
    if (cursor->at == first)
        return json_fail(cursor, "a whole number from 0 on");
    *out = value;
    return JG_OK;
}

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits behind \u. */
static jg_status read_unit(io_cursor *cursor, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; ++i) {
        int digit = hex_digit(peek(cursor));
        if (digit < 0)
            return json_fail(cursor, "a hexadecimal digit");
        *out = *out << 4 | (uint32_t)digit;
        cursor->at += 1;
    }
    return JG_OK;
}

/* A character that is spelled as one UTF-16 unit or as a pair of surrogates (RFC 8259, section 7).
 * Half a pair is no character. */
static jg_status read_code_point(io_cursor *cursor, uint32_t *out)
{
    uint32_t low;
    JG_TRY(read_unit(cursor, out));
    if (*out < 0xD800 || *out > 0xDFFF)
        return JG_OK;
    const uint8_t *next = cursor->bytes + cursor->at;
    if (*out > 0xDBFF || cursor->nbytes - cursor->at < 6 || next[0] != '\\' || next[1] != 'u')
        return json_fail(cursor, "the second half of a pair of surrogates");
    cursor->at += 2;
    JG_TRY(read_unit(cursor, &low));
    if (low < 0xDC00 || low > 0xDFFF)
        return json_fail(cursor, "the second half of a pair of surrogates");
    *out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
    return JG_OK;
}

/* c: at most 0x10FFFF. Six bits a byte from the last on; what is left goes into the first (RFC
 * 3629). */
static jg_status append_utf8(base_vec *text, uint32_t c)
{
    char bytes[4];
    size_t count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = count; i-- > 1; c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3F));
    bytes[0] = (char)(first[count] | c);
    return vec_append(text, bytes, count);
}

/* Behind the backslash. A NUL would end the text early, so it is refused. */
static jg_status append_escape(io_cursor *cursor, base_vec *text)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    int letter = peek(cursor);
    uint32_t c;
    const char *found = letter > 0 ? strchr(letters, letter) : NULL;
    if (found == NULL && letter != 'u')
        return json_fail(cursor, "an escape");
    cursor->at += 1;
    if (found != NULL)
        return vec_append(text, &meanings[found - letters], 1);
    JG_TRY(read_code_point(cursor, &c));
    return c == 0 ? json_fail(cursor, "a character but NUL") : append_utf8(text, c);
}

/* Up to the quote, and the NUL in its place. Control characters, which JSON wants escaped, and the
 * end of the bytes are refused by one comparison. */
static jg_status append_characters(io_cursor *cursor, base_vec *text)
{
    for (;;) {
        int next = peek(cursor);
        if (next < 0x20)
            return json_fail(cursor, "part of a string");
        char byte = (char)next;
        cursor->at += 1;
        if (byte == '"')
            return vec_append(text, "", 1);
        if (byte == '\\')
            JG_TRY(append_escape(cursor, text));
        else
            JG_TRY(vec_append(text, &byte, 1));
    }
}

jg_status json_text(io_cursor *cursor, char **out)
{
    base_vec text = {0};
    JG_TRY(json_expect(cursor, '"'));
    jg_status status = append_characters(cursor, &text);
    if (status == JG_OK)
        *out = text.data;
    else
        vec_clear(&text);
    return status;
}

static jg_status skip_text(io_cursor *cursor)
{
    char *text;
    JG_TRY(json_text(cursor, &text));
    base_free(text);
    return JG_OK;
}

/* A number, true, false or null, or anything else without punctuation. */
static jg_status skip_word(io_cursor *cursor)
{
    size_t first = cursor->at;
    for (int next = peek(cursor); next > ' ' && strchr(",:{}[]\"", next) == NULL;
         next = peek(cursor))
        cursor->at += 1;
    return cursor->at > first ? JG_OK : json_fail(cursor, "a value");
}

/* Brackets are counted, not matched: what is skipped need not be valid, only end. */
jg_status json_skip_value(io_cursor *cursor)
{
    int64_t depth = 0;
    do {
        json_skip_space(cursor);
        int next = peek(cursor);
        bool opens = next == '{' || next == '[', closes = next == '}' || next == ']';
        depth += opens - closes;
        if (next == '"')
            JG_TRY(skip_text(cursor));
        else if (opens || (depth >= 0 && closes) || (depth > 0 && (next == ',' || next == ':')))
            cursor->at += 1;
        else
            JG_TRY(skip_word(cursor));
    } while (depth > 0);
    return JG_OK;
}

/* Bytes beyond ASCII go out as they are: JSON is UTF-8. */
void json_write_text(base_text *text, const char *value)
{
    text_add(text, "\"");
    for (; *value != '\0'; ++value)
        if (*value == '"' || *value == '\\')
            text_add(text, "\\%c", *value);
        else if ((unsigned char)*value < 0x20)
            text_add(text, "\\u%04x", (unsigned)*value);
        else
            text_add(text, "%c", *value);
    text_add(text, "\"");
}
