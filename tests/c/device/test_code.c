/* SPDX-License-Identifier: Apache-2.0 */
/* The table of loaded code, over a device that counts what it compiles. */
#include "../opaque_device.h"

#include "../forked.h"

enum { THREADS = 8 };

/* What the device has been asked. */
static struct {
    atomic_int loads, frees, starts;
    atomic_int late_us;  /* how long it compiles */
    atomic_bool refuses; /* texts with "bad" in them */
} counted;

static jg_status count_load(jg_device *device, const device_unit *unit, void **out)
{
    (void)device;
    counted.loads += 1;
    usleep((useconds_t)counted.late_us);
    if (counted.refuses && unit->nbytes >= 3 && strstr(unit->text, "bad") != NULL)
        return base_fail(JG_ERR_DEVICE, "counting: cannot compile '%s'", unit->text);
    *out = base_copy(unit->text, unit->nbytes);
    return *out != NULL ? JG_OK : base_nomem(unit->nbytes, "code");
}

static void count_free(jg_device *device, void *code)
{
    (void)device;
    counted.frees += 1;
    base_free(code);
}

/* Each work of a text is a letter, which its label is. */
static jg_status count_start(jg_device *device, void *queue, void *code, const device_start *start)
{
    (void)device;
    (void)queue;
    counted.starts += ((const char *)code)[start->entry] == start->label[0];
    return JG_OK;
}

/* A printer of letters: that of a work is in its product. */
typedef struct letters {
    device_unit unit;
    char text[32];
} letters;

static jg_status print_letters(const device_facts *facts, int count, const device_work *works,
                               device_unit **out)
{
    letters *made = base_alloc_zeroed(sizeof *made);
    (void)facts;
    if (made == NULL)
        return base_nomem(sizeof *made, "letters");
    for (int i = 0; i < count; ++i)
        made->text[i] = (char)works[i].product->rows;
    made->unit.text = made->text;
    made->unit.nbytes = (size_t)count;
    made->unit.flags = "";
    *out = &made->unit;
    return JG_OK;
}

static void release_letters(device_unit *unit)
{
    base_free(unit);
}

static const device_printer printer = {.print = print_letters, .release = release_letters};

static const device_facts facts = {.group_limit = 1, .compute_units = 1};
static jg_device_ops ops;
static jg_device devices[2] = {
    {.ops = &ops, .id = {JG_DEVICE_EXT, 0}, .facts = &facts},
    {.ops = &ops, .id = {JG_DEVICE_EXT, 1}, .facts = &facts},
};

static int register_devices(void **state)
{
    (void)state;
    ops = opaque_ops;
    ops.code_load = count_load;
    ops.code_free = count_free;
    ops.launch = count_start;
    assert_ok(device_register(&devices[0]));
    assert_ok(device_register(&devices[1]));
    return 0;
}

/* Each test begins without code. */
static int forget(void **state)
{
    (void)state;
    device_code_trim(0);
    counted.loads = counted.frees = counted.starts = counted.late_us = 0;
    counted.refuses = false;
    return 0;
}

static device_unit unit_of(const char *text, const char *flags)
{
    return (device_unit){.text = text, .nbytes = strlen(text), .flags = flags};
}

static device_code *require(const char *text)
{
    device_code *code;
    const device_unit unit = unit_of(text, "");
    assert_ok(device_code_require(&devices[0], &unit, &code));
    return code;
}

TEST(an_equal_text_is_compiled_once)
{
    char copy[] = "text";
    device_code *first = require("text"), *second = require(copy);
    assert_ptr_equal(first, second);
    device_code_release(first);
    device_code_release(second);
    device_code *third = require("text");
    assert_ptr_equal(third, first);
    device_code_release(third);
    device_code_release(NULL);
    assert_int_equal(counted.loads, 1);
    assert_int_equal(counted.frees, 0);
}

TEST(another_text_flag_or_device_is_other_code)
{
    device_code *codes[4];
    const device_unit units[] = {unit_of("text", ""), unit_of("text", "-flag"),
                                 unit_of("texts", ""), unit_of("text", "")};
    for (int i = 0; i < 4; ++i)
        assert_ok(device_code_require(&devices[i == 3], &units[i], &codes[i]));
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j)
            assert_ptr_not_equal(codes[i], codes[j]);
    for (int i = 0; i < 4; ++i)
        device_code_release(codes[i]);
    assert_int_equal(counted.loads, 4);
}

