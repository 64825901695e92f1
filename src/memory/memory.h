/* SPDX-License-Identifier: Apache-2.0 */
/* memory: blocks of device memory with a count, the cache they come from, copies between
 * layouts.
 *
 * A jg_buffer is one block: joggle's own, which goes back to the cache, or a foreign one, which
 * its release function gives back to its owner. Foreign release functions may want locks of their
 * own (Python's GIL), so they never run while joggle holds a lock or on a stream's thread: releases
 * are put off between memory_defer_begin and _end, and a reaper thread runs those of the streams.
 */
#ifndef JG_MEMORY_H
#define JG_MEMORY_H

#include "base/base.h"
#include "device/device.h"
#include "stream/stream.h"
#include "tensor/tensor.h"
#include <stdatomic.h>

#define BUFFER_READ_ONLY (1u << 0) /* joggle does not write it */
#define BUFFER_FOREIGN (1u << 1)   /* memory of another library */
#define BUFFER_EXPORTED                                                                            \
    (1u << 2) /* it was exported; never cleared, and no result is written over it */

#define BUFFER_PLACE (1u << 3) /* may be written while arrays hold it; its readers are counted */
#define BUFFER_FILE (1u << 4)  /* a mapped file, which may be cut short: mapping_check */

/* The kinds of readers that have still to read a place. */
typedef enum reader_kind {
    READER_PENDING, /* a node that is not evaluated */
    READER_RUNNING, /* a run under way */
    READER_LEFT,    /* a run that was under way when the process was forked */
    READER_KINDS
} reader_kind;

/* One block. Members that are not atomic are set when it is made, except for next and for those
 * that only places use, which the lock of readers.c guards. Only joggle's own blocks have a
 * size_class. */
typedef struct jg_buffer {
    atomic_int refs;
    atomic_uint flags;  /* BUFFER_ bits */
    atomic_int writers; /* of the references: those of running evaluations that write the buffer */
    jg_device *device;
    jg_device_id
        origin;   /* the device as the producer named it; the device's own for joggle's blocks */
    void *handle; /* the device's handle: an address if the device has host_addresses */
    size_t nbytes;
    void (*release)(void *context); /* foreign only; may be NULL */
    void *context;
    struct jg_buffer *next;    /* in the cache or on a list of releases */
    int readers[READER_KINDS]; /* of a place, as the next three; see readers.c */
    const char *low, *high;    /* its addresses; of a handle that is none, that number alone */
    list_link reading;         /* on the list of places with readers */
    int size_class;
} jg_buffer;

/* block.c */

/* A block of a size class, without a reference but counted as in use; no byte of it may be used
 * before buffer_use. The cache is asked first, then the device, which is asked again after the
 * cache was emptied and while work ends that frees memory.
 * gives: *out, for block_recycle | raises: NOMEM, DEVICE | waits: as memory_reserve */
jg_status block_take(jg_device *device, int size_class, jg_buffer **out);

/* Returns a block without a reference to the cache, or frees it as memory_free_unlocked does.
 * raises: never | waits: for the device's free, where this thread delays nothing */
void block_recycle(jg_buffer *block);

/* Frees one that is in no cache and not counted as in use. waits: for the device's free */
static inline void block_free(jg_buffer *block)
{
    device_free(block->device, block->handle, block->nbytes);
    base_free(block);
}

/* buffer.c */

/* A block of at least nbytes, whose contents are undefined. gives: *out, +1 | raises: NOMEM, after
 * the cache has been emptied and the device asked again; DEVICE */
jg_status buffer_new(jg_device *device, size_t nbytes, jg_buffer **out);

/* A block that the cache keeps. gives: *out, +1; false where there is none, or the device's limit
 * is reached | waits: as block_recycle, for a block beyond the limit */
bool buffer_find(jg_device *device, size_t nbytes, jg_buffer **out);

