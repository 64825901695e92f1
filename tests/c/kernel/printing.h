/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a kernel, for tests that compare it, and texts that are none. */
#ifndef JG_TESTS_KERNEL_PRINTING_H
#define JG_TESTS_KERNEL_PRINTING_H

#include "../support.h"
#include "kernel/kernel.h"

/* gives: a block for base_free */
static inline char *printed(const kernel_program *kernel)
{
    base_text text = {0};
    char *out;
    kernel_print(kernel, &text);
    assert_ok(text_finish(&text, &out));
    return out;
}

/* That the text is no kernel, with what the message says. */
static inline void assert_refused(const char *message, const char *source)
{
    kernel_program kernel;
    assert_fails_saying(JG_ERR_VALUE, message, kernel_parse(source, &kernel));
}

#endif
