/* SPDX-License-Identifier: Apache-2.0 */
/* Running a kernel: its arguments, its code, the pending readers of the memory that it writes, and
 * the call.
 *
 * Small launches need no heap: the data for the code lies in a block on the stack. */
#include "field/kernel.h"
#include <errno.h>
#include <string.h>

enum { FEW_WORDS = 192 }; /* some twenty arrays of two axes; more take a block of the heap */

/* A run's seed is the hash of the process's and the run's number. */
static atomic_uint_fast64_t seed, runs;
static pthread_once_t seeded = PTHREAD_ONCE_INIT;

static void seed_from_system(void)
{
    atomic_store_explicit(&seed, base_entropy(), memory_order_relaxed);
}

void jg_kernel_set_seed(uint64_t value)
{
    pthread_once(&seeded, seed_from_system); /* else it would overwrite this one later */
    atomic_store_explicit(&seed, value, memory_order_relaxed);
    atomic_store_explicit(&runs, 0, memory_order_relaxed);
}

uint64_t field_next_seed(void)
{
    pthread_once(&seeded, seed_from_system);
    uint64_t key[2] = {atomic_load_explicit(&seed, memory_order_relaxed),
                       atomic_fetch_add_explicit(&runs, 1, memory_order_relaxed)};
    return hash_bytes(key, sizeof key);
}

static jg_status take_arguments(field_launch *launch, const jg_view *const *arrays,
                                const jg_number *scalars)
{
    const kernel_program *program = &launch->kernel->program;
    for (uint32_t a = 0; a < program->narrays; ++a)
        JG_TRY(field_launch_take_array(launch, a, arrays[a]));
    for (uint32_t s = 0; s < program->nscalars; ++s)
        JG_TRY(field_launch_take_scalar(launch, s, &scalars[s]));
    return JG_OK;
}

/* Evaluates pending nodes that read memory which the kernel will write. */
static jg_status settle_readers(const field_launch *launch)
{
    const kernel_program *program = &launch->kernel->program;
    for (uint32_t a = 0; a < program->narrays; ++a)
        if (kernel_array_at(program, a)->write)
            JG_TRY(run_before_write(launch->low[a], launch->high[a]));
    return JG_OK;
}

/* Held while a kernel runs that says `alone`. What it prints may wait for the interpreter's lock,
 * so nothing that has that lock waits for this one: not a fork either, whose child has a free one,
 * as it has none of the threads that held it. */
static pthread_mutex_t alone = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void free_in_child(void)
{
    static const pthread_mutex_t unlocked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    memcpy(&alone, &unlocked, sizeof alone);
}

void field_launch_install_hooks(void)
{
    pthread_atfork(NULL, NULL, free_in_child);
}

static jg_status call_code(const field_launch *launch, kernel_entry *entry)
{
    const kernel_program *program = &launch->kernel->program;
    kernel_arguments arguments = {
        .addresses = launch->addresses,
        .extents = launch->extents,
        .strides = launch->strides,
        .scalars = launch->scalars,
        .results = launch->results,
        .seed = field_next_seed(),
    };
    field_host host;
    field_host_init(&host, program);
    entry(&arguments, &host.host);
    if (JG_UNLIKELY(atomic_load_explicit(&host.host.failed, memory_order_acquire) != 0))
        return error_raise(&host.error);
    return JG_OK;
}

static jg_status call(const field_launch *launch, kernel_entry *entry)
{
    const kernel_program *program = &launch->kernel->program;
    if (JG_LIKELY(!program->alone))
        return call_code(launch, entry);
    if (pthread_mutex_lock(&alone) == EDEADLK)
        return base_fail(JG_ERR_VALUE,
                         "[%s] call: got one while a kernel over cells prints on the same thread, "
                         "allowed is one after the other",
                         kernel_text(program, program->name));
    jg_status status = call_code(launch, entry);
    pthread_mutex_unlock(&alone);
    return status;
}

/* Once the code has returned without a failure; before, they are not set. */
void field_launch_give(const field_launch *launch, jg_number *results)
{
    const kernel_program *program = &launch->kernel->program;
    for (uint32_t r = 0; r < program->nresults; ++r)
        results[r] = scalar_number(&launch->results[r], (jg_dtype)program->results[r]);
}

/* Whether indices are checked, and whether extents are short enough for cheaper checks. */
static unsigned bounds_flags(const field_launch *launch)
{
    const kernel_program *program = &launch->kernel->program;
    unsigned flags = COMPILE_BOUNDS | (program->checked_all ? COMPILE_BOUNDS_ALL : 0);
    if (!program->checked)
        return 0;
    for (int d = 0; d < launch->kernel->naxes; ++d)
        if (JG_UNLIKELY(launch->extents[d] > INT32_MAX))
            return flags;
    return flags | COMPILE_NARROW;
}

/* All checks come before anything pending is evaluated, as that has visible effects. */
static jg_status run(field_launch *launch, const jg_view *const *arrays, const jg_number *scalars,
                     jg_number *results)
{
    kernel_entry *entry;
    JG_TRY(take_arguments(launch, arrays, scalars));
    unsigned flags = field_launch_overlaps(launch) ? 0 : COMPILE_NO_ALIAS;
    flags |= bounds_flags(launch);
    JG_TRY(variants_find(launch->kernel, launch->layouts, flags, &entry));
    JG_TRY(settle_readers(launch));
    JG_TRY(call(launch, entry));
    field_launch_give(launch, results);
    return JG_OK;
}

jg_status field_launch_on_host(jg_kernel *kernel, const jg_view *const *arrays,
                               const jg_number *scalars, jg_number *results)
{
    uint64_t few[FEW_WORDS], *words = few;
    field_launch launch;
    size_t nwords = field_launch_nwords(kernel);
    if (nwords > FEW_WORDS)
        words = base_alloc(nwords * sizeof *words);
    if (words == NULL)
        return base_nomem(nwords * sizeof *words, "a kernel's arguments");
    field_launch_init(kernel, words, &launch);
    jg_status status = run(&launch, arrays, scalars, results);
    if (words != few)
        base_free(words);
    return status;
}
