/* SPDX-License-Identifier: Apache-2.0 */
/* The one file that knows all rooms: registers devices and tiers when the library is loaded.
 *
 * The order of the hooks is the reverse of that in which locks are taken: what is installed first
 * is locked last before a fork. Those of run, with the evaluation lock, are the last here. The
 * streams' are installed with their first use, and so are taken before all of these. */
#include "compose/compose.h"
#include "device/device.h"
#include "distributed/distributed.h"
#include "field/kernel.h"
#include "jit/jit.h"
#include "library/library.h"
#include "plan/plan.h"
#include "routine/routine.h"
#include "run/run.h"
#include "source/source.h"
#include "tile/tile.h"
#include <joggle/trace.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* Every routine by its primitive: joggle's own, one that a host library does, or a message. */
static const jg_routine *const *all_routines(void)
{
    static const jg_routine *all[PRIMITIVE_COUNT];
    for (int i = 0; i < PRIMITIVE_COUNT; ++i)
        all[i] = routine_table[i] != NULL      ? routine_table[i]
                 : library_routines[i] != NULL ? library_routines[i]
                                               : distributed_routines[i];
    return all;
}

/* At exit a failure can only be printed for the user. */
static void stop_trace(void)
{
    if (trace_is_on() && jg_trace_stop() != JG_OK)
        fprintf(stderr, "joggle: JOGGLE_TRACE: %s\n", jg_error_message());
}

static void start_trace(void)
{
    const char *path = option_text(OPTION_TRACE);
    if (path[0] == '\0')
        return;
    if (jg_trace_start(path) != JG_OK)
        fprintf(stderr, "joggle: JOGGLE_TRACE: %s\n", jg_error_message());
    else
        atexit(stop_trace);
}

/* Runs before any other function of the library can: loading a shared object runs its
 * constructors. */
__attribute__((constructor)) static void init(void)
{
    if (device_register(device_cpu()) != JG_OK)
        __builtin_trap(); /* the table is empty here: only a broken build gets this far */
    device_add_family(&device_opencl);
    device_add_family(&device_cuda);
    device_add_family(&device_rocm);
    device_install_hooks();
    option_install_hooks();
    trace_install_hooks();
    pool_install_hooks();
    memory_install_hooks();
    memory_works_install_hooks();
    jit_install_hooks();
    reads_install_hooks();
    siblings_install_hooks();
    deferred_install_hooks();
    traced_install_hooks();
    field_launch_install_hooks();
    field_set_compiler(&jit_compiler);
    field_set_printer(&source_kernel_printer);
    plan_set_hot_tier(&jit_executor);
    plan_set_tiers(&tile_executor, all_routines());
    plan_set_products(library_takes);
    plan_set_printer(&source_printer);
    compose_set_checkpoints(jg_checkpoint);
    compose_set_rules(jg_custom_results);
    plan_set_launches(&run_launch_kinds);
    run_install_hooks();
    graph_verify_if_asked();
    start_trace();
}

const char *jg_version(void)
{
    return TEXT(JOGGLE_VERSION_MAJOR) "." TEXT(JOGGLE_VERSION_MINOR) "." TEXT(JOGGLE_VERSION_PATCH);
}
