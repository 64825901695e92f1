/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of an evaluation that a driver has to allocate. They are noted under the evaluation lock,
 * allocated without it, and taken under it again. A driver may take milliseconds, and evaluations
 * on other devices may wait for the lock meanwhile. */
#include "memory/memory.h"

/* A block that was not there. */
typedef struct reserve_note {
    jg_device *device;
    size_t nbytes;
} reserve_note;

static JG_FAST_THREAD_LOCAL jg_buffer *first; /* linked by next */
static JG_FAST_THREAD_LOCAL base_vec notes;   /* reserve_note; empty between evaluations */
static JG_FAST_THREAD_LOCAL bool lacks;       /* also where there was no memory for a note */

/* Takes a block of the class off the list. */
static jg_buffer *take_reserved(const jg_device *device, int size_class)
{
    for (jg_buffer **at = &first; *at != NULL; at = &(*at)->next) {
        jg_buffer *buffer = *at;
        if (buffer->device == device && buffer->size_class == size_class) {
            *at = buffer->next;
            return buffer;
        }
    }
    return NULL;
}

bool reserve_take(jg_device *device, size_t nbytes, jg_buffer **out)
{
    const reserve_note note = {device, nbytes};
    jg_buffer *buffer = first != NULL ? take_reserved(device, cache_class_of(nbytes)) : NULL;
    if (buffer != NULL) {
        buffer_use(buffer, nbytes);
        *out = buffer;
        return true;
    }
    if (buffer_find(device, nbytes, out))
        return true;
    lacks = true;
    (void)vec_append(&notes, &note, sizeof note); /* else the next pass notes it */
    return false;
}

void reserve_put(jg_buffer *buffer)
{
    buffer->next = first;
    first = buffer;
}

bool reserve_lacks(void)
{
    return lacks;
}

jg_status reserve_fill(void)
{
    const reserve_note *all = (const reserve_note *)(void *)notes.data;
    size_t count = notes.nbytes / sizeof *all;
    jg_status status = count > 0 ? JG_OK : base_nomem(sizeof *all, "an evaluation");
    for (size_t i = 0; i < count && status == JG_OK; ++i) {
        jg_buffer *buffer;
        status = buffer_new(all[i].device, all[i].nbytes, &buffer);
        if (status == JG_OK)
            reserve_put(buffer);
    }
    vec_clear(&notes);
    lacks = false;
    return status;
}

void reserve_clear(void)
{
    while (first != NULL) {
        jg_buffer *buffer = first;
        first = buffer->next;
        buffer_release(buffer);
    }
    vec_clear(&notes);
    lacks = false;
}
