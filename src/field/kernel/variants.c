/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a kernel, compiled for what is known of the layouts of its arrays.
 *
 * Variants form a list that only grows while the kernel lives, so it is read without a lock. A
 * kernel has few: when it has no more variants for another combination, the general code runs,
 * which takes all layouts. Two threads may compile the same variant at once; the second one's is
 * dropped. */
#include "field/kernel.h"
#include "kernel/cut.h"
#include <pthread.h>
#include <string.h>

#define MAX_VARIANTS 16 /* the general one not counted */

struct field_variant {
    field_variant *next;
    const kernel_compiler *compiler;
    kernel_code *code;
    kernel_entry *entry; /* of the code, valid as long as it */
    unsigned flags;      /* COMPILE_ */
    uint8_t layouts[];   /* field_array_layout of each array */
};

static _Atomic(const kernel_compiler *) known_compiler;
/* The lock of all lists, held while one grows. No other lock is taken while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void field_set_compiler(const kernel_compiler *compiler)
{
    if (atomic_exchange_explicit(&known_compiler, compiler, memory_order_acq_rel) == NULL)
        fork_hold(&lock);
}

/* gives: the variant, or NULL and how many there are in *count */
static field_variant *look_up(field_variant *first, uint32_t narrays, const uint8_t *layouts,
                              unsigned flags, int *count)
{
    *count = 0;
    for (field_variant *v = first; v != NULL; v = v->next, ++*count)
        if (v->flags == flags && memcmp(v->layouts, layouts, narrays) == 0)
            return v;
    return NULL;
}

void field_specialise(kernel_program *program, const uint8_t *layouts)
{
    for (uint32_t a = 0; a < program->narrays; ++a) {
        kernel_array *array = kernel_array_at(program, a);
        if (layouts[a] == LAYOUT_DENSE)
            array->dense = true;
        else if (layouts[a] == LAYOUT_UNIT)
            array->strides[array->ndim - 1] = (int64_t)dtype_itemsize((jg_dtype)array->dtype);
    }
}

static jg_status compile(const jg_kernel *kernel, field_variant *variant)
{
    kernel_program program;
    const kernel_compiler *compiler = atomic_load_explicit(&known_compiler, memory_order_acquire);
    if (compiler == NULL)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "[%s] running a kernel: this build of joggle has no compiler; install "
                         "llvm-19-dev and clang-19 before joggle is built",
                         kernel_text(&kernel->program, kernel->program.name));
    JG_TRY(kernel_copy(&kernel->program, &program));
    field_specialise(&program, variant->layouts);
    variant->compiler = compiler;
    jg_status status = kernel_cut(&program);
    if (status == JG_OK)
        status = compiler->compile(&program, variant->flags, &variant->code);
    kernel_clear(&program);
    if (status == JG_OK)
        variant->entry = compiler->entry(variant->code);
    return status;
}

/* Compiles, which takes milliseconds, so no lock is held. */
static jg_status make(const jg_kernel *kernel, const uint8_t *layouts, unsigned flags,
                      field_variant **out)
{
    field_variant *variant = base_alloc_zeroed(sizeof *variant + kernel->program.narrays);
    if (variant == NULL)
        return base_nomem(sizeof *variant, "a kernel's code");
    variant->flags = flags;
    memcpy(variant->layouts, layouts, kernel->program.narrays);
    jg_status status = compile(kernel, variant);
    if (status != JG_OK) {
        base_free(variant);
        return status;
    }
    *out = variant;
    return JG_OK;
}

/* A variant that was compiled before. */
static void discard(field_variant *variant)
{
    variant->compiler->release(variant->code);
    base_free(variant);
}

/* Puts it on the list. gives: it, or what another thread has put there meanwhile */
static field_variant *publish(jg_kernel *kernel, field_variant *variant)
{
    int count;
    pthread_mutex_lock(&lock);
    field_variant *first = atomic_load_explicit(&kernel->variants, memory_order_relaxed);
    field_variant *found =
        look_up(first, kernel->program.narrays, variant->layouts, variant->flags, &count);
    if (found == NULL) {
        variant->next = first;
        atomic_store_explicit(&kernel->variants, variant, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return variant;
    discard(variant);
    return found;
}

/* Code once made stays until the kernel is freed, so *out may be called without a reference. */
JG_COLD static jg_status add(jg_kernel *kernel, const uint8_t *layouts, unsigned flags,
                             kernel_entry **out)
{
    field_variant *variant;
    JG_TRY(make(kernel, layouts, flags, &variant));
    *out = publish(kernel, variant)->entry;
    return JG_OK;
}

/* There is no variant left for these layouts, so the general code runs. */
JG_COLD static jg_status find_general(jg_kernel *kernel, unsigned flags, kernel_entry **out)
{
    uint8_t general[KERNEL_MAX_ARRAYS] = {0};
    int count;
    field_variant *first = atomic_load_explicit(&kernel->variants, memory_order_acquire);
    field_variant *found = look_up(first, kernel->program.narrays, general, flags, &count);
    if (found == NULL)
        return add(kernel, general, flags, out);
    *out = found->entry;
    return JG_OK;
}

jg_status variants_find(jg_kernel *kernel, const uint8_t *layouts, unsigned flags,
                        kernel_entry **out)
{
    int count;
    field_variant *first = atomic_load_explicit(&kernel->variants, memory_order_acquire);
    field_variant *found = look_up(first, kernel->program.narrays, layouts, flags, &count);
    /* Several threads may pass this at once, so there may be a few more than MAX_VARIANTS. */
    if (JG_UNLIKELY(found == NULL))
        return count < MAX_VARIANTS ? add(kernel, layouts, flags, out)
                                    : find_general(kernel, flags & ~COMPILE_NO_ALIAS, out);
    *out = found->entry;
    return JG_OK;
}

void variants_clear(jg_kernel *kernel)
{
    field_variant *variant = atomic_load_explicit(&kernel->variants, memory_order_acquire);
    while (variant != NULL) {
        field_variant *next = variant->next;
        discard(variant);
        variant = next;
    }
}
