/* SPDX-License-Identifier: Apache-2.0 */
/* memory: blocks of device memory with a count, the cache they come from, copies between
 * layouts.
 *
 * A jg_buffer is one block: joggle's own, which goes back to the cache, or a foreign one, whose
 * owner is told by its release function. Foreign release functions may want locks of their own
 * (Python's GIL), so they never run while joggle holds a lock or on a stream's thread: releases
 * are put off between memory_defer_begin and _end, and a reaper thread runs those of the
 * streams. */
#ifndef JG_MEMORY_H
#define JG_MEMORY_H

#include "base/base.h"
#include "device/device.h"
#include "stream/stream.h"
#include "tensor/tensor.h"
#include <stdatomic.h>

#define BUFFER_READ_ONLY (1u << 0) /* nobody may write it through joggle */
#define BUFFER_FOREIGN (1u << 1)   /* somebody else's memory */
#define BUFFER_EXPORTED                                                                            \
    (1u << 2) /* somebody outside has held it; sticky: it is never recycled in place */

#define BUFFER_PLACE (1u << 3) /* written while arrays hold it; its readers are counted */
#define BUFFER_FILE (1u << 4)  /* a mapped file, which may be cut short: mapping_check */

/* Who is still to read a place. */
typedef enum reader_kind {
    READER_PENDING, /* a node that is not evaluated */
    READER_RUNNING, /* a run under way */
    READER_LEFT,    /* a run that was under way when the process was forked */
    READER_KINDS
} reader_kind;

/* One block. What is not atomic is set when it is made, but for next and for what is of places
 * only, which readers.c has a lock for. size_class is of joggle's own blocks. */
typedef struct jg_buffer {
    atomic_int refs;
    atomic_uint flags;  /* BUFFER_ bits */
    atomic_int writers; /* of the references: those of evaluations under way that write it */
    jg_device *device;
    jg_device_id
        origin;   /* the device as the producer named it; the device's own for joggle's blocks */
    void *handle; /* what the device calls it: an address of a device that says host_addresses */
    size_t nbytes;
    void (*release)(void *context); /* foreign only; may be NULL */
    void *context;
    struct jg_buffer *next;    /* in the cache or on a list of releases */
    int readers[READER_KINDS]; /* of a place, as the next three; see readers.c */
    const char *low, *high;    /* the memory that it spans; of a handle, that number alone */
    struct jg_buffer *previous_read, *next_read;
    int size_class;
} jg_buffer;

/* buffer.c */

/* A block of at least nbytes with whatever lies in it. gives: *out, +1 | raises: NOMEM, after
 * the cache has been emptied and the device asked again */
jg_status buffer_new(jg_device *device, size_t nbytes, jg_buffer **out);

/* A buffer over somebody else's memory, which the device has checked. takes: context (on JG_OK)
 * | gives: *out, +1 | raises: NOMEM */
jg_status buffer_take_foreign(jg_device *device, jg_device_id origin, void *handle, size_t nbytes,
                              unsigned flags, void (*release)(void *), void *context,
                              jg_buffer **out);

/* One reference more, one less. The last one gives the block back to the cache, or tells its owner,
 * now or when it is allowed. raises: never | waits: never */
jg_buffer *buffer_retain(jg_buffer *buffer);
void buffer_release(jg_buffer *buffer); /* NULL is fine */

/* Whether the caller's reference is the only one, except those of a caller that is about to write
 * what the caller waits for, and the memory joggle's own and never exported. */
bool buffer_is_exclusive(const jg_buffer *buffer);

/* One of the references is, or is no longer, that of an evaluation that writes the buffer. It ends
 * before the reference is dropped. */
void buffer_begin_writing(jg_buffer *buffer);
void buffer_end_writing(jg_buffer *buffer);

/* Whether its handle is an address on the host. */
static inline bool buffer_is_on_host(const jg_buffer *buffer)
{
    return device_is_host(buffer->device);
}

/* Copies bytes from offset on to the host, and back, whatever the device.
 * raises: NOMEM, DEVICE | waits: for the device */
jg_status buffer_read(const jg_buffer *buffer, uint64_t offset, size_t nbytes, void *to);
jg_status buffer_write(const jg_buffer *buffer, uint64_t offset, size_t nbytes, const void *from);

/* Whether it lies in a mapped file. */
static inline bool buffer_is_of_file(const jg_buffer *buffer)
{
    return atomic_load_explicit(&buffer->flags, memory_order_relaxed) & BUFFER_FILE;
}