/* Adds and drops a reference. Dropping the last one returns the block to the cache, or calls the
 * release function, at once or when that is allowed.
 * gives: buffer, +1 | raises: never | waits: as block_recycle */
jg_buffer *buffer_retain(jg_buffer *buffer);
void buffer_release(jg_buffer *buffer); /* NULL is fine */

/* Whether the memory is joggle's own, was never exported, and has no reference but the caller's and
 * those of evaluations that write it and that the caller waits for. */
bool buffer_is_exclusive(const jg_buffer *buffer);

/* Marks one reference as that of an evaluation that writes the buffer, and ends that. The mark ends
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

/* Whether it is memory of another library. */
static inline bool buffer_is_foreign(const jg_buffer *buffer)
{
    return atomic_load_explicit(&buffer->flags, memory_order_relaxed) & BUFFER_FOREIGN;
}

/* Whether it may be written while arrays hold it. */
static inline bool buffer_is_place(const jg_buffer *buffer)
{
    return atomic_load_explicit(&buffer->flags, memory_order_relaxed) & BUFFER_PLACE;
}

/* Whether it lies in a mapped file. */
static inline bool buffer_is_of_file(const jg_buffer *buffer)
{
    return atomic_load_explicit(&buffer->flags, memory_order_relaxed) & BUFFER_FILE;
}

/* Lets so many bytes of joggle's own block be used, or those that were already, if they are more.
 * The rest of its size class stays poisoned. */
static inline void buffer_use(const jg_buffer *buffer, size_t nbytes)
{
    if (buffer_is_on_host(buffer))
        poison_end(buffer->handle, nbytes);
}

/* foreign.c */

/* A buffer over another library's memory, which the device has checked.
 * takes: context (on JG_OK) | gives: *out, +1 | raises: NOMEM */
jg_status buffer_take_foreign(jg_device *device, jg_device_id origin, void *handle, size_t nbytes,
                              unsigned flags, void (*release)(void *), void *context,
                              jg_buffer **out);

/* Frees the struct of a foreign buffer without calling its release function. */
void buffer_free_foreign(jg_buffer *buffer);

/* pages.c */

/* Zeros in the CPU's address space, whose pages come when they are first written. It counts as
 * memory of others. gives: *out, +1 | raises: NOMEM, where the address space is full */
jg_status buffer_map_pages(size_t nbytes, jg_buffer **out);

/* Makes all of such a buffer zeros again, and gives its pages back. */
void buffer_drop_pages(jg_buffer *buffer);

/* readers.c */

/* Counts one reader of a place more, or one less. The caller holds the buffer meanwhile. */
void buffer_begin_reading(jg_buffer *buffer, reader_kind kind);
void buffer_end_reading(jg_buffer *buffer, reader_kind kind);

/* How many forks made this process. A run that began in another one ends as READER_LEFT. */
unsigned readers_forks(void);

/* Whether any place with readers lies between the addresses, the second of which is behind the last
 * byte. */
bool readers_overlap(const void *low, const void *high);

/* Waits until no run reads between the addresses, for one slice (base.h) at most, as runs that have
 * stopped wait for the caller to resume them. It does not wait for nodes, as a thread that is
 * building some may itself wait for the caller. gives: whether none does */
bool readers_wait(const void *low, const void *high);

/* Makes imported memory a place from now on. Called before anything writes memory of another
 * library. */
void readers_track_foreign(void);
bool readers_are_foreign_tracked(void);

/* Makes the counts of readers ready for forks; see pool_install_hooks. */
void readers_install_hooks(void);

/* works.c */

/* Work over places that a device was given, and that no event tells of. One block of base_alloc. */
typedef struct memory_work {
    jg_device *device;
    void *queue, *mark; /* that it was given to, and behind it */

    /* Called once, after the work has run, by the thread that waits for it, with no lock held:
     * releases everything that the work holds, except the block itself. status: of the mark; its
     * failure is the thread's last one. raises: a failure, which is kept for the next wait */
    jg_status (*end)(struct memory_work *work, jg_status status);

    struct memory_work *next; /* these are of works.c */
    uint64_t number;
    bool waited; /* a thread finishes it */
} memory_work;

