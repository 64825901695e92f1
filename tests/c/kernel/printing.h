/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a kernel, for tests that compare it. */
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

#endif
