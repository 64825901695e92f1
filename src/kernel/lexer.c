/* SPDX-License-Identifier: Apache-2.0 */
/* The words, numbers and ends of lines of the text form. Blanks and comments are skipped, a line
 * ends a statement. Numbers are read without regard to the locale. */
#include "kernel/lexer.h"
#include "kernel/cut.h"
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool lexer_is_word_character(char c)
{
    bool is_ascii = (unsigned char)c < 0x80; /* others are letters, in UTF-8 */
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) || !is_ascii;
}

/* The position may lie before the line that is being read. */
static jg_status fail_at(const lexer *in, const char *position, const char *format,
                         va_list arguments)
{
    char message[320]; /* room for a name of LEXER_MAX_NAME and the message around it */
    int line = 1;
    const char *line_start = in->text;
    for (const char *at = in->text; at < position; ++at) {
        if (*at == '\n') {
            line += 1;
            line_start = at + 1;
        }
    }
    vsnprintf(message, sizeof message, format, arguments);
    return base_fail(JG_ERR_VALUE, "text of a kernel, %d:%d: %s", line,
                     (int)(position - line_start) + 1, message);
}

jg_status lexer_fail(const lexer *in, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    jg_status status = fail_at(in, in->at, format, arguments);
    va_end(arguments);
    return status;
}

jg_status lexer_fail_at(const lexer *in, const char *position, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    jg_status status = fail_at(in, position, format, arguments);
    va_end(arguments);
    return status;
}

jg_status lexer_pass_on(jg_status status, uint32_t line)
{
    jg_error error;
    if (status == JG_OK)
        return JG_OK;
    error_capture(&error, status);
    return base_fail(status, "text of a kernel, line %" PRIu32 ": %s", line, error.message);
}

/* Skips blanks, and a comment up to, but not including, the end of its line. */
static void skip_blanks(lexer *in)
{
    while (*in->at == ' ' || *in->at == '\t' || *in->at == '\r')
        in->at += 1;
    if (*in->at == '#')
        while (*in->at != '\n' && *in->at != '\0')
            in->at += 1;
}

/* The only function that counts lines. */
static void skip_empty_lines(lexer *in)
{
    for (skip_blanks(in); *in->at == '\n'; skip_blanks(in)) {
        in->at += 1;
        in->line += 1;
    }
}

void lexer_begin(lexer *in, const char *text)
{
    *in = (lexer){text, text, 1};
    skip_empty_lines(in);
}

/* The first comparison keeps the second inside `word`. */
bool lexer_is(lexer_name name, const char *word)
{
    return strncmp(name.text, word, name.length) == 0 && word[name.length] == '\0';
}

bool lexer_sees(lexer *in, char c)
{
    skip_blanks(in);
    return *in->at == c;
}

bool lexer_sees_digit(lexer *in)
{
    skip_blanks(in);
    return is_digit(*in->at);
}

bool lexer_takes(lexer *in, char c)
{
    bool sees = lexer_sees(in, c);
    in->at += sees;
    return sees;
}

/* The word that begins here, of any length; empty where none does. */
static lexer_name word_here(const lexer *in)
{
    lexer_name name = {in->at, 0};
    while (lexer_is_word_character(in->at[name.length]))
        name.length += 1;
    return name;
}

lexer_name lexer_peek_word(lexer *in)
{
    skip_blanks(in);
    return word_here(in);
}

bool lexer_takes_word(lexer *in, const char *word)
{
    lexer_name name = lexer_peek_word(in);
    bool sees = lexer_is(name, word);
    in->at += sees ? name.length : 0;
    return sees;
}

jg_status lexer_expect(lexer *in, char c)
{
    return lexer_takes(in, c) ? JG_OK : lexer_fail(in, "expected %c", c);
}

jg_status lexer_expect_word(lexer *in, const char *word)
{
    return lexer_takes_word(in, word) ? JG_OK : lexer_fail(in, "expected %s", word);
}

/* A word at this very position: a value's name follows its % without a blank. */
static jg_status take_name(lexer *in, const char *what, lexer_name *out)
{
    lexer_name name = word_here(in);
    if (name.length == 0 || name.length > LEXER_MAX_NAME)
        return lexer_fail(in, name.length ? "%s of more than 255 characters" : "expected %s", what);
    in->at += name.length;
    *out = name;
    return JG_OK;
}

jg_status lexer_word(lexer *in, lexer_name *out)
{
    skip_blanks(in);
    return take_name(in, is_digit(*in->at) ? "a name that begins with a letter" : "a name", out);
}

jg_status lexer_value_name(lexer *in, lexer_name *out)
{
    if (!lexer_takes(in, '%'))
        return lexer_fail(in, "expected a value, such as %%x");
    return take_name(in, "the name of a value", out);
}

jg_status lexer_dtype(lexer *in, jg_dtype *out)
{
    lexer_name name;
    skip_blanks(in);
    JG_TRY(take_name(in, "a dtype", &name));
    for (int type = 0; type < JG_DTYPE_COUNT; ++type) {
        if (lexer_is(name, dtype_rows[type].name)) {
            *out = (jg_dtype)type;
            return JG_OK;
        }
    }
    return lexer_fail_at(in, name.text, "%.*s is no dtype", (int)name.length, name.text);
}

