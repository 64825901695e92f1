/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of kernels: their text and the rules for them. */
#include "printing.h"

TEST(a_stack_is_read_and_written_by_push_and_pop_alone)
{
    assert_refused("s: a stack is pushed and popped, another local is not",
                   "kernel k\nscalar x int32\n{\nstack s int32\nset s = %x\n}\n");
    assert_refused("s: a stack is pushed and popped, another local is not",
                   "kernel k\nscalar x int32\n{\nlocal s int32\npush s %x\n}\n");
}

TEST(a_stack_of_the_serial_code_is_out_of_reach_in_parallel_loops)
{
    assert_refused("stack s: not declared in the parallel loop",
                   "kernel k\nscalar n int32\n{\nstack s int32\n"
                   "parallel %i:int32 = %n to %n {\npush s %i\n}\n}\n");
}

TEST(what_is_pushed_has_the_stacks_dtype)
{
    kernel_program kernel;
    assert_fails_saying(
        JG_ERR_TYPE, "operand 1 is int32, it must be float32",
        kernel_parse("kernel k\nscalar n int32\n{\nstack s float32\npush s %n\n}\n", &kernel));
}
