/* SPDX-License-Identifier: Apache-2.0 */
/* The spans that evaluation records in a trace, and the public functions that start and stop one.
 *
 * A "build" span is the time that a thread spent between two evaluations: its own code, which
 * builds the graph. Nothing is noted while nodes are made, so building costs the same with a
 * trace as without. */
#include "run/trace.h"
#include <joggle/trace.h>

/* The end of this thread's last traced evaluation, and the begin of the current one. */
static JG_FAST_THREAD_LOCAL int64_t last_end_ns, start_ns_of_this;

jg_status jg_trace_start(const char *path)
{
    return trace_begin(path);
}

jg_status jg_trace_stop(void)
{
    JG_TRY(jg_synchronize());
    return trace_end();
}

int64_t run_trace_enter(void)
{
    return start_ns_of_this = trace_clock();
}

void run_trace_build(int nnodes)
{
    int64_t origin = trace_origin(), from = int64_max(last_end_ns, origin);
    base_text members = {0};
    text_add(&members, "\"nodes\":%d", nnodes);
    trace_add_until("build", "build", from, start_ns_of_this, &members);
    text_clear(&members);
}

void run_trace_eval(int64_t start_ns, int count, bool wait)
{
    base_text members = {0};
    text_add(&members, "\"arrays\":%d", count);
    trace_add("eval", wait ? "eval" : "async_eval", start_ns, &members);
    text_clear(&members);
    last_end_ns = trace_clock();
}

/* A launch with its facts, or the part of it that a thread has done. */
static void add_launch(int64_t start_ns, int64_t end_ns, const char *category,
                       const plan_launch_facts *facts, const base_text *members)
{
    base_text name = {0};
    facts_write_name(facts, &name);
    if (name.failed_nbytes == 0)
        trace_add_until(category, name.bytes.data, start_ns, end_ns, members);
    text_clear(&name);
}

void run_trace_launch(int64_t start_ns, const plan_launch *launch, int count,
                      const jg_device *device)
{
    base_text members = {0};
    int64_t end_ns = trace_clock();
    facts_write_members(launch->facts, &members);
    if (count > 1)
        text_add(&members, ",\"launches\":%d", count);
    if (!launch->kind->on_host)
        text_add(&members, ",\"device\":\"%s:%d\"", device_name(device), (int)device->id.id);
    else if (!device_is_host(device))
        text_add(&members, ",\"device\":\"host\"");
    add_launch(start_ns, end_ns, "launch", launch->facts, &members);
    text_clear(&members);
}

void run_trace_chunk(int64_t start_ns, const plan_launch_facts *facts, int64_t first, int64_t last)
{
    base_text members = {0};
    int64_t end_ns = trace_clock();
    text_add(&members, "\"first\":%lld,\"last\":%lld", (long long)first, (long long)last);
    add_launch(start_ns, end_ns, "chunk", facts, &members);
    text_clear(&members);
}
