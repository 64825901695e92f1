/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of a kernel for devices, each with its loaded code. As its variants for the CPU
 * (variants.c) they form a list that only grows while the kernel lives. */
#include "field/launch/ported.h"
#include "kernel/cut.h"
#include <string.h>

#define MAX_TEXTS 32 /* then the general ones are used, which take all layouts */

static _Atomic(const kernel_printer *) known_printer;
/* The lock of all lists, held while one grows. No other lock is taken while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void field_set_printer(const kernel_printer *printer)
{
    if (atomic_exchange_explicit(&known_printer, printer, memory_order_acq_rel) == NULL)
        fork_hold(&lock);
}

static ported_code *look_up(ported_code *first, const jg_device *device, uint32_t narrays,
                            const uint8_t *layouts, unsigned flags, int *count)
{
    *count = 0;
    for (ported_code *c = first; c != NULL; c = c->next, ++*count)
        if (c->device == device && c->flags == flags && memcmp(c->layouts, layouts, narrays) == 0)
            return c;
    return NULL;
}

static void release(ported_code *code)
{
    device_code_release(code->code);
    if (code->text != NULL)
        code->printer->release(code->text);
    base_free(code);
}

/* The text of a program that is cut, or why there is none. */
static jg_status print_text(const kernel_program *program, ported_code *code)
{
    code->printer = atomic_load_explicit(&known_printer, memory_order_acquire);
    if (code->printer == NULL || device_facts_of(code->device) == NULL) {
        strcpy(code->refusal.message, "the device runs nothing itself");
        return JG_OK;
    }
    JG_TRY(code->printer->print(device_facts_of(code->device), program, code->flags, &code->text,
                                &code->refusal));
    return code->text != NULL ? device_code_require(code->device, &code->text->unit, &code->code)
                              : JG_OK;
}

/* A kernel may be freed before the device's queue reports a failure, so its name is kept here. */
typedef struct kernel_label {
    struct kernel_label *next;
    char name[];
} kernel_label;
static kernel_label *labels; /* one for each name; under the lock */

static const char *find_label(const char *name)
{
    for (const kernel_label *label = labels; label != NULL; label = label->next)
        if (strcmp(label->name, name) == 0)
            return label->name;
    return NULL;
}

/* The name in memory that is never freed. gives: *out | raises: NOMEM */
static jg_status keep_label(const char *name, const char **out)
{
    size_t nbytes = sizeof(kernel_label) + strlen(name) + 1;
    pthread_mutex_lock(&lock);
    kernel_label *label = (*out = find_label(name)) == NULL ? base_alloc(nbytes) : NULL;
    if (label != NULL) {
        label->next = labels;
        *out = strcpy(label->name, name);
        labels = label;
    }
    pthread_mutex_unlock(&lock);
    return *out != NULL ? JG_OK : base_nomem(nbytes, "a kernel's name");
}

static jg_status compile(const jg_kernel *kernel, ported_code *code)
{
    kernel_program program;
    JG_TRY(kernel_copy(&kernel->program, &program));
    field_specialise(&program, code->layouts);
    jg_status status = kernel_cut(&program);
    if (status == JG_OK)
        status = print_text(&program, code);
    kernel_clear(&program);
    return status;
}

static jg_status make(const jg_kernel *kernel, jg_device *device, const uint8_t *layouts,
                      unsigned flags, ported_code **out)
{
    ported_code *code = base_alloc_zeroed(sizeof *code + kernel->program.narrays);
    if (code == NULL)
        return base_nomem(sizeof *code, "a kernel's code");
    code->device = device;
    code->flags = flags;
    atomic_init(&code->fallback_told, false);
    memcpy(code->layouts, layouts, kernel->program.narrays);
    jg_status status =
        keep_label(kernel_text(&kernel->program, kernel->program.name), &code->label);
    if (status == JG_OK)
        status = compile(kernel, code);
    if (status == JG_OK)
        *out = code;
    else
        release(code);
    return status;
}

/* Puts it on the list. gives: it, or what another thread has put there meanwhile */
static ported_code *publish(jg_kernel *kernel, ported_code *code)
{
    int count;
    pthread_mutex_lock(&lock);
    ported_code *first = atomic_load_explicit(&kernel->texts, memory_order_relaxed);
    ported_code *found =
        look_up(first, code->device, kernel->program.narrays, code->layouts, code->flags, &count);
    if (found == NULL) {
        code->next = first;
        atomic_store_explicit(&kernel->texts, code, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return code;
    release(code);
    return found;
}

jg_status ported_find(jg_kernel *kernel, jg_device *device, const uint8_t *layouts, unsigned flags,
                      ported_code **out)
{
    static const uint8_t general[KERNEL_MAX_ARRAYS] = {0};
    int count;
    uint32_t narrays = kernel->program.narrays;
    ported_code *first = atomic_load_explicit(&kernel->texts, memory_order_acquire), *made = NULL;
    ported_code *found = look_up(first, device, narrays, layouts, flags, &count);
    if (found == NULL && count >= MAX_TEXTS) {
        layouts = general;
        flags = 0;
        found = look_up(first, device, narrays, layouts, flags, &count);
    }
    if (found == NULL) {
        JG_TRY(make(kernel, device, layouts, flags, &made));
        found = publish(kernel, made);
    }
    *out = found;
    return JG_OK;
}

void ported_clear(jg_kernel *kernel)
{
    ported_code *code = atomic_load_explicit(&kernel->texts, memory_order_acquire);
    while (code != NULL) {
        ported_code *next = code->next;
        release(code);
        code = next;
    }
}
