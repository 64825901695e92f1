/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer and the names with which parse.c reads the text form: words, numbers, punctuation and
 * ends of lines (lexer.c), and the names in scope (names.c). Messages name the line and the
 * column. */
#ifndef JG_KERNEL_LEXER_H
#define JG_KERNEL_LEXER_H

#include "kernel/kernel.h"

#define LEXER_MAX_NAME 255

/* A piece of the text. */
typedef struct lexer_name {
    const char *text;
    uint32_t length;
} lexer_name;

/* Borrows the text, as do the names that it gives: copy_name of parse.c makes texts of
 * them. */
typedef struct lexer {
    const char *text, *at; /* from its beginning; what is next */
    uint32_t line;         /* of the text, from 1 on: where `at` is */
} lexer;

/* lexer.c. All pass over blanks first. raises: VALUE, with the position in the text */

void lexer_begin(lexer *in, const char *text); /* and passes over empty lines */

/* A failure at the lexer's position, or at another one in its text, with line and column.
 * raises: VALUE, always */
jg_status lexer_fail(const lexer *in, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
jg_status lexer_fail_at(const lexer *in, const char *position, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* The thread's failure with the line of the text put before its message. raises: VALUE, or what is
 * no fault of the text */
jg_status lexer_pass_on(jg_status status, uint32_t line);

/* Whether c may be in a word; whether a name is that word. raises: never */
bool lexer_is_word_character(char c);
bool lexer_is(lexer_name name, const char *word);

/* Whether c, or a digit, comes next. The takes_ functions also consume it if it does.
 * raises: never */
bool lexer_sees(lexer *in, char c);
bool lexer_sees_digit(lexer *in);
bool lexer_takes(lexer *in, char c);
bool lexer_takes_word(lexer *in, const char *word);

/* Moves on over c, or the word. raises: VALUE if something else comes next */
jg_status lexer_expect(lexer *in, char c);
jg_status lexer_expect_word(lexer *in, const char *word);

/* Each function reads the token of its name; a value's name is given without its %. lexer_peek_word
 * does not consume the word, and gives an empty name if no word comes next. gives: *out | raises:
 * VALUE */
lexer_name lexer_peek_word(lexer *in);
jg_status lexer_word(lexer *in, lexer_name *out);
jg_status lexer_value_name(lexer *in, lexer_name *out);
jg_status lexer_dtype(lexer *in, jg_dtype *out);
jg_status lexer_integer(lexer *in, int64_t *out);

/* Reads a number of the type, or true or false. gives: *out, its bits | raises: VALUE */
jg_status lexer_number(lexer *in, jg_dtype type, uint64_t *out);

/* Reads a text in quotes and adds it to the kernel's texts.
 * gives: *out, its offset there | raises: VALUE, NOMEM, UNSUPPORTED */
jg_status lexer_quoted(lexer *in, kernel_program *kernel, uint32_t *out);

/* Reads "at 64" or "frame 128", by its word; or "@12", the line of the source.
 * gives: *out, 0 where there is none | raises: VALUE */
jg_status lexer_frame_bytes(lexer *in, const char *word, uint32_t *out);
jg_status lexer_source_line(lexer *in, uint32_t *out);

/* Moves on to the next line that is not empty. raises: VALUE if anything else comes before it */
jg_status lexer_end_of_line(lexer *in);

/* Checks that nothing but blanks and empty lines follows. raises: VALUE */
jg_status lexer_end_of_text(lexer *in);

/* names.c */

typedef enum name_kind { NAME_VALUE, NAME_ARRAY, NAME_LOCAL } name_kind;

#define NAME_BUCKETS 1024 /* chains stay short for kernels of thousands of values */

/* Values are apart from arrays and locals, so that a value may be named as an array is. */
typedef struct kernel_names {
    base_vec entries;
    uint32_t buckets[NAME_BUCKETS];
    uint32_t scopes[KERNEL_MAX_DEPTH + 2]; /* entries before each open block */
    int depth;
} kernel_names;

/* Makes the names empty; frees their memory. */
void names_init(kernel_names *names);
void names_clear(kernel_names *names);

/* gives: the index it was entered with; KERNEL_NONE if it is not in scope */
uint32_t names_find(const kernel_names *names, lexer_name name, name_kind kind);

/* Whether an array, local or value already has a name that another of that kind would have. */
bool names_taken(const kernel_names *names, lexer_name name, name_kind kind);

/* Enters a name that is not taken, in the innermost scope. keeps: name's text | raises: NOMEM */
jg_status names_enter(kernel_names *names, lexer_name name, name_kind kind, uint32_t index);

/* Begins a scope; ends the innermost one and removes the names that were entered in it. */
void names_open_scope(kernel_names *names);
void names_close_scope(kernel_names *names);

#endif
