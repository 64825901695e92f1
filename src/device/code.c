/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded code, by text: plans that print the same text share it.
 *
 * One table under one lock, which is held while entries are found, counted and listed, not while a
 * driver works. The first thread that asks for a text compiles it, and other threads wait for it. A
 * waiting thread has a reference, so the last thread that releases an entry frees it. Code without
 * references is in a list by age, whose oldest entries are unloaded.
 *
 * Texts that are requested together are compiled as one program, which takes little longer than one
 * text. Each text stays a separate entry, which holds the program and the number of its part in
 * it. */
#include "device/device.h"

enum { BUCKETS = 1024, MAX_UNUSED = 1024 };

/* The program that the driver has loaded. */
typedef struct code_program {
    atomic_int refs; /* of the entries that have a part in it */
    void *loaded;    /* code_load's */
} code_program;

typedef enum code_state { CODE_COMPILING, CODE_LOADED, CODE_FAILED } code_state;

/* All under the lock, but what never changes: device, hash and text. */
struct device_code {
    jg_device *device;
    uint64_t hash;
    code_state state;
    int refs;
    code_program *program;             /* NULL before it is loaded */
    int entry;                         /* in the program */
    jg_error *failure;                 /* of code that has failed; NULL without memory for it */
    struct device_code *next;          /* in the bucket */
    struct device_code *older, *newer; /* in the list, of loaded code without references */
    size_t nbytes;
    char text[]; /* then a NUL, and the flags */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t compiled = PTHREAD_COND_INITIALIZER;
static device_code *buckets[BUCKETS];
static device_code *oldest, *newest;
static int nunused;

static const char *flags_of(const device_code *code)
{
    return code->text + code->nbytes + 1;
}

static uint64_t hash_of(const jg_device *device, const device_unit *unit)
{
    uint64_t flags = hash_bytes(unit->flags, strlen(unit->flags));
    return hash_bytes(unit->text, unit->nbytes) ^ (flags * 31 + (uint64_t)device->index);
}

static bool is_of(const device_code *code, const jg_device *device, const device_unit *unit)
{
    return code->device == device && code->nbytes == unit->nbytes &&
           memcmp(code->text, unit->text, unit->nbytes) == 0 &&
           strcmp(flags_of(code), unit->flags) == 0;
}

static device_code *find(const jg_device *device, const device_unit *unit, uint64_t hash)
{
    device_code *code = buckets[hash % BUCKETS];
    while (code != NULL && !(code->hash == hash && is_of(code, device, unit)))
        code = code->next;
    return code;
}

static void unlink_from_table(device_code *code)
{
    device_code **at = &buckets[code->hash % BUCKETS];
    while (*at != code)
        at = &(*at)->next;
    *at = code->next;
}

static void unlist(device_code *code)
{
    *(code->older != NULL ? &code->older->newer : &oldest) = code->newer;
    *(code->newer != NULL ? &code->newer->older : &newest) = code->older;
    code->older = code->newer = NULL;
    nunused -= 1;
}

static void enlist(device_code *code)
{
    code->older = newest;
    *(newest != NULL ? &newest->newer : &oldest) = code;
    newest = code;
    nunused += 1;
}

static void release_program(const device_code *code)
{
    code_program *program = code->program;
    if (program == NULL || atomic_fetch_sub_explicit(&program->refs, 1, memory_order_acq_rel) != 1)
        return;
    code->device->ops->code_free(code->device, program->loaded);
    base_free(program);
}

static void free_code(device_code *code)
{
    release_program(code);
    base_free(code->failure);
    base_free(code);
}

/* An entry of the table, which is to be compiled. */
static jg_status add(jg_device *device, const device_unit *unit, uint64_t hash, device_code **out)
{
    size_t nflags = strlen(unit->flags) + 1,
           nbytes = sizeof(device_code) + unit->nbytes + 1 + nflags;
    device_code *code = base_alloc(nbytes);
    if (code == NULL)
        return base_nomem(nbytes, "code for a device");
    *code = (device_code){.device = device, .hash = hash, .nbytes = unit->nbytes};
    memcpy(code->text, unit->text, unit->nbytes);
    code->text[unit->nbytes] = '\0';
    memcpy(code->text + unit->nbytes + 1, unit->flags, nflags);
    code->next = buckets[hash % BUCKETS];
    buckets[hash % BUCKETS] = code;
    *out = code;
    return JG_OK;
}

/* Finds the text or adds it, and takes a reference. gives: whether the caller is to compile it. The
 * lock is held. */
static jg_status take(jg_device *device, const device_unit *unit, device_code **out, bool *is_new)
{
    uint64_t hash = hash_of(device, unit);
    device_code *code = find(device, unit, hash);
    *is_new = code == NULL;
    if (code == NULL)
        JG_TRY(add(device, unit, hash, &code));
    else if (code->refs == 0)
        unlist(code);
    code->refs += 1;
    *out = code;
    return JG_OK;
}

/* A program of the text, without references yet. No lock is held. gives: *out, for release_program
 * | raises: NOMEM, DEVICE */
static jg_status load(jg_device *device, const device_unit *unit, code_program **out)
{
    code_program *program = base_alloc_zeroed(sizeof *program);
    if (program == NULL)
        return base_nomem(sizeof *program, "code for a device");
    int64_t start = trace_start();
    jg_status status = device->ops->code_load(device, unit, &program->loaded);
    if (start != 0)
        trace_add("compile", device->ops->name, start, NULL);
    if (status == JG_OK)
        *out = program;
    else
        base_free(program);
    return status;
}

/* Code that has failed leaves the table, so the next request tries again. The lock is held. */
static void settle(device_code *code, code_program *program, int entry, jg_error *failure)
{
    code->program = program;
    code->entry = entry;
    code->failure = failure;
    code->state = program != NULL ? CODE_LOADED : CODE_FAILED;
    if (program == NULL)
        unlink_from_table(code);
    else
        atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
}

/* Called with the lock held, which it releases while the compiler runs. */
static void compile(device_code *code, const device_unit *unit)
{
    code_program *program = NULL;
    jg_error *failure = NULL;
    pthread_mutex_unlock(&lock);
    jg_status status = load(code->device, unit, &program);
    if (status != JG_OK && (failure = base_alloc(sizeof *failure)) != NULL)
        error_capture(failure, status);
    pthread_mutex_lock(&lock);
    settle(code, program, 0, failure);
    pthread_cond_broadcast(&compiled);
}

/* Gives up a reference to code that has failed. The lock is held. raises: the failure */
static jg_status leave_failed(device_code *code)
{
    jg_status status = code->failure != NULL ? error_raise(code->failure)
                                             : base_nomem(sizeof(jg_error), "a failure");
    if (--code->refs == 0)
        free_code(code);
    return status;
}

jg_status device_code_require(jg_device *device, const device_unit *unit, device_code **out)
{
    device_code *code = NULL;
    bool is_new = false;
    pthread_mutex_lock(&lock);
    jg_status status = take(device, unit, &code, &is_new);
    if (status == JG_OK && is_new)
        compile(code, unit);
    while (status == JG_OK && code->state == CODE_COMPILING)
        pthread_cond_wait(&compiled, &lock);
    if (status == JG_OK && code->state == CODE_FAILED)
        status = leave_failed(code);
    else if (status == JG_OK)
        *out = code;
    pthread_mutex_unlock(&lock);
    return status;
}

/* One program of the works, in their order. No lock is held. raises: NOMEM, DEVICE, UNSUPPORTED */
static jg_status load_works(jg_device *device, const device_printer *printer, int count,
                            const device_work *works, code_program **out)
{
    device_unit *unit;
    JG_TRY(printer->print(device->facts, count, works, &unit));
    jg_status status = load(device, unit, out);
    printer->release(unit);
    return status;
}

/* Compiles up to a program's worth of the requests that are the caller's to compile, from the one
 * at *next on. If that fails each of them is compiled alone, so that no text has the failure of
 * another. Called with the lock held, which it releases meanwhile. */
static void compile_some(jg_device *device, int count, device_request *requests, int *next)
{
    device_work works[DEVICE_PROGRAM_WORKS];
    device_request *taken[DEVICE_PROGRAM_WORKS];
    code_program *program = NULL;
    int ntaken = 0;
    for (; *next < count && ntaken < DEVICE_PROGRAM_WORKS; ++*next)
        if (requests[*next].compiles) {
            taken[ntaken] = &requests[*next];
            works[ntaken++] = *requests[*next].work;
        }
    pthread_mutex_unlock(&lock);
    if (ntaken > 1)
        (void)load_works(device, requests->unit->printer, ntaken, works, &program);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ntaken; ++i)
        if (program != NULL)
            settle(taken[i]->code, program, i, NULL);
        else
            compile(taken[i]->code, taken[i]->unit);
    pthread_cond_broadcast(&compiled);
}

