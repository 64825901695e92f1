/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs on an OpenCL device, PoCL's: their values, who runs what, and what becomes of memory. */
#include "random_graph.h"

#include "../device/late_failure.h"

#include <joggle/joggle.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 60, COUNT = 5000 };

#define CPU ((jg_device_id){JG_DEVICE_CPU, 0})
#define OPENCL ((jg_device_id){JG_DEVICE_OPENCL, 0})

static const int64_t last = 1; /* axis */

TEST(random_graphs_have_the_values_of_loops)
{
    check_graphs_on(OPENCL, ROUNDS, true);
}

static jg_array *matrix_on(jg_device_id device, int64_t rows, int64_t columns)
{
    return numbers_on(device, rows, columns, 1 / 16.0f, -3);
}

/* Values that the host and the device compute in turns: transformed rows, and what is made of them.
 */
static jg_array *alternate(jg_array *x)
{
    jg_array *doubled, *turned, *sum, *again, *out;
    assert_ok(jg_add(x, x, &doubled));
    assert_ok(jg_hadamard_transform(doubled, NULL, &turned));
    assert_ok(jg_multiply(turned, x, &sum));
    assert_ok(jg_hadamard_transform(sum, NULL, &again));
    assert_ok(jg_subtract(again, doubled, &out));
    jg_array_release(doubled);
    jg_array_release(turned);
    jg_array_release(sum);
    jg_array_release(again);
    return out;
}

static void assert_same_bits(jg_array *x, jg_array *y)
{
    size_t nbytes = jg_array_nbytes(x);
    char *first = malloc(nbytes), *second = malloc(nbytes);
    assert_int_equal(nbytes, jg_array_nbytes(y));
    assert_ok(jg_array_copy_to(x, first, nbytes));
    assert_ok(jg_array_copy_to(y, second, nbytes));
    assert_memory_equal(first, second, nbytes);
    free(first);
    free(second);
}

TEST(launches_of_host_and_device_take_turns)
{
    jg_array *there = matrix_on(OPENCL, 50, 64), *here = matrix_on(CPU, 50, 64);
    jg_array *x = alternate(there), *y = alternate(here);
    char *text;
    assert_ok(jg_explain(1, &x, &text));
    assert_non_null(strstr(text, "on the host for opencl:0"));
    assert_non_null(strstr(text, " on opencl:0"));
    jg_text_release(text);
    assert_same_bits(x, y);
    jg_array_release(x);
    jg_array_release(y);
    jg_array_release(there);
    jg_array_release(here);
}

TEST(elementwise_work_has_the_bits_of_the_cpu)
{
    jg_array *x[2] = {matrix_on(OPENCL, 50, 100), matrix_on(CPU, 50, 100)}, *y[2];
    for (int i = 0; i < 2; ++i) {
        jg_array *a, *b;
        assert_ok(jg_tanh(x[i], &a));
        assert_ok(jg_exp(a, &b));
        assert_ok(jg_divide(b, x[i], &y[i]));
        jg_array_release(a);
        jg_array_release(b);
    }
    assert_same_bits(y[0], y[1]);
    for (int i = 0; i < 2; ++i) {
        jg_array_release(x[i]);
        jg_array_release(y[i]);
    }
}

TEST(work_that_may_not_fall_back_is_refused_and_can_be_asked_for_again)
{
    jg_array *x = matrix_on(OPENCL, 5, 16), *turned;
    assert_ok(jg_hadamard_transform(x, NULL, &turned));
    assert_ok(jg_option_set("device_fallback", "error"));
    assert_fails_saying(JG_ERR_UNSUPPORTED, "[hadamard_transform] opencl:0", jg_eval(1, &turned));
    assert_ok(jg_option_set("device_fallback", "host"));
    assert_ok(jg_eval(1, &turned));
    jg_array_release(turned);
    jg_array_release(x);
}

/* After the call that gave it to the queue; then the array has failed, and others go on. */
TEST(a_launch_that_fails_late_is_named_with_its_device)
{
    jg_array *x = matrix_on(OPENCL, 5, 10), *there, *y, *z;
    assert_ok(jg_add(x, x, &there));
    assert_ok(jg_eval(1, &there));
    assert_ok(jg_multiply(x, there, &y));
    assert_ok(jg_tanh(there, &z));
    begin_to_fail();
    assert_fails_saying(JG_ERR_DEVICE, "[multiply] opencl:0: a command ended with CL_OUT_OF",
                        jg_eval(1, &y));
    end_failing();
    assert_ok(jg_eval(1, &z));
    jg_array_release(x);
    jg_array_release(there);
    jg_array_release(y);
    jg_array_release(z);
}

static int (*true_events_wait)(unsigned, void *const *);
static int nwaits;

