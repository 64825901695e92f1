/* SPDX-License-Identifier: Apache-2.0 */
/* What kernel_parse.c reads the text form with: words, numbers, punctuation and ends of lines
 * (kernel_scan.c), and the names in scope (kernel_names.c). Messages name the line and the
 * column. */
#ifndef JG_KERNEL_SCAN_H
#define JG_KERNEL_SCAN_H

#include "program/kernel.h"

#define SCAN_MAX_NAME 255

/* A piece of the text. */
typedef struct scan_name {
    const char *text;
    uint32_t length;
} scan_name;

/* Borrows the text, as do the names that it gives: copy_name of kernel_parse.c makes texts of
 * them. */
typedef struct scanner {
    const char *text, *at; /* from its beginning; what is next */
    uint32_t line;         /* of the text, from 1 on: where `at` is */
} scanner;

/* kernel_scan.c. All pass over blanks first. raises: VALUE, with the place in the text */

void scan_begin(scanner *in, const char *text); /* and passes over empty lines */
jg_status scan_fail(const scanner *in, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
jg_status scan_fail_at(const scanner *in, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* The thread's failure with the line of the text put before its message. raises: VALUE, or what is
 * no fault of the text */
jg_status scan_pass_on(jg_status status, uint32_t line);

bool scan_is_word_character(char c);
bool scan_is(scan_name name, const char *word);
bool scan_sees(scanner *in, char c); /* next, blanks left out */
bool scan_sees_digit(scanner *in);
bool scan_takes(scanner *in, char c); /* and moves on, if so */
bool scan_takes_word(scanner *in, const char *word);
jg_status scan_expect(scanner *in, char c);
jg_status scan_expect_word(scanner *in, const char *word);

scan_name scan_peek_word(scanner *in); /* may be empty */
jg_status scan_word(scanner *in, scan_name *out);
jg_status scan_value_name(scanner *in, scan_name *out); /* without its % */
jg_status scan_dtype(scanner *in, jg_dtype *out);
jg_status scan_integer(scanner *in, int64_t *out);

/* A number of the type, or true or false. gives: its bits */
jg_status scan_number(scanner *in, jg_dtype type, uint64_t *out);

/* A text in quotes. gives: where the kernel has it */
jg_status scan_quoted(scanner *in, kernel_program *kernel, uint32_t *out);

jg_status scan_source_line(scanner *in, uint32_t *out); /* "@12"; 0 where there is none */
jg_status scan_end_of_line(scanner *in);                /* passes over empty lines, too */
jg_status scan_end_of_text(scanner *in);

/* kernel_names.c */

typedef enum name_kind { NAME_VALUE, NAME_ARRAY, NAME_LOCAL } name_kind;

#define NAME_BUCKETS 1024 /* chains stay short for kernels of thousands of values */

/* Values are apart from arrays and locals, so that a value may be named as an array is. */
typedef struct kernel_names {
    base_vec entries;
    uint32_t buckets[NAME_BUCKETS];
    uint32_t scopes[KERNEL_MAX_DEPTH + 2]; /* entries before each open block */
    int depth;
} kernel_names;

void names_init(kernel_names *names);
void names_clear(kernel_names *names);

/* gives: the index it was entered with; KERNEL_NONE if it is not in reach */
uint32_t names_find(const kernel_names *names, scan_name name, name_kind kind);

/* Whether an array, local or value stands in the way of another of that name and kind. */
bool names_taken(const kernel_names *names, scan_name name, name_kind kind);

/* Enters a name that is not taken, in the innermost scope. keeps: name's text | raises: NOMEM */
jg_status names_enter(kernel_names *names, scan_name name, name_kind kind, uint32_t index);

void names_open_scope(kernel_names *names);
void names_close_scope(kernel_names *names); /* forgets what was entered in it */

#endif