void device_code_require_all(jg_device *device, int count, device_request *requests)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; ++i)
        if (take(device, requests[i].unit, &requests[i].code, &requests[i].compiles) != JG_OK)
            requests[i].compiles = false;
    for (int next = 0; next < count;)
        compile_some(device, count, requests, &next);
    for (int i = 0; i < count; ++i) {
        device_code *code = requests[i].code;
        while (code != NULL && code->state == CODE_COMPILING)
            pthread_cond_wait(&compiled, &lock);
        if (code != NULL && code->state == CODE_FAILED) {
            (void)leave_failed(code);
            requests[i].code = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* The oldest code, if more than count texts have no references. The lock is held. */
static device_code *take_oldest(int count)
{
    device_code *code = nunused > count ? oldest : NULL;
    if (code != NULL) {
        unlist(code);
        unlink_from_table(code);
    }
    return code;
}

void device_code_trim(int count)
{
    device_code *code;
    do {
        pthread_mutex_lock(&lock);
        code = take_oldest(count);
        pthread_mutex_unlock(&lock);
        if (code != NULL)
            free_code(code);
    } while (code != NULL);
}

void device_code_release(device_code *code)
{
    if (code == NULL)
        return;
    pthread_mutex_lock(&lock);
    if (--code->refs == 0)
        enlist(code);
    pthread_mutex_unlock(&lock);
    device_code_trim(MAX_UNUSED);
}

jg_status device_launch_start(device_code *code, void *queue, const device_start *start)
{
    device_start own = *start;
    own.entry += code->entry;
    return code->device->ops->launch(code->device, queue, code->program->loaded, &own);
}

jg_status device_launch_add(device_code *code, void *graph, const device_start *start, bool *taken)
{
    device_start own = *start;
    own.entry += code->entry;
    return code->device->ops->graph_add(code->device, graph, code->program->loaded, &own, taken);
}

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The threads that compiled are not there, nor those that waited for them. */
static void after_fork_child(void)
{
    for (int i = 0; i < BUCKETS; ++i) {
        device_code **at = &buckets[i];
        while (*at != NULL)
            if ((*at)->state == CODE_COMPILING)
                *at = (*at)->next;
            else
                at = &(*at)->next;
    }
    pthread_cond_init(&compiled, NULL);
    pthread_mutex_unlock(&lock);
}

void device_code_install_hooks(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}