/* All that queues of the device are given from now on comes after the work. takes: work | gives:
 * its number | waits: where too many works are under way, or without memory for an order */
uint64_t memory_works_add(memory_work *work);

/* Has a thread beside the stream's end the work as soon as it has run, if it has not been ended
 * by then. Without memory for that it ends when works are next looked at. raises: never | waits:
 * never */
void memory_works_end_soon(const jg_device *device, uint64_t number, jg_stream *stream);

/* Waits for the works of a device that were added before; NULL: of all devices. A work that the
 * call was interrupted in goes on. raises: their first failure that no caller was told of,
 * INTERRUPTED */
jg_status memory_works_wait(const jg_device *device);

/* Has the device's next wait raise the failure of a work that no caller was told of, unless an
 * earlier one is kept already. keeps: nothing | raises: never */
void memory_works_keep_failure(const jg_device *device, const jg_error *failure);

/* Ends works that have run. raises: as memory_works_wait, of those | waits: never */
jg_status memory_works_end_finished(void);

/* Like memory_works_wait, but failures are kept for the next wait, and interrupts are handled
 * later. */
void memory_works_settle(const jg_device *device);

/* Like memory_works_wait, but it reports no failure and no interrupt. */
void memory_works_wait_quietly(void);

/* Work that another library queues on its stream from now on runs after the device's works. raises:
 * as device_stream_lead, memory_works_wait */
jg_status memory_works_lead(const jg_device *device, int64_t stream);
void memory_works_install_hooks(void);

/* Like memory_works_wait, for one buffer. Only a place in device memory may be written by works;
 * for other memory nothing is waited for. raises, waits: as memory_works_wait */
static inline jg_status memory_works_wait_for(const jg_buffer *buffer)
{
    return buffer_is_place(buffer) && !buffer_is_on_host(buffer) ? memory_works_wait(buffer->device)
                                                                 : JG_OK;
}

/* mapping.c */

typedef struct memory_mapping memory_mapping;
struct stat;

/* Registers a private mapping of a file's first bytes, whose number status holds: from now on a
 * read past the end of a truncated file gives zeros and no signal. path: of the file; if it is NULL
 * or not absolute, the system is asked for it, which takes longer.
 * gives: *out, for mapping_remove | raises: NOMEM | waits: never */
jg_status mapping_add(const void *bytes, int descriptor, const char *path,
                      const struct stat *status, memory_mapping **out);

/* Unregisters a mapping. Called before the bytes are unmapped, when no thread reads them any more.
 * raises: never */
void mapping_remove(memory_mapping *mapping);

/* Makes the list of mapped files ready for forks; see pool_install_hooks. */
void mapping_install_hooks(void);

/* The mapping that holds the address. gives: borrowed; NULL for what is no mapped file | raises:
 * never */
memory_mapping *mapping_at(const void *address);

/* Checks by a system call that the file was not truncated; NULL is fine. raises: IO if it was
 * truncated since it was mapped */
jg_status mapping_check(memory_mapping *mapping);

/* surplus.c */

/* The number of memory_defer_begin that have not ended on this thread. */
extern JG_FAST_THREAD_LOCAL int memory_deferrals;

/* Frees a block as block_free does; of a device, whose free may wait for its work, not before the
 * locks are dropped under which this thread delays releases. */
void memory_free_unlocked(jg_buffer *block);

/* The blocks of this thread that are to be freed. For reaper.c. surplus_free waits: for the
 * devices' frees */
bool surplus_is_any(void);
void surplus_free(void);

/* reaper.c */