static int count_wait(unsigned count, void *const *events)
{
    nwaits += 1;
    return true_events_wait(count, events);
}

/* What is on the host goes to the device ahead of the launches, in order; only the end is waited
 * for. Where the host writes a block again that the device may still be reading, it waits. */
TEST(copies_to_the_device_are_not_waited_for)
{
    float numbers[30] = {1}, more[30] = {2};
    int64_t shape[] = {5, 6};
    jg_array *x, *y, *there[2], *sum;
    assert_ok(jg_array_from_data(numbers, JG_DTYPE_FLOAT32, 2, shape, &x));
    assert_ok(jg_array_from_data(more, JG_DTYPE_FLOAT32, 2, shape, &y));
    assert_ok(jg_to_device(x, OPENCL, &there[0]));
    assert_ok(jg_to_device(y, OPENCL, &there[1]));
    assert_ok(jg_add(there[0], there[1], &sum));
    true_events_wait = opencl.events_wait;
    opencl.events_wait = count_wait;
    assert_ok(jg_eval(1, &sum));
    opencl.events_wait = true_events_wait;
    assert_int_equal(nwaits, 1);
    assert_ok(jg_array_copy_to(sum, numbers, sizeof numbers));
    assert_true(numbers[0] == 3 && numbers[29] == 0);
    jg_array_release(x);
    jg_array_release(y);
    jg_array_release(there[0]);
    jg_array_release(there[1]);
    jg_array_release(sum);
}

static int refuse_build(void *program, unsigned count, void *const *devices, const char *flags,
                        void (*notify)(void *, void *), void *context)
{
    (void)program, (void)count, (void)devices, (void)flags, (void)notify, (void)context;
    return -5;
}

static int refuse_start(void *queue, void *kernel, unsigned ndim, const size_t *first,
                        const size_t *all, const size_t *group, unsigned nevents,
                        void *const *events, void **event)
{
    (void)queue, (void)kernel, (void)ndim, (void)first, (void)all, (void)group, (void)nevents;
    (void)events, (void)event;
    return -34;
}

static void *refuse_memory(void *context, uint64_t flags, size_t nbytes, const void *from,
                           int *error)
{
    (void)context, (void)flags, (void)nbytes, (void)from;
    *error = -4;
    return NULL;
}

/* A driver that does so for once: what it was asked for has failed, and nothing else. */
TEST(what_the_driver_refuses_is_told_with_op_and_device)
{
    const opencl_driver sound = opencl;
    jg_array *x = matrix_on(OPENCL, 3, 7), *y[4];
    assert_ok(jg_atanh(x, &y[0]));
    opencl.program_build = refuse_build;
    assert_fails_saying(JG_ERR_DEVICE, "[atanh] opencl:0: clBuildProgram: CL_OUT_OF_RESOURCES (-5)",
                        jg_eval(1, &y[0]));
    opencl = sound;
    assert_ok(jg_atanh(x, &y[1])); /* is compiled now */
    assert_ok(jg_eval(1, &y[1]));
    assert_ok(jg_atanh(x, &y[2]));
    opencl.start = refuse_start;
    assert_fails_saying(JG_ERR_DEVICE,
                        "[atanh] opencl:0: clEnqueueNDRangeKernel: CL_INVALID_CONTEXT (-34)",
                        jg_eval(1, &y[2]));
    opencl = sound;
    jg_clear_cache();
    assert_ok(jg_atanh(x, &y[3]));
    opencl.buffer_new = refuse_memory;
    assert_fails_saying(JG_ERR_NOMEM, "[atanh] out of memory: 256 bytes of opencl:0",
                        jg_eval(1, &y[3]));
    opencl = sound;
    assert_ok(jg_eval(1, &y[3])); /* it has not begun */
    jg_array_release(x);
    release_all(4, y);
}

static atomic_bool is_shut;
static atomic_int nstarts;
static int (*true_start)(void *, void *, unsigned, const size_t *, const size_t *, const size_t *,
                         unsigned, void *const *, void **);

static int wait_at_the_gate(unsigned count, void *const *events)
{
    while (is_shut)
        usleep(1000);
    return true_events_wait(count, events);
}

static int count_start(void *queue, void *kernel, unsigned ndim, const size_t *first,
                       const size_t *all, const size_t *group, unsigned nevents,
                       void *const *events, void **event)
{
    nstarts += 1;
    return true_start(queue, kernel, ndim, first, all, group, nevents, events, event);
}