jg_status lexer_integer(lexer *in, int64_t *out)
{
    char *end;
    skip_blanks(in);
    const char *digits = in->at + (*in->at == '-');
    if (!is_digit(*digits))
        return lexer_fail(in, "expected an integer");
    errno = 0;
    long long value = strtoll(in->at, &end, 10);
    if (errno != 0)
        return lexer_fail(in, "an integer outside int64");
    in->at = end;
    *out = value;
    return JG_OK;
}

static jg_status lexer_unsigned(lexer *in, jg_scalar *out)
{
    char *end;
    if (!is_digit(*in->at)) /* strtoull would take a sign, and wrap */
        return lexer_fail(in, "expected an integer of 0 and more");
    errno = 0;
    out->u64 = strtoull(in->at, &end, 10);
    if (errno != 0)
        return lexer_fail(in, "an integer outside uint64");
    in->at = end;
    return JG_OK;
}

static locale_t
    c_locale; /* made once, never freed: strtod would take the process's decimal comma */

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static jg_status lexer_float(lexer *in, jg_scalar *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    if (c_locale == (locale_t)0)
        return base_nomem(0, "a locale");
    char *end;
    out->f64 = strtod_l(in->at, &end, c_locale); /* which itself passes over ends of lines */
    if (end == in->at || *in->at == '\n')
        return lexer_fail(in, "expected a number");
    in->at = end;
    return JG_OK;
}

static jg_status lexer_truth(lexer *in, jg_scalar *out)
{
    out->i64 = lexer_takes_word(in, "true");
    if (!out->i64 && !lexer_takes_word(in, "false"))
        return lexer_fail(in, "expected true or false");
    return JG_OK;
}

static jg_status lexer_by_kind(lexer *in, jg_dtype_kind kind, jg_scalar *out)
{
    switch (kind) {
    case JG_KIND_BOOL: return lexer_truth(in, out);
    case JG_KIND_INT: return lexer_integer(in, &out->i64);
    case JG_KIND_UINT: return lexer_unsigned(in, out);
    default: return lexer_float(in, out);
    }
}

jg_status lexer_number(lexer *in, jg_dtype type, uint64_t *out)
{
    jg_scalar value = {{0, 0}};
    uint64_t bits = 0;
    skip_blanks(in);
    const char *position = in->at;
    if (!kernel_has_type(type))
        return lexer_fail(in, "kernels do not compute with %s", dtype_rows[type].name);
    jg_dtype_kind kind = (jg_dtype_kind)dtype_rows[type].kind;
    JG_TRY(lexer_by_kind(in, kind, &value));
    if (!scalar_fits(value, kind, type))
        return lexer_fail_at(in, position, "the number does not fit %s", dtype_rows[type].name);
    scalar_store(value, kind, type, &bits);
    *out = bits;
    return JG_OK;
}

/* The character of an escape; also passes over the backslash. */
static jg_status escaped(lexer *in, char *c)
{
    static const char letters[] = "n\"\\", meanings[] = "\n\"\\";
    const char *found = in->at[1] == '\0' ? NULL : strchr(letters, in->at[1]);
    if (found == NULL)
        return lexer_fail(in, "expected \\n, \\\" or \\\\");
    *c = meanings[found - letters];
    in->at += 1;
    return JG_OK;
}

/* Up to the quote that ends it, which is passed over. Without a zero in it, as the scanned text has
 * none. */
static jg_status read_quoted(lexer *in, base_vec *text)
{
    for (; *in->at != '"'; in->at += 1) {
        char c = *in->at;
        if (c == '\n' || c == '\0')
            return lexer_fail(in, "expected \" before the line ends");
        if (c == '\\')
            JG_TRY(escaped(in, &c));
        JG_TRY(vec_append(text, &c, 1));
    }
    in->at += 1;
    return JG_OK;
}

jg_status lexer_quoted(lexer *in, kernel_program *kernel, uint32_t *out)
{
    base_vec text = {0};
    JG_TRY(lexer_expect(in, '"'));
    jg_status status = read_quoted(in, &text);
    if (status == JG_OK)
        status = kernel_add_text(kernel, text.data, text.nbytes, out);
    vec_clear(&text);
    return status;
}

jg_status lexer_source_line(lexer *in, uint32_t *out)
{
    int64_t line = 0;
    if (lexer_takes(in, '@'))
        JG_TRY(lexer_integer(in, &line));
    if (line < 0 || line > INT32_MAX)
        return lexer_fail(in, "a line of the source outside 1 to 2147483647");
    *out = (uint32_t)line;
    return JG_OK;
}

jg_status lexer_frame_bytes(lexer *in, const char *word, uint32_t *out)
{
    int64_t nbytes = 0;
    bool there = lexer_takes_word(in, word);
    if (there)
        JG_TRY(lexer_integer(in, &nbytes));
    if (there && (nbytes < KERNEL_FRAME_HEAD || nbytes > KERNEL_MAX_FRAME_NBYTES))
        return lexer_fail(in, "%s: got %" PRId64 ", allowed %d to %d", word, nbytes,
                          KERNEL_FRAME_HEAD, KERNEL_MAX_FRAME_NBYTES);
    *out = (uint32_t)nbytes;
    return JG_OK;
}

/* The end of the text ends a line, too. */
jg_status lexer_end_of_line(lexer *in)
{
    skip_blanks(in);
    if (*in->at != '\n' && *in->at != '\0')
        return lexer_fail(in, "expected the end of the line");
    skip_empty_lines(in);
    return JG_OK;
}

jg_status lexer_end_of_text(lexer *in)
{
    return *in->at == '\0' ? JG_OK : lexer_fail(in, "the kernel has ended");
}
