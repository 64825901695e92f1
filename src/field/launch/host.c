/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that the code of a kernel calls. They share loops with the pool's threads, print
 * lines, keep failures for the launch, and allocate memory for stacks. The first failure of a
 * launch is the one that is raised. */
#include "field/kernel.h"
#include "kernel/bounds.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_CHUNK = 4 << 20,      /* operations; between chunks a launch may end */
    PARALLEL_WORK = 64 << 10, /* operations that are worth waking threads for */
    CHUNK_WORK = 16 << 10,    /* operations of a chunk at least */
    UNKNOWN_WORK = 64,        /* assumed for one index */
    CHUNKS_PER_THREAD = 8     /* so that other threads take over the share of one that is delayed */
};

/* Indices of a chunk where the kernel does not say. work: operations of one index, 1 or more */
static int64_t choose_grain(int64_t count, int64_t work)
{
    int64_t least = CHUNK_WORK / work + 1, even = count / (CHUNKS_PER_THREAD * pool_size());
    int64_t most = MAX_CHUNK / work + 1;
    return int64_clamp(even, least, most);
}

/* Only the first failure is written; the launch reads it after the code has returned. */
static void keep_failure(field_host *launch, jg_status status)
{
    error_capture(&launch->error, status);
    atomic_store_explicit(&launch->host.failed, 1, memory_order_release);
}

static bool is_first(field_host *launch)
{
    return !atomic_exchange_explicit(&launch->reported, true, memory_order_relaxed);
}

/* Asks whether to interrupt, once in a while, on the caller's thread. It may take long, as it may
 * wait for the interpreter's lock: then it is done less often. */
static bool look_out(field_host *launch)
{
    int64_t now = trace_clock();
    bool due = launch->next_look != 0 && now >= launch->next_look;
    bool interrupted = due && interrupt_check(launch->begun);
    if (due || launch->next_look == 0) {
        int64_t end = trace_clock();
        launch->next_look = end + INTERRUPT_SLICE_NS + 10 * (end - now);
    }
    return interrupted;
}

static bool ends(kernel_host *host)
{
    field_host *launch = (field_host *)(void *)host;
    if (atomic_load_explicit(&host->failed, memory_order_relaxed) != 0)
        return true;
    bool interrupted = pthread_equal(launch->caller, pthread_self())
                           ? look_out(launch)
                           : interrupt_has_come(launch->begun);
    if (interrupted && is_first(launch))
        keep_failure(launch, interrupt_fail());
    return interrupted;
}

/* A loop that the pool runs. */
typedef struct loop_job {
    kernel_host *host;
    kernel_body *body;
    void *frame;
} loop_job;

static void run_chunk(void *context, int64_t first, int64_t last)
{
    const loop_job *job = context;
    job->body(job->frame, first, last);
}

static bool stops(void *context)
{
    return ends(((const loop_job *)context)->host);
}

/* On this thread. */
static void run_alone(kernel_host *host, int64_t count, const kernel_loop *loop, void *frame,
                      int64_t work)
{
    int64_t most = MAX_CHUNK / work + 1;
    for (int64_t first = 0; first < count;) {
        int64_t last = count - first > most ? first + most : count;
        loop->alone(frame, first, last);
        first = last;
        if (first < count && ends(host))
            return;
    }
}

/* In a child of a fork that was made between two chunks, by a handler of a signal perhaps. No other
 * thread writes the failure: a thread that had begun to is not there. */
static void fail_lost(field_host *launch)
{
    if (atomic_load_explicit(&launch->host.failed, memory_order_relaxed) != 0)
        return;
    keep_failure(launch,
                 base_fail(JG_ERR_LOST,
                           "[%s] the process forked while the kernel ran on threads that the "
                           "child process does not have",
                           kernel_text(launch->program, launch->program->name)));
}

/* On several threads. */
static void share(kernel_host *host, int64_t count, int64_t grain, int64_t work,
                  const kernel_loop *loop, void *frame)
{
    field_host *launch = (field_host *)(void *)host;
    int64_t all, next = 0;
    unsigned forks = readers_forks();
    if (__builtin_mul_overflow(count, work, &all))
        all = INT64_MAX;
    if (!sums_run(host, loop, launch->program, count, grain, all, frame)) {
        loop_job job = {.host = host, .body = loop->body, .frame = frame};
        (void)pool_run_until(count, grain, run_chunk, stops, &job, &next);
    }
    if (readers_forks() != forks)
        fail_lost(launch);
}

/* A grain that the kernel gives is used, whatever the work. `alone` is the same loop without
 * atomics: no other thread runs. */
static void run_parallel(kernel_host *host, int64_t count, const kernel_loop *loop, void *frame)
{
    int64_t work = loop->work > 0 ? loop->work : UNKNOWN_WORK, grain = loop->grain;
    if (grain == 0)
        grain = count <= PARALLEL_WORK / work ? count : choose_grain(count, work);
    if (count <= grain || pool_size() == 1)
        run_alone(host, count, loop, frame, work);
    else
        share(host, count, grain, work, loop, frame);
}

