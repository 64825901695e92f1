/* SPDX-License-Identifier: Apache-2.0 */
/* Printed programs on a device that runs them, from the text to the result, through
 * device_code_require and device_launch_start: what the tests of OpenCL and of CUDA have in
 * common. */
#ifndef TESTS_DEVICE_PRINTED_H
#define TESTS_DEVICE_PRINTED_H

#include "../support.h"

#include "../tile/launch.h"
#include "device/device.h"
#include "source/source.h"

enum { COUNT = 1000, MANY = 1 << 20 };

static jg_device *here;
static launch l; /* the program and its space; tests do not use its memory */

/* A program's text with the code of it, and one launch. */
typedef struct printed {
    device_unit *unit;
    device_code *code;
    device_launch *launch;
} printed;

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
    assert_ok(device_code_require(here, out.unit, &out.code));
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
    assert_ok(device_alloc(here, nbytes, &block));
    const device_copy copy = {DEVICE_FROM_HOST, {block, 0}, {(void *)bytes, 0}, nbytes};
    assert_ok(device_copy_all(here, NULL, 1, &copy));
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
    return device_copy_all(here, queue, 1, &copy);
}

/* Elements from an odd place of one block to another odd place of another. */
static inline void check_scaled(const device_facts *facts)
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
    device_launch_bind(of.launch, &of.unit->entries[0], offsets, &factor);
    assert_ok(device_queue_new(here, &queue));
    assert_ok(start(&of, queue, handles, NULL));
    assert_ok(fetch(queue, handles[1], got, sizeof got));
    assert_true(got[0] == 0 && got[COUNT + 1] == 0 && got[COUNT + 2] == 0);
    for (int i = 0; i < COUNT; ++i)
        assert_true(got[i + 1] == 3 * x[i + 3]);
    device_queue_free(here, queue);
    device_free(here, handles[0], sizeof x);
    device_free(here, handles[1], sizeof got);
    discard(&of);
}

/* A sum whose groups give their parts to scratch memory: in GROUP a second kernel adds those up, in
 * LANES the group that ends last. */
static inline void check_long_sum(void)
{
    static int64_t x[MANY];
    int64_t got = 0;
    void *scratch, *handles[2];
    device_facts facts = *here->facts;
    for (int i = 0; i < MANY; ++i)
        x[i] = i;
    facts.compute_units = 8; /* a sum for each of several groups, however many the machine has */
    total(MANY);
    printed of = print(&facts, true);
    assert_true(of.launch->scratch_nbytes > 0 && of.launch->steps[0].groups > 1);
    assert_int_equal(of.launch->nsteps, facts.shape == DEVICE_LANES ? 1 : 2);
    handles[0] = filled(x, sizeof x);
    handles[1] = filled(&got, sizeof got);
    assert_ok(device_alloc(here, of.launch->scratch_nbytes, &scratch));
    device_launch_bind(of.launch, &of.unit->entries[0], (int64_t[]){0, 0}, NULL);
    void *queue;
    assert_ok(device_queue_new(here, &queue));
    assert_ok(start(&of, queue, handles, scratch));
    assert_ok(fetch(queue, handles[1], &got, sizeof got));
    assert_int_equal(got, (int64_t)MANY * (MANY - 1) / 2);
    device_queue_free(here, queue);
    device_free(here, handles[0], sizeof x);
    device_free(here, handles[1], sizeof got);
    device_free(here, scratch, of.launch->scratch_nbytes);
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
        device_launch_bind(mine, &own->of->unit->entries[0], offsets, &factor);
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
    /* What they begin as stands before the words of the steps. */
    size_t words = (size_t)own->of->unit->entries[0].nwords * (size_t)(shared->nsteps + 1);
    size_t nbytes = sizeof *shared + words * sizeof(uint64_t);
    device_launch *mine = base_copy(shared, nbytes);
    void *queue;
    for (int i = 0; i < shared->nsteps; ++i)
        mine->steps[i].words = mine->words + (shared->steps[i].words - shared->words);
    if (device_queue_new(here, &queue) != JG_OK || start_many(own, mine, queue) != JG_OK)
        own->is_right = false;
    device_queue_free(here, queue);
    base_free(mine);
    return NULL;
}

/* Two threads start one code, each on a queue of its own. */
static inline void check_threads(void)
{
    float x[COUNT];
    starter starters[2];
    for (int i = 0; i < COUNT; ++i)
        x[i] = (float)i;
    scale(COUNT);
    printed of = print(here->facts, true);
    for (int i = 0; i < 2; ++i)
        starters[i] =
            (starter){&of, {filled(x, sizeof x), filled(x, sizeof x)}, (float)(i * 1000), false};
    run_threads(2, start_on_own_queue, starters, sizeof *starters);
    for (int i = 0; i < 2; ++i) {
        assert_true(starters[i].is_right);
        device_free(here, starters[i].handles[0], sizeof x);
        device_free(here, starters[i].handles[1], sizeof x);
    }
    discard(&of);
}

/* Loads a text with one kernel of that name, and lets go of it. */
static inline jg_status load_text(const char *text, const char *flags, const char *name)
{
    device_entry entry = {.nkernels = 1};
    device_code *code;
    snprintf(entry.kernels[0].name, sizeof entry.kernels[0].name, "%s", name);
    const device_unit unit = {
        .text = text, .nbytes = strlen(text), .flags = flags, .nentries = 1, .entries = &entry};
    JG_TRY(device_code_require(here, &unit, &code));
    device_code_release(code);
    return JG_OK;
}

#endif
