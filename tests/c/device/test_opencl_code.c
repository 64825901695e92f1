/* SPDX-License-Identifier: Apache-2.0 */
/* Printed programs on OpenCL, from the text to the result, through device_code_require and
 * device_launch_start. */
#include "../support.h"

#include "../tile/launch.h"
#include "device/opencl/opencl.h"
#include "source/source.h"

enum { COUNT = 1000, MANY = 1 << 20 };

static jg_device *device;
static launch l; /* the program and its space; tests do not use its memory */

/* A program's text with the code of it, and one launch. */
typedef struct printed {
    device_unit *unit;
    device_code *code;
    device_launch *launch;
} printed;

static int open_device(void **state)
{
    (void)state;
    assert_ok(device_require((jg_device_id){JG_DEVICE_OPENCL, 0}, &device));
    return 0;
}

/* x times a number, and x added. */
static void scale(int64_t count)
{
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_FLOAT32), factor = scalar_of(&l, JG_DTYPE_FLOAT32);
    store_of(&l, apply_to(&l, PROGRAM_ADD, apply_to(&l, PROGRAM_MULTIPLY, x, factor, 0), x, 0));
    launch_space(&l, 1, 0, &count, (int64_t[]){1, 1});
}

static void total(int64_t count)
{
    program_init(&l.program);
    store_of(&l, apply_to(&l, PROGRAM_REDUCE_ADD, load_of(&l, JG_DTYPE_INT64), 0, 0));
    launch_space(&l, 1, 1, &count, (int64_t[]){1, 0});
}

static printed print(const device_facts *facts, bool aligned)
{
    printed out;
    const device_work work = {.program = &l.program, .space = l.space};
    assert_ok(source_printer.print(facts, 1, &work, &out.unit));
    assert_ok(source_printer.arrange(out.unit, 0, &work, aligned, &out.launch));
    assert_ok(device_code_require(device, out.unit, &out.code));
    free(l.space);
    return out;
}

static void discard(printed *of)
{
    device_code_release(of->code);
    base_free(of->launch);
    source_printer.release(of->unit);
}

/* Memory of the device that holds the bytes. */
static void *filled(const void *bytes, size_t nbytes)
{
    void *block;
    assert_ok(device_alloc(device, nbytes, &block));
    const device_copy copy = {DEVICE_FROM_HOST, {block, 0}, {(void *)bytes, 0}, nbytes};
    assert_ok(device_copy_all(device, NULL, 1, &copy));
    return block;
}

static jg_status start(const printed *of, void *queue, void *const *handles, void *scratch)
{
    return device_launch_start(of->code, queue,
                               &(device_start){.takes = &of->unit->entries[0],
                                               .launch = of->launch,
                                               .handles = handles,
                                               .scratch = scratch});
}

static jg_status fetch(void *queue, void *block, void *to, size_t nbytes)
{
    const device_copy copy = {DEVICE_TO_HOST, {to, 0}, {block, 0}, nbytes};
    return device_copy_all(device, queue, 1, &copy);
}

/* Elements from an odd place of one block to another odd place of another. */
static void check_scaled(const device_facts *facts)
{
    float x[COUNT + 3], got[COUNT + 3] = {0};
    const int64_t offsets[] = {3 * sizeof(float), 1 * sizeof(float)};
    jg_scalar factor = {0};
    void *queue;
    for (int i = 0; i < COUNT + 3; ++i)
        x[i] = (float)i;
    store_value(&factor, (value){.re = 2}, JG_DTYPE_FLOAT32);
    scale(COUNT);
    printed of = print(facts, false);
    void *handles[] = {filled(x, sizeof x), filled(got, sizeof got)};
    program_device_launch_bind(of.launch, &of.unit->entries[0], offsets, &factor);
    assert_ok(device_queue_new(device, &queue));
    assert_ok(start(&of, queue, handles, NULL));
    assert_ok(fetch(queue, handles[1], got, sizeof got));
    assert_true(got[0] == 0 && got[COUNT + 1] == 0 && got[COUNT + 2] == 0);
    for (int i = 0; i < COUNT; ++i)
        assert_true(got[i + 1] == 3 * x[i + 3]);
    device_queue_free(device, queue);
    device_free(device, handles[0], sizeof x);
    device_free(device, handles[1], sizeof got);
    discard(&of);
}

static void a_printed_program_runs_from_offsets(void **state)
{
    (void)state;
    check_scaled(device->facts);
}

static void it_runs_in_groups_too(void **state)
{
    device_facts facts = *device->facts;
    (void)state;
    facts.shape = DEVICE_GROUP;
    check_scaled(&facts);
}

static void words_without_room_among_the_arguments_go_through_memory(void **state)
{
    device_facts facts = *device->facts;
    (void)state;
    facts.argument_nbytes = 16;
    check_scaled(&facts);
}