/* The text of an ASSERT or a PRINT with its values in it. The condition is an ASSERT's first
 * operand, and not among values; the verifier has compared the number of places. */
static void write_message(const kernel_program *program, const kernel_inst *inst,
                          const uint64_t *values, base_text *out)
{
    const char *text = kernel_text(program, inst->target);
    const uint32_t *operands = kernel_operands(program, inst) + (inst->op == KERNEL_ASSERT);
    kernel_piece piece;
    while (kernel_next_piece(&text, &piece)) {
        if (!piece.is_placeholder)
            text_add(out, "%.*s", (int)piece.length, piece.text);
        else
            field_format_value((jg_dtype)kernel_value_at(program, *operands++)->type, *values++,
                               &piece, out);
    }
}

/* Writes the message for an index out of bounds. values: the axis, the index, the extent */
static void write_bounds(const kernel_program *program, const kernel_inst *inst,
                         const uint64_t *values, base_text *out)
{
    bool local = kernel_bounds_local(inst->op);
    uint32_t name = local ? kernel_local_at(program, inst->target)->name
                          : kernel_array_at(program, inst->target)->name;
    int64_t lowest = local ? 0 : kernel_array_at(program, inst->target)->lowest[values[0]];
    text_add(out, "index %" PRIu64 " of %s: got %" PRId64 ", allowed %" PRId64 " to below %" PRId64,
             values[0], kernel_text(program, name), (int64_t)(values[1] + (uint64_t)lowest), lowest,
             (int64_t)(values[2] + (uint64_t)lowest));
}

/* An assertion does not hold, or an index is out of bounds. From any thread of the launch; the code
 * returns when it sees `failed`, other threads at their next check. position: of the instruction;
 * values: those of the message */
static void fail(kernel_host *host, uint32_t position, const uint64_t *values)
{
    field_host *launch = (field_host *)(void *)host;
    const kernel_inst *inst = kernel_inst_at(launch->program, position);
    const char *name = kernel_text(launch->program, launch->program->name);
    base_text text = {0};
    char line[32] = "";
    if (!is_first(launch))
        return;
    if (inst->line != 0)
        snprintf(line, sizeof line, "line %" PRIu32 ": ", inst->line);
    bool asserts = inst->op == KERNEL_ASSERT;
    if (asserts)
        write_message(launch->program, inst, values, &text);
    else
        write_bounds(launch->program, inst, values, &text);
    keep_failure(launch, base_fail(asserts ? (jg_status)inst->status : JG_ERR_INDEX, "[%s] %s%.*s",
                                   name, line, (int)text.bytes.nbytes, text.bytes.data));
    text_clear(&text);
}

/* A printer may want locks of its own, Python's GIL first of all, so none is held while it is
 * called. */
static _Atomic(jg_kernel_printer *) printer;
static _Atomic(void *) printer_context;

void jg_kernel_set_printer(jg_kernel_printer *print, void *context)
{
    /* This comes first, so that a thread which reads the printer sees its context. */
    atomic_store(&printer_context, context);
    atomic_store(&printer, print);
}

static void print_text(const char *text)
{
    jg_kernel_printer *print = atomic_load(&printer);
    if (print != NULL)
        print(atomic_load(&printer_context), text);
    else
        fputs(text, stdout);
}

static void print(kernel_host *host, uint32_t position, const uint64_t *values)
{
    field_host *launch = (field_host *)(void *)host;
    base_text text = {0};
    char *line;
    write_message(launch->program, kernel_inst_at(launch->program, position), values, &text);
    if (text_finish(&text, &line) == JG_OK) {
        print_text(line);
        base_free(line);
    } else {
        if (is_first(launch))
            keep_failure(launch, JG_ERR_NOMEM);
        text_clear(&text);
    }
}

/* Doubles the room of a stack that is full. gives: false without memory, which fails the launch;
 * the stack is as it was */
static bool grow(kernel_host *host, kernel_stack *stack, size_t itemsize)
{
    field_host *launch = (field_host *)(void *)host;
    int64_t capacity = stack->capacity > 0 ? 2 * stack->capacity : 64;
    void *data = base_alloc((size_t)capacity * itemsize);
    if (data == NULL) {
        if (is_first(launch))
            keep_failure(launch, base_nomem((size_t)capacity * itemsize, "a kernel's stack"));
        return false;
    }
    if (stack->count > 0)
        memcpy(data, stack->data, (size_t)stack->count * itemsize);
    base_free(stack->data);
    stack->data = data;
    stack->capacity = capacity;
    return true;
}

static void drop(kernel_host *host, kernel_stack *stack)
{
    (void)host;
    base_free(stack->data);
    *stack = (kernel_stack){0};
}

void field_host_init(field_host *out, const kernel_program *program)
{
    out->host.parallel = run_parallel;
    out->host.fail = fail;
    out->host.print = print;
    out->host.grow = grow;
    out->host.drop = drop;
    out->host.ends = ends;
    out->program = program;
    out->begun = interrupt_begin();
    out->caller = pthread_self();
    out->next_look = 0;
    atomic_init(&out->host.failed, 0);
    atomic_init(&out->reported, false);
}
