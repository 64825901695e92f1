/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of memory, which debug builds assert of each run: a plan that breaks it ends the
 * process. The plans are written out here, as the planner makes none. */
#include "../arrays.h"
#include "../forked.h"
#include "run/frame.h"

#include <signal.h>
#include <stdlib.h>

enum { LEAF, TEMP, RESULT, SLOTS, NBYTES = 64 };

static _Alignas(64) char memory[4 * NBYTES];

static bool writes(const plan_launch *launch, int operand)
{
    return operand == launch->noperands - 1;
}

static const plan_launch_kind kind = {.writes = writes};

/* RESULT is made of LEAF and TEMP, and TEMP of LEAF. */
typedef struct written_plan {
    jg_plan plan;
    run_evaluation run;
    plan_slot slots[SLOTS];
    plan_launch launches[2];
    plan_operand operands[2][3];
    void *addresses[SLOTS];
    jg_array *nodes[SLOTS]; /* that of TEMP is NULL, as in a plan that is kept for calls */
} written_plan;

static void write_plan(written_plan *w, jg_array *leaf, jg_array *result)
{
    *w = (written_plan){
        .slots = {[LEAF] = {.kind = SLOT_LEAF},
                  [TEMP] = {.kind = SLOT_TEMP, .nbytes = NBYTES},
                  [RESULT] = {.kind = SLOT_STORED, .nbytes = NBYTES}},
        .operands = {{{.slot = LEAF}, {.slot = TEMP}},
                     {{.slot = LEAF}, {.slot = TEMP}, {.slot = RESULT}}},
        .addresses = {memory, memory + NBYTES, memory + 2 * NBYTES},
        .nodes = {leaf, NULL, result},
    };
    for (int i = 0; i < 2; ++i)
        w->launches[i] = (plan_launch){
            .kind = &kind, .series = 1, .noperands = 2 + i, .operands = w->operands[i]};
    w->plan.nslots = SLOTS;
    w->plan.slots = w->slots;
    w->plan.nlaunches = 2;
    w->plan.launches = w->launches;
    w->run.plan = &w->plan;
    w->run.addresses = w->addresses;
}

static jg_array *arrays[2];

static int check(void *context)
{
    written_plan *w = context;
    run_check(&w->run, w->nodes);
    return 0;
}

/* Whether a check of the plan ends the process. */
static bool is_refused(written_plan *w)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)freopen("/dev/null", "w", stderr);
        signal(SIGABRT, SIG_DFL);
        _exit(check(w));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        assert_int_equal(WTERMSIG(status), SIGABRT);
    return WIFSIGNALED(status);
}

TEST(memory_of_its_own_is_right)
{
    written_plan w;
    write_plan(&w, arrays[0], arrays[1]);
    run_forked(check, &w);
}

TEST(a_temporary_without_a_node_is_not_written_over)
{
    written_plan w;
    write_plan(&w, arrays[0], arrays[1]);
    w.addresses[RESULT] = w.addresses[TEMP]; /* which the launch still reads */
    assert_true(is_refused(&w));
    w.operands[1][2].in_place = 1u << 1; /* but may write over */
    assert_false(is_refused(&w));
}

TEST(a_temporary_without_a_node_does_not_lie_over_what_is_read)
{
    written_plan w;
    write_plan(&w, arrays[0], arrays[1]);
    arrays[0]->stored = true;
    w.addresses[TEMP] = w.addresses[LEAF];
    assert_true(is_refused(&w));
    arrays[0]->stored = false;
    assert_true(is_refused(&w)); /* the second launch reads it */
}

static int make_arrays(void **state)
{
    (void)state;
#ifdef NDEBUG
    exit(77); /* what Meson takes for skipped: the build asserts nothing */
#endif
    for (int i = 0; i < 2; ++i) {
        arrays[i] = ones(NBYTES / (int)sizeof(float));
        arrays[i]->stored = false;
    }
    return 0;
}

static int release_arrays(void **state)
{
    (void)state;
    release_all(2, arrays);
    return 0;
}

BEFORE_ALL(make_arrays)
AFTER_ALL(release_arrays)