/* Foreign releases on this thread are delayed between these two calls; the outermost end runs them,
 * or hands them to the reaper if the thread is a stream's. So are frees of a device's blocks, which
 * the end makes itself. Pairs nest. */
void memory_defer_begin(void);
void memory_defer_end(void);

/* Calls a foreign buffer's release function and frees the buffer, at once or when that is allowed.
 * For buffer.c. */
void memory_run_release(jg_buffer *buffer);

/* Has a block of joggle's own, without references, recycled by the reaper once nothing that other
 * libraries have given its device runs any more. raises: never | waits: never */
void memory_settle_later(jg_buffer *buffer);

/* Waits until the reaper has run every release that it was given; a release that calls this does
 * not wait for itself. begun: of the call that can be interrupted, or NULL. raises: INTERRUPTED */
jg_status memory_drain(const unsigned *begun);

/* Makes the cache and the reaper ready for forks. Called by the runtime, before there are
 * threads. */
void memory_install_hooks(void);

/* cache.c */

enum { CACHE_CLASSES = 1536 };

/* Classes are numbered from 0 to CACHE_CLASSES - 1. nbytes: at most INT64_MAX / 2, which buffer_new
 * checks. */
int cache_class_of(size_t nbytes); /* the class whose blocks hold nbytes */

/* The size of a class's blocks. */
size_t cache_class_nbytes(int size_class);

/* Takes a kept block of the device. gives: it, with its count at 0, or NULL | raises: never
 * waits: never */
jg_buffer *cache_take(const jg_device *device, int size_class);

/* limit: of what the cache keeps of the device, in bytes. gives: false when it is reached; then the
 * caller frees the block | raises: never | waits: never */
bool cache_keep(jg_buffer *buffer, size_t limit);

/* Frees blocks of the device until no more bytes than these are kept. raises: never | waits: where
 * the device does */
void cache_trim(const jg_device *device, size_t limit);
size_t cache_nbytes(const jg_device *device); /* that are kept */
void cache_install_hooks(void);

/* limits.c */

/* These count bytes of a device as in use, and end that. A block counts from before it is allocated
 * until it is in the cache or freed. What the cache keeps is freed where both would exceed the
 * device's limit together.
 * raises: NOMEM beyond the limit, when no work is under way | waits: for such work */
jg_status memory_reserve(const jg_device *device, size_t nbytes);
void memory_unreserve(const jg_device *device, size_t nbytes);

/* The same for a block that was in the cache. gives: false beyond the limit | waits: never */
bool memory_reserve_kept(const jg_device *device, size_t nbytes);

/* The most bytes of the device that are kept. raises: never */
size_t memory_cache_limit(const jg_device *device);

/* reserve.c: blocks of an evaluation, which takes none from a driver while it holds the evaluation
 * lock. It notes what it lacks and gives up; then the caller allocates that with no lock held, and
 * evaluates again. All of it is the calling thread's. */

/* A block of the reserve or of the cache. gives: *out, +1; false where there is none, which is
 * noted | raises: never | waits: never */
bool reserve_take(jg_device *device, size_t nbytes, jg_buffer **out);

/* Puts back a block that was taken. takes: buffer */
void reserve_put(jg_buffer *buffer);

bool reserve_lacks(void); /* whether something was noted */

/* Allocates what was noted. The caller holds no lock. raises: NOMEM, DEVICE | waits: as
 * buffer_new */
jg_status reserve_fill(void);

/* Releases the blocks that were not taken, and the notes. */
void reserve_clear(void);

/* copy.c */

/* Copies elements of itemsize bytes between layouts of one shape on the host. Strides are in
 * elements, addresses are those of index zero; the two do not overlap, nor do elements of the
 * target. Extents may be 0, strides negative, and those of the source 0. raises: never | waits:
 * never */
void copy_strided(int ndim, const int64_t *shape, size_t itemsize, const void *from,
                  const int64_t *from_strides, void *to, const int64_t *to_strides);

#endif
