/* SPDX-License-Identifier: Apache-2.0 */
/* Printed programs on OpenCL, from the text to the result, through device_code_require and
 * device_launch_start. */
#include "printed.h"

#include "device/opencl/opencl.h"

static int open_device(void **state)
{
    (void)state;
    assert_ok(device_require((jg_device_id){JG_DEVICE_OPENCL, 0}, &here));
    return 0;
}

TEST(a_printed_program_runs_from_offsets)
{
    check_scaled(here->facts);
}

TEST(a_printed_program_runs_in_groups)
{
    device_facts facts = *here->facts;
    facts.shape = DEVICE_GROUP;
    check_scaled(&facts);
}

TEST(words_without_room_among_the_arguments_go_through_memory)
{
    device_facts facts = *here->facts;
    facts.argument_nbytes = 16;
    check_scaled(&facts);
}

TEST(a_long_sum_goes_through_scratch_memory)
{
    check_long_sum();
}

TEST(threads_start_one_code_on_queues_of_their_own)
{
    check_threads();
}

static jg_status load(const char *text, const char *name)
{
    return load_text(text, "-cl-std=CL1.2", name);
}

TEST(a_text_that_does_not_compile_is_refused_in_the_compilers_words)
{
    assert_fails_saying(JG_ERR_DEVICE, "undeclared identifier 'nobody'",
                        load("kernel void f(global int *x) { x[0] = nobody; }", "f"));
    assert_fails_saying(JG_ERR_DEVICE, "CL_BUILD_PROGRAM_FAILURE (-11)",
                        load("kernel void f(global int *x) { x[0] = nobody; }", "f"));
    assert_fails_saying(JG_ERR_DEVICE, "clCreateKernel",
                        load("kernel void f(global int *x) { x[0] = 1; }", "g"));
    assert_ok(load("kernel void f(global int *x) { x[0] = 1; }", "f"));
}

TEST(missing_memory_is_told_and_nothing_leaks)
{
    jg_status status;
    int64_t nth = 0;
    device_code_trim(0);
    int64_t before = base_live_blocks();
    do {
        base_fail_nth(++nth);
        status = load("kernel void f(global int *x) { x[0] = 2; }", "f");
        assert_true(status == JG_OK || status == JG_ERR_NOMEM);
        base_fail_nth(0);
        device_code_trim(0);
        assert_int_equal(base_live_blocks(), before);
    } while (status != JG_OK && nth < 100);
    assert_int_equal(nth, 4);
}

BEFORE_ALL(open_device)