/* gives: starts of kernels */
static int double_async(jg_array *x, int steps, jg_array **out)
{
    nstarts = 0;
    for (int i = 0; i < steps; ++i) {
        assert_ok(jg_add(i > 0 ? out[i - 1] : x, x, &out[i]));
        assert_ok(jg_eval_async(1, &out[i]));
    }
    for (int i = 0; i < 20000 && nstarts < steps; ++i)
        usleep(1000);
    return nstarts;
}

TEST(runs_are_queued_while_those_before_have_not_ended)
{
    jg_array *x = matrix_on(OPENCL, 2, 16), *steps[5];
    float got[32], from[32];
    true_start = opencl.start;
    opencl.start = count_start;
    true_events_wait = opencl.events_wait;
    opencl.events_wait = wait_at_the_gate;
    assert_int_equal(double_async(x, 1, steps), 1); /* compiled, and loaded */
    assert_ok(jg_synchronize());
    jg_array_release(steps[0]);
    is_shut = true;
    assert_int_equal(double_async(x, 5, steps), 5);
    assert_int_not_equal(jg_array_current_state(steps[0]), JG_ARRAY_AVAILABLE);
    is_shut = false;
    assert_ok(jg_array_copy_to(steps[4], got, sizeof got));
    opencl.events_wait = true_events_wait;
    opencl.start = true_start;
    assert_ok(jg_array_copy_to(x, from, sizeof from));
    for (int i = 0; i < 32; ++i)
        assert_true(got[i] == 6 * from[i]);
    jg_array_release(x);
    release_all(5, steps);
}

static void *(*true_program_new)(void *, unsigned, const char **, const size_t *, int *);
static int nprograms;

static void *count_program(void *context, unsigned count, const char **texts, const size_t *nbytes,
                           int *error)
{
    nprograms += 1;
    return true_program_new(context, count, texts, nbytes, error);
}

/* Several launches, none of which a test above has run. */
static jg_array *several_launches(jg_array *x)
{
    jg_array *powers, *scaled, *product, *sum, *out;
    assert_ok(jg_sinh(x, &powers));
    assert_ok(jg_hadamard_transform(powers, NULL, &scaled)); /* by the host */
    assert_ok(jg_matmul(x, scaled, &product));
    assert_ok(jg_sum(product, 1, &last, true, NULL, &sum));
    assert_ok(jg_subtract(product, sum, &out));
    jg_array *all[] = {powers, scaled, product, sum};
    release_all(4, all);
    return out;
}

TEST(the_kernels_of_a_plan_are_one_program)
{
    jg_array *there = matrix_on(OPENCL, 20, 20), *here = matrix_on(CPU, 20, 20), *more;
    jg_array *x = several_launches(there), *y = several_launches(here);
    float got[400], wanted[400];
    true_program_new = opencl.program_new;
    opencl.program_new = count_program;
    assert_ok(jg_eval(1, &x));
    assert_int_equal(nprograms, 1);
    assert_ok(jg_sinh(there, &more)); /* by itself another plan, of the same text */
    assert_ok(jg_eval(1, &more));
    opencl.program_new = true_program_new;
    assert_int_equal(nprograms, 1);
    assert_ok(jg_array_copy_to(x, got, sizeof got));
    assert_ok(jg_array_copy_to(y, wanted, sizeof wanted));
    for (int i = 0; i < 400; ++i)
        assert_true(got[i] - wanted[i] <= 0.05f && wanted[i] - got[i] <= 0.05f); /* of 17,000 */
    jg_array *all[] = {there, here, more, x, y};
    release_all(5, all);
}

/* Each thread computes with numbers of its own and looks at what came of them. */
static void *compute(void *context)
{
    jg_array *x = context, *y, *z;
    static _Thread_local float from[COUNT], got[COUNT];
    size_t nbytes = jg_array_nbytes(x);
    for (int i = 0; i < 20; ++i) {
        if (jg_add(x, x, &y) != JG_OK || jg_multiply(y, x, &z) != JG_OK ||
            jg_array_copy_to(z, got, nbytes) != JG_OK || jg_array_copy_to(x, from, nbytes) != JG_OK)
            return NULL;
        for (size_t j = 0; j < nbytes / sizeof *got; ++j)
            if (got[j] != 2 * from[j] * from[j])
                return NULL;
        jg_array_release(y);
        jg_array_release(z);
    }
    return x;
}

TEST(threads_compute_on_one_device)
{
    pthread_t threads[4];
    jg_array *x[4];
    for (int i = 0; i < 4; ++i)
        x[i] = matrix_on(OPENCL, 10 + i, 20);
    for (int i = 0; i < 4; ++i)
        pthread_create(&threads[i], NULL, compute, x[i]);
    for (int i = 0; i < 4; ++i) {
        void *sound;
        pthread_join(threads[i], &sound);
        assert_ptr_equal(sound, x[i]);
        jg_array_release(x[i]);
    }
}