/* Frees a foreign buffer without a word to its owner: the struct, not the memory. */
void buffer_free_foreign(jg_buffer *buffer);

/* readers.c */

/* One more, or one less, of those that are still to read a place. The buffer is held meanwhile. */
void buffer_begin_reading(jg_buffer *buffer, reader_kind kind);
void buffer_end_reading(jg_buffer *buffer, reader_kind kind);

/* How many forks made this process. A run that began in another one ends as READER_LEFT. */
unsigned readers_forks(void);

/* Whether any place with readers lies between the addresses, the second of which is behind the last
 * byte. */
bool readers_overlap(const void *low, const void *high);

/* Waits until no run reads between the addresses, at most for a slice (base.h): runs may stop, and
 * wait for the caller to go on with them. Not for nodes: those that other threads go on building
 * may wait for the caller. gives: whether none does */
bool readers_wait(const void *low, const void *high);

/* From here on imported memory is a place too: called before anything writes memory of others. */
void readers_track_foreign(void);
bool readers_are_foreign_tracked(void);

/* Makes the counts of readers ready for forks; see pool_install_hooks. */
void readers_install_hooks(void);

/* mapping.c */

typedef struct memory_mapping memory_mapping;
struct stat;

/* Takes note of a file's first bytes mapped privately, of which status tells how many: a read past
 * the end of a file that was cut short gets zeros from now on, not a signal. path: where the file
 * is; the system is asked where it is NULL or not absolute, which takes longer.
 * gives: *out, for mapping_remove | raises: NOMEM | waits: never */
jg_status mapping_add(const void *bytes, int descriptor, const char *path,
                      const struct stat *status, memory_mapping **out);

/* To be called before the bytes are unmapped, when they are not read any more. raises: never */
void mapping_remove(memory_mapping *mapping);

/* Makes the list of mapped files ready for forks; see pool_install_hooks. */
void mapping_install_hooks(void);

/* What is mapped at the address. gives: borrowed; NULL for what is no mapped file | raises:
 * never */
memory_mapping *mapping_at(const void *address);

/* Whether the file is all there, which the system is asked; NULL is fine. raises: IO if it was cut
 * short, ever since it was mapped */
jg_status mapping_check(memory_mapping *mapping);

/* reaper.c */

/* Between these, on this thread, foreign releases wait; the outermost end runs them, or hands
 * them to the reaper if the thread is a stream's. They nest. */
void memory_defer_begin(void);
void memory_defer_end(void);

/* Calls a foreign buffer's release and frees it, now or when it is allowed. For buffer.c. */
void memory_run_release(jg_buffer *buffer);

/* Waits until the reaper has run all it was given. */
void memory_drain(void);

/* Makes the cache and the reaper ready for forks. Called by the runtime, before there are
 * threads. */
void memory_install_hooks(void);

/* cache.c */

/* Classes are numbered from 0. nbytes: at most INT64_MAX / 2, which buffer_new checks. */
int cache_class_of(size_t nbytes); /* the class whose blocks hold nbytes */

/* The size of a class's blocks. */
size_t cache_class_nbytes(int size_class);

/* A kept block of the device with its count at 0, or NULL. raises: never | waits: never */
jg_buffer *cache_take(const jg_device *device, int size_class);

/* gives: false when the limit is reached: the caller frees it. raises: never | waits: never */
bool cache_keep(jg_buffer *buffer);

/* Gives blocks back until no more bytes are kept, of all devices; all blocks of one device.
 * raises: never | waits: for devices that do to free */
void cache_trim(size_t limit);
void cache_trim_device(const jg_device *device);
void cache_install_hooks(void);

/* limits.c */

/* Books bytes as in use, on whichever device, which are not kept any more. A block is booked
 * before it is asked for, and until it is in the cache or freed. raises: NOMEM beyond the limit,
 * after the cache has been emptied | waits: for work under way, beyond the limit */
jg_status memory_reserve(size_t nbytes);
void memory_unreserve(size_t nbytes);

/* copy.c */

/* Copies elements of itemsize bytes between layouts of one shape on the host. Strides are in
 * elements, addresses are those of index zero; the two do not overlap, nor do elements of the
 * target. Extents may be 0, strides negative, and those of the source 0. raises: never | waits:
 * never */
void copy_strided(int ndim, const int64_t *shape, size_t itemsize, const void *from,
                  const int64_t *from_strides, void *to, const int64_t *to_strides);

#endif