static void a_long_sum_goes_through_scratch_memory(void **state)
{
    static int64_t x[MANY];
    int64_t got = 0;
    void *scratch, *handles[2];
    device_facts facts = *device->facts;
    (void)state;
    for (int i = 0; i < MANY; ++i)
        x[i] = i;
    facts.compute_units = 8; /* a sum for each of several groups, however many the machine has */
    total(MANY);
    printed of = print(&facts, true);
    assert_true(of.launch->scratch_nbytes > 0 && of.launch->nsteps > 1);
    handles[0] = filled(x, sizeof x);
    handles[1] = filled(&got, sizeof got);
    assert_ok(device_alloc(device, of.launch->scratch_nbytes, &scratch));
    program_device_launch_bind(of.launch, &of.unit->entries[0], (int64_t[]){0, 0}, NULL);
    void *queue;
    assert_ok(device_queue_new(device, &queue));
    assert_ok(start(&of, queue, handles, scratch));
    assert_ok(fetch(queue, handles[1], &got, sizeof got));
    assert_int_equal(got, (int64_t)MANY * (MANY - 1) / 2);
    device_queue_free(device, queue);
    device_free(device, handles[0], sizeof x);
    device_free(device, handles[1], sizeof got);
    device_free(device, scratch, of.launch->scratch_nbytes);
    discard(&of);
}

/* One of several threads that start the same code with numbers of their own. */
typedef struct starter {
    const printed *of;
    void *handles[2];
    float factor;
    bool is_right;
} starter;

static jg_status start_many(starter *own, device_launch *mine, void *queue)
{
    const int64_t offsets[] = {0, 0};
    float got[COUNT];
    own->is_right = true;
    for (int turn = 0; turn < 100; ++turn) {
        jg_scalar factor = {0};
        float number = own->factor + (float)turn;
        memcpy(&factor, &number, sizeof number);
        program_device_launch_bind(mine, &own->of->unit->entries[0], offsets, &factor);
        JG_TRY(start(&(printed){own->of->unit, own->of->code, mine}, queue, own->handles, NULL));
        JG_TRY(fetch(queue, own->handles[1], got, sizeof got));
        for (int i = 0; i < COUNT; ++i)
            own->is_right = own->is_right && got[i] == (float)i * number + (float)i;
    }
    return JG_OK;
}

static void *start_on_own_queue(void *context)
{
    starter *own = context;
    const device_launch *shared = own->of->launch;
    size_t words = (size_t)own->of->unit->entries[0].nwords * (size_t)shared->nsteps;
    size_t nbytes = sizeof *shared + words * sizeof(uint64_t);
    device_launch *mine = base_copy(shared, nbytes);
    void *queue;
    for (int i = 0; i < shared->nsteps; ++i)
        mine->steps[i].words = mine->words + (shared->steps[i].words - shared->words);
    if (device_queue_new(device, &queue) != JG_OK || start_many(own, mine, queue) != JG_OK)
        own->is_right = false;
    device_queue_free(device, queue);
    base_free(mine);
    return NULL;
}

static void threads_start_one_code_on_queues_of_their_own(void **state)
{
    float x[COUNT];
    starter starters[2];
    (void)state;
    for (int i = 0; i < COUNT; ++i)
        x[i] = (float)i;
    scale(COUNT);
    printed of = print(device->facts, true);
    for (int i = 0; i < 2; ++i)
        starters[i] =
            (starter){&of, {filled(x, sizeof x), filled(x, sizeof x)}, (float)(i * 1000), false};
    run_threads(2, start_on_own_queue, starters, sizeof *starters);
    for (int i = 0; i < 2; ++i) {
        assert_true(starters[i].is_right);
        device_free(device, starters[i].handles[0], sizeof x);
        device_free(device, starters[i].handles[1], sizeof x);
    }
    discard(&of);
}

static jg_status load(const char *text, const char *name)
{
    device_entry entry = {.nkernels = 1};
    device_code *code;
    snprintf(entry.kernels[0].name, sizeof entry.kernels[0].name, "%s", name);
    const device_unit unit = {.text = text,
                              .nbytes = strlen(text),
                              .flags = "-cl-std=CL1.2",
                              .nentries = 1,
                              .entries = &entry};
    JG_TRY(device_code_require(device, &unit, &code));
    device_code_release(code);
    return JG_OK;
}

static void a_text_that_does_not_compile_is_refused_in_the_compilers_words(void **state)
{
    (void)state;
    assert_fails_saying(JG_ERR_DEVICE, "undeclared identifier 'nobody'",
                        load("kernel void f(global int *x) { x[0] = nobody; }", "f"));
    assert_fails_saying(JG_ERR_DEVICE, "CL_BUILD_PROGRAM_FAILURE (-11)",
                        load("kernel void f(global int *x) { x[0] = nobody; }", "f"));
    assert_fails_saying(JG_ERR_DEVICE, "clCreateKernel",
                        load("kernel void f(global int *x) { x[0] = 1; }", "g"));
    assert_ok(load("kernel void f(global int *x) { x[0] = 1; }", "f"));
}

static void missing_memory_is_told_and_nothing_leaks(void **state)
{
    jg_status status;
    int64_t nth = 0;
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_printed_program_runs_from_offsets),
        cmocka_unit_test(it_runs_in_groups_too),
        cmocka_unit_test(words_without_room_among_the_arguments_go_through_memory),
        cmocka_unit_test(a_long_sum_goes_through_scratch_memory),
        cmocka_unit_test(threads_start_one_code_on_queues_of_their_own),
        cmocka_unit_test(a_text_that_does_not_compile_is_refused_in_the_compilers_words),
        cmocka_unit_test(missing_memory_is_told_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, open_device, NULL);
}