TEST(a_start_goes_to_the_code_of_its_text)
{
    device_code *code = require("text"), *other = require("other");
    assert_ok(device_launch_start(code, NULL, &(device_start){.label = "t"}));
    assert_int_equal(counted.starts, 1);
    device_code_release(code);
    device_code_release(other);
}

TEST(code_without_references_is_unloaded_oldest_first)
{
    char text[16];
    device_code *held = require("held");
    for (int i = 0; i < 1024; ++i) {
        snprintf(text, sizeof text, "%d", i);
        device_code_release(require(text));
    }
    assert_int_equal(counted.frees, 0);
    device_code_release(require("0")); /* is the newest then */
    device_code_release(require("1024"));
    assert_int_equal(counted.frees, 1);
    assert_int_equal(counted.loads, 1026);
    device_code_release(require("0"));
    assert_int_equal(counted.loads, 1026);
    device_code_release(require("1"));
    assert_int_equal(counted.loads, 1027);
    device_code_trim(3);
    assert_int_equal(counted.frees, 2 + 1021);
    device_code_release(held);
    device_code_trim(0);
    assert_int_equal(counted.frees, counted.loads);
}

TEST(a_failure_is_told_and_tried_again)
{
    device_code *code;
    const device_unit unit = unit_of("bad", "");
    counted.refuses = true;
    for (int i = 0; i < 2; ++i)
        assert_fails_saying(JG_ERR_DEVICE, "cannot compile 'bad'",
                            device_code_require(&devices[0], &unit, &code));
    counted.refuses = false;
    device_code_release(require("bad"));
    assert_int_equal(counted.loads, 3);
}

enum { LETTERS = 26 };

/* A request for each of the letters, whose texts and works lie behind it. */
typedef struct asked {
    device_request requests[LETTERS];
    device_unit units[LETTERS];
    device_work works[LETTERS];
    device_product products[LETTERS];
    int count;
} asked;

static void ask_for_letters(asked *own, const char *text)
{
    own->count = (int)strlen(text);
    for (int i = 0; i < own->count; ++i) {
        own->products[i].rows = text[i];
        own->works[i] = (device_work){.kind = DEVICE_WORK_PRODUCT, .product = &own->products[i]};
        own->units[i] = (device_unit){
            .printer = &printer, .text = text + i, .nbytes = 1, .flags = "", .nentries = 1};
        own->requests[i] = (device_request){.work = &own->works[i], .unit = &own->units[i]};
    }
    device_code_require_all(&devices[0], own->count, own->requests);
}

/* Starts each letter that has code, and lets go of it. gives: how many */
static int start_letters(const asked *own)
{
    int count = 0;
    for (int i = 0; i < own->count; ++i) {
        const char label[] = {own->units[i].text[0], '\0'};
        if (own->requests[i].code == NULL)
            continue;
        assert_ok(
            device_launch_start(own->requests[i].code, NULL, &(device_start){.label = label}));
        device_code_release(own->requests[i].code);
        count += 1;
    }
    return count;
}

TEST(texts_asked_for_together_are_one_program)
{
    asked first, second;
    ask_for_letters(&first, "abcab"); /* twice the same is one part */
    assert_int_equal(counted.loads, 1);
    assert_int_equal(start_letters(&first), 5);
    ask_for_letters(&second, "xbyc"); /* two of them are there */
    assert_int_equal(counted.loads, 2);
    assert_int_equal(start_letters(&second), 4);
    assert_int_equal(counted.starts, 9);
    device_code_release(require("y"));
    assert_int_equal(counted.loads, 2);
}

TEST(a_program_is_unloaded_with_its_last_part)
{
    asked all;
    ask_for_letters(&all, "abc");
    device_code *held = require("b");
    assert_int_equal(start_letters(&all), 3);
    device_code_trim(0);
    assert_int_equal(counted.frees, 0);
    device_code_release(held);
    device_code_trim(0);
    assert_int_equal(counted.frees, 1);
}

TEST(many_texts_are_a_few_programs)
{
    asked all;
    ask_for_letters(&all, "abcdefghijklmnopqrstuvwxyz");
    assert_int_equal(counted.loads, 2);
    assert_int_equal(start_letters(&all), 26);
    assert_int_equal(counted.starts, 26);
}

