/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are compared, to the letter, with those in tests/golden. JOGGLE_WRITE_GOLDEN=1 writes
 * them anew. */
#ifndef JG_TESTS_GOLDEN_H
#define JG_TESTS_GOLDEN_H

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* gives: the text on file, for free */
static inline char *golden_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s: is not there; JOGGLE_WRITE_GOLDEN=1 writes it", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t nbytes = (size_t)ftell(file);
    char *text = malloc(nbytes + 1);
    rewind(file);
    assert_int_equal(fread(text, 1, nbytes, file), nbytes);
    text[nbytes] = '\0';
    fclose(file);
    return text;
}

static inline void golden_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        fail_msg("%s: cannot be written", path);
}

/* The first line that differs, for the message. */
static inline int golden_difference(const char *a, const char *b)
{
    int line = 1;
    for (; *a == *b && *a != '\0'; ++a, ++b)
        line += *a == '\n';
    return line;
}

/* name: of the file in tests/golden */
static inline void golden_compare(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/golden/%s", getenv("JOGGLE_TEST_ROOT"), name);
    if (getenv("JOGGLE_WRITE_GOLDEN") != NULL)
        golden_write(path, text);
    char *expected = golden_read(path);
    if (strcmp(text, expected) != 0)
        fail_msg("%s:%d: another text is printed; JOGGLE_WRITE_GOLDEN=1 writes it", path,
                 golden_difference(text, expected));
    free(expected);
}

#endif
