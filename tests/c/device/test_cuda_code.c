/* SPDX-License-Identifier: Apache-2.0 */
/* Printed programs on CUDA: the text that real devices get, compiled for the host and run by the
 * fake driver. The second device is newer than the compiler, so it gets PTX. */
#include "printed.h"

#include "fake_driver.h"

static int open_devices(void **state)
{
    (void)state;
    fake_open();
    assert_ok(device_require(CUDA_0, &here));
    return 0;
}

/* With the threads of a block in both orders, on both devices. */
static void everywhere(void (*check)(void))
{
    const jg_device_id ids[] = {CUDA_0, CUDA_1};
    for (int i = 0; i < 4; ++i) {
        fake.order(i % 2);
        assert_ok(device_require(ids[i / 2], &here));
        check();
    }
    fake.order(0);
    assert_ok(device_require(CUDA_0, &here));
    assert_int_equal(fake_counts().contexts, 0);
}

static void check_own_facts(void)
{
    check_scaled(here->facts);
}

TEST(a_printed_program_runs_from_offsets)
{
    everywhere(check_own_facts);
}

static void check_few_arguments(void)
{
    device_facts facts = *here->facts;
    facts.argument_nbytes = 16;
    check_scaled(&facts);
}

TEST(words_without_room_among_the_arguments_go_through_memory)
{
    fake_cuda_counts before = fake_counts();
    everywhere(check_few_arguments);
    assert_int_equal(fake_counts().blocks, before.blocks);
}

TEST(a_long_sum_goes_through_scratch_memory)
{
    everywhere(check_long_sum);
}

TEST(threads_start_one_code_on_queues_of_their_own)
{
    everywhere(check_threads);
}

static jg_status load(const char *body, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, "#define KERNEL extern \"C\" __global__ void\nKERNEL f(int *x)\n%s",
             body);
    return load_text(text, "-std=c++17", name);
}

TEST(a_text_that_does_not_compile_is_refused_in_the_compilers_words)
{
    assert_fails_saying(JG_ERR_DEVICE, "undeclared identifier 'nobody'",
                        load("{ x[0] = nobody; }", "f"));
    assert_fails_saying(JG_ERR_DEVICE, "NVRTC_ERROR_COMPILATION (6)",
                        load("{ x[0] = nobody; }", "f"));
    assert_fails_saying(JG_ERR_DEVICE, "cuModuleGetFunction", load("{ x[0] = 1; }", "g"));
    assert_ok(load("{ x[0] = 1; }", "f"));
}

TEST(what_is_kept_on_disk_and_does_not_load_is_compiled_again)
{
    assert_ok(load("{ x[0] = 3; }", "f"));
    device_code_trim(0);
    fake.fail_next("module_load", 0, 200);
    assert_ok(load("{ x[0] = 3; }", "f"));
    device_code_trim(0);
    assert_int_equal(fake_counts().modules, 0);
}

TEST(missing_memory_is_told_and_nothing_leaks)
{
    jg_status status;
    int64_t nth = 0;
    device_code_trim(0);
    int64_t before = base_live_blocks();
    do {
        base_fail_nth(++nth);
        status = load("{ x[0] = 2; }", "f");
        assert_true(status == JG_OK || status == JG_ERR_NOMEM);
        base_fail_nth(0);
        device_code_trim(0);
        assert_int_equal(base_live_blocks(), before);
        assert_int_equal(fake_counts().modules, 0);
    } while (status != JG_OK && nth < 100);
    assert_true(nth > 4 && nth < 20);
}

TEST(a_kernel_that_fails_is_named_and_ends_the_device)
{
    float x[COUNT] = {0};
    jg_scalar factor = {0};
    void *queue, *mark;
    scale(COUNT);
    printed of = print(here->facts, true);
    void *handles[] = {filled(x, sizeof x), filled(x, sizeof x)};
    device_launch_bind(of.launch, &of.unit->entries[0], (int64_t[]){0, 0}, &factor);
    assert_ok(device_queue_new(here, &queue));
    fake.fail_next("kernel", 0, 700);
    assert_ok(device_launch_start(of.code, queue,
                                  &(device_start){.takes = &of.unit->entries[0],
                                                  .label = "multiply",
                                                  .launch = of.launch,
                                                  .handles = handles}));
    assert_ok(device_mark_record(here, queue, &mark));
    assert_fails_saying(JG_ERR_DEVICE,
                        "[multiply] cuda:0: a command ended with CUDA_ERROR_ILLEGAL_ADDRESS",
                        device_mark_finish(here, mark));
    assert_fails_saying(JG_ERR_DEVICE, "CUDA_ERROR_ILLEGAL_ADDRESS",
                        fetch(queue, handles[1], x, sizeof x));
    fake.fail_next(NULL, 0, 0);
    device_queue_free(here, queue);
    device_free(here, handles[0], sizeof x);
    device_free(here, handles[1], sizeof x);
    discard(&of);
}

BEFORE_ALL(open_devices)