/* The program of all three is refused, but no letter is. */
TEST(texts_whose_program_fails_are_compiled_alone)
{
    asked all;
    int64_t before = base_live_blocks();
    counted.refuses = true;
    ask_for_letters(&all, "bad");
    assert_int_equal(counted.loads, 4);
    assert_int_equal(start_letters(&all), 3);
    assert_int_equal(counted.starts, 3);
    device_code_trim(0);
    assert_int_equal(counted.frees, 3);
    assert_int_equal(base_live_blocks(), before);
}

TEST(without_memory_texts_have_no_code_and_nothing_leaks)
{
    int64_t before = base_live_blocks(), nth = 0;
    int made;
    do {
        asked all;
        base_fail_nth(++nth);
        ask_for_letters(&all, "abc");
        base_fail_nth(0);
        made = start_letters(&all);
        device_code_trim(0);
        assert_int_equal(base_live_blocks(), before);
    } while (nth < 12);
    assert_int_equal(made, 3);
}

/* Of two plans that share a part: each compiles what the other has not. */
static void *ask_for_some(void *context)
{
    ask_for_letters(context, ((asked *)context)->count == 0 ? "abc" : "cde");
    return NULL;
}

TEST(threads_that_ask_for_some_of_the_same_wait_for_each_other)
{
    static asked both[2];
    counted.late_us = 50000;
    both[0].count = 0;
    both[1].count = 1;
    run_threads(2, ask_for_some, both, sizeof *both);
    assert_int_equal(counted.loads, 2);
    assert_int_equal(start_letters(&both[0]) + start_letters(&both[1]), 6);
    assert_int_equal(counted.starts, 6);
}

/* One of many threads that ask for a text at once. */
typedef struct asker {
    const char *text;
    device_code *code;
    jg_error failure;
} asker;

static void *ask(void *context)
{
    asker *own = context;
    const device_unit unit = unit_of(own->text, "");
    jg_status status = device_code_require(&devices[0], &unit, &own->code);
    if (status != JG_OK)
        error_capture(&own->failure, status);
    return NULL;
}

TEST(threads_that_ask_at_once_compile_once)
{
    asker askers[THREADS];
    counted.late_us = 50000;
    for (int i = 0; i < THREADS; ++i)
        askers[i] = (asker){.text = i % 2 == 0 ? "even" : "odd"};
    run_threads(THREADS, ask, askers, sizeof *askers);
    assert_int_equal(counted.loads, 2);
    for (int i = 0; i < THREADS; ++i) {
        assert_ptr_equal(askers[i].code, askers[i % 2].code);
        device_code_release(askers[i].code);
    }
}

TEST(threads_that_wait_for_a_failure_are_told)
{
    asker askers[THREADS];
    int64_t before = base_live_blocks();
    counted.late_us = 50000;
    counted.refuses = true;
    for (int i = 0; i < THREADS; ++i)
        askers[i] = (asker){.text = "bad"};
    run_threads(THREADS, ask, askers, sizeof *askers);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(askers[i].failure.status, JG_ERR_DEVICE);
        assert_non_null(strstr(askers[i].failure.message, "cannot compile 'bad'"));
    }
    assert_int_equal(base_live_blocks(), before);
}

TEST(missing_memory_is_told_and_nothing_leaks)
{
    device_code *code = NULL;
    const device_unit unit = unit_of("text", "");
    int64_t before = base_live_blocks(), nth = 0;
    jg_status status;
    do {
        base_fail_nth(++nth);
        status = device_code_require(&devices[0], &unit, &code);
        assert_true(status == JG_OK || status == JG_ERR_NOMEM);
        if (status != JG_OK)
            assert_int_equal(base_live_blocks(), before);
    } while (status != JG_OK && nth < 10);
    base_fail_nth(0);
    assert_int_equal(nth, 4);
    device_code_release(code);
}

static int compile_in_child(void *context)
{
    device_code *code;
    const device_unit unit = unit_of("late", "");
    (void)context;
    CHILD_CHECK(device_code_require(&devices[0], &unit, &code) == JG_OK);
    device_code_release(code);
    return 0;
}

TEST(a_child_does_not_wait_for_a_thread_of_its_parent)
{
    pthread_t thread;
    asker own = {.text = "late"};
    counted.late_us = 300000;
    assert_int_equal(pthread_create(&thread, NULL, ask, &own), 0);
    while (counted.loads == 0)
        usleep(1000);
    run_forked(compile_in_child, NULL);
    pthread_join(thread, NULL);
    assert_non_null(own.code);
    device_code_release(own.code);
    assert_int_equal(counted.loads, 1);
}

BEFORE_ALL(register_devices)
BEFORE_EACH(forget)
