/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of kernels: their text and the rules for them. */
#include "printing.h"

static void a_stack_is_read_and_written_by_push_and_pop_alone(void **state)
{
    (void)state;
    assert_refused("s: a stack is pushed and popped, another local is not",
                   "kernel k\nscalar x int32\n{\nstack s int32\nset s = %x\n}\n");
    assert_refused("s: a stack is pushed and popped, another local is not",
                   "kernel k\nscalar x int32\n{\nlocal s int32\npush s %x\n}\n");
}

static void a_stack_of_the_serial_code_is_out_of_reach_in_parallel_loops(void **state)
{
    (void)state;
    assert_refused("stack s: not declared in the parallel loop",
                   "kernel k\nscalar n int32\n{\nstack s int32\n"
                   "parallel %i:int32 = %n to %n {\npush s %i\n}\n}\n");
}

static void what_is_pushed_has_the_stacks_dtype(void **state)
{
    kernel_program kernel;
    (void)state;
    assert_fails_saying(
        JG_ERR_TYPE, "operand 1 is int32, it must be float32",
        kernel_parse("kernel k\nscalar n int32\n{\nstack s float32\npush s %n\n}\n", &kernel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_is_read_and_written_by_push_and_pop_alone),
        cmocka_unit_test(a_stack_of_the_serial_code_is_out_of_reach_in_parallel_loops),
        cmocka_unit_test(what_is_pushed_has_the_stacks_dtype),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
