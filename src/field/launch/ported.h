/* SPDX-License-Identifier: Apache-2.0 */
/* Private to field: launches on devices (device.c), a kernel's texts for them (ported.c),
 * and memory that is copied to the other side for a launch (stage.c). */
#ifndef JG_FIELD_PORTED_H
#define JG_FIELD_PORTED_H

#include "device/device.h"
#include "field/kernel.h"
#include "kernel/printer.h"
#include "memory/memory.h"

/* A kernel as text for a device, and for what is known of its arrays' layouts. It stays until the
 * kernel is freed. */
typedef struct ported_code {
    struct ported_code *next;
    jg_device *device;
    const kernel_printer *printer;
    kernel_printed *text; /* NULL where the device cannot run it */
    device_code *code;
    device_refusal refusal;    /* why */
    atomic_bool fallback_told; /* a fallback has been told of */
    unsigned flags;            /* KERNEL_PRINT_ */
    const char *label;         /* the kernel's name, which lives forever */
    uint8_t layouts[];
} ported_code;

/* ported.c */

/* The kernel's text for the device, loaded.
 * gives: *out, valid while the kernel is held | raises: NOMEM, DEVICE with what the device's
 * compiler says | waits: for that, the first time */
jg_status ported_find(jg_kernel *kernel, jg_device *device, const uint8_t *layouts, unsigned flags,
                      ported_code **out);
void ported_clear(jg_kernel *kernel); /* when the kernel is not running any more */

/* stage.c: bytes of one side that lie on the other for the time of a launch. Ranges that overlap
 * become one, so that arrays which share memory share its copy. */

typedef struct stage_block {
    void *handle;           /* that the range is in; NULL where its addresses are real ones */
    const char *low, *high; /* as launches have them */
    bool written;
    jg_buffer *copy; /* on the other side */
} stage_block;

typedef struct field_stage {
    base_vec blocks; /* stage_block */
} field_stage;

/* Adds a range; an empty one is none. raises: NOMEM */
jg_status field_stage_add(field_stage *stage, void *handle, const char *low, const char *high,
                          bool written);

/* Gives all ranges memory of that device. raises: NOMEM, DEVICE */
jg_status field_stage_take(field_stage *stage, jg_device *device);

/* The handle of the copy of an added range, and the offset in it of an address.
 * gives: borrowed from the stage; NULL for an empty range | raises: never */
void *field_stage_place(const field_stage *stage, void *handle, const char *low, const char *high,
                        const void *address, uint64_t *offset);

/* Enqueues copies of the host's ranges to the device (send), and of the written ones back (fetch).
 * raises: NOMEM, DEVICE */
jg_status field_stage_send(const field_stage *stage, void *queue);
jg_status field_stage_fetch(const field_stage *stage, void *queue);

/* Ranges of a device's: the same, at once. raises: NOMEM, DEVICE | waits: for the device */
jg_status field_stage_read(const field_stage *stage, jg_device *device);
jg_status field_stage_write(const field_stage *stage, jg_device *device);

void field_stage_clear(field_stage *stage);

/* device.c */

/* One launch on a device. */
typedef struct ported_launch {
    jg_kernel *kernel;
    jg_device *device;
    field_launch launch;   /* as if all memory were the host's */
    jg_view *views;        /* of the same */
    const jg_view **given; /* memory for pointers to these */
    void **handles;        /* of each array on the device, and of the launch's memory */
    uint64_t *offsets, *numbers;
    bool *is_host;
    const jg_kernel_loan *loans; /* of each array, or NULL */
    field_stage stage;
    const kernel_printed *text;
    device_code *code;
    const char *label;
    jg_buffer *memory;
    char *head; /* of the memory, on the host */
    uint32_t head_nbytes;
    uint64_t seed;
    bool goes_on; /* when the call returns; the head is read when it is over */
} ported_launch;

/* ported_work.c */

/* Writes what the kernel printed; then its failure. head: of the memory, when it has run
 * raises: that, NOMEM, DEVICE; VALUE for what did not fit the ring */
jg_status ported_read_outcome(const jg_kernel *kernel, const kernel_printed *text,
                              const jg_buffer *memory, const char *head);

/* Gives the queue the launch, by that function, where it may go on when its call returns, as it
 * holds all its memory. p->memory is there. gives: *given, false where it may not, and nothing was
 * done | raises: NOMEM, as device_submit; of a launch with results, or that prints, what it fails
 * with, and INTERRUPTED | waits: for such a launch */
jg_status ported_work_give(ported_launch *p, void *queue, device_give *give, bool *given);

#endif
