/* SPDX-License-Identifier: Apache-2.0 */
/* device: one vtable, and the registry of the devices that this process has.
 *
 * A device is an object that lives until the process ends. The runtime names each back end once, as
 * a family; its driver is opened at the first request for a device of that kind, and then all of
 * its devices are registered. All other rooms look devices up by DLPack's numbers or by their index
 * in the registry, where the CPU has index 0. Callers use the forwarders below, which apply the
 * defaults; only back ends fill the slots.
 *
 * Memory of a device is named by a place: the handle that alloc gave, and bytes from its start.
 * Only where a device says host_addresses is the handle an address. */
#ifndef JG_DEVICE_ROOM_H
#define JG_DEVICE_ROOM_H

#include "base/base.h"
#include "device/printer.h"
#include "tensor/tensor.h"
#include <joggle/device.h>
#include <joggle/stream.h>
#include <pthread.h>

#define DEVICE_OPS_VERSION 6

enum { DEVICE_MAX = 32 }; /* devices of a process */

typedef struct jg_device jg_device;

/* An address in the memory of a device. */
typedef struct device_place {
    void *handle;
    uint64_t offset; /* in bytes */
} device_place;

/* A place in host memory is an address with offset 0. WITHIN: of flat addresses, the place that is
 * read may be another device's of the back end. */
typedef enum device_direction { DEVICE_TO_HOST, DEVICE_FROM_HOST, DEVICE_WITHIN } device_direction;

/* Bytes that do not overlap. */
typedef struct device_copy {
    device_direction direction;
    device_place to, from;
    size_t nbytes;
} device_copy;

/* The arguments of a run of one entry of loaded code. They are borrowed for the call. */
typedef struct device_start {
    const device_entry *takes;   /* what its kernels take; of any text that has the same work */
    int entry;                   /* of the text's; device_launch_start adds where that begins */
    const char *label;           /* what failures call it; lives forever; or NULL */
    const device_launch *launch; /* bound */
    void *const *handles;        /* by the entry's buffer; NULL of an index */
    void *scratch;               /* handle of launch->scratch_nbytes; NULL if that is 0 */
} device_start;

/* A run of a product that a library makes. Borrowed for the call. */
typedef struct device_product_start {
    const char *label;    /* as above */
    void *const *handles; /* by the numbers of printer.h, and each one's offset in bytes */
    const int64_t *offsets;
    void *scratch; /* handle of the scratch_nbytes that product_new told; NULL if those are 0 */
} device_product_start;

/* The sizes of a device's memory, in bytes. */
typedef struct device_memory {
    uint64_t total;
    uint64_t free; /* 0 where the driver does not say */
} device_memory;

/* The functions of a back end; slots.def has which of them must be there, and the groups that are
 * there as a whole or not at all. Any thread may call a slot, and several may do so at once. Some
 * callers hold the device's own lock; no caller holds another one. A queue runs what it is given in
 * order; queues run side by side. A mark is a point in a queue: it is set when everything that the
 * queue was given before it has run. */
typedef struct jg_device_ops {
    int version; /* DEVICE_OPS_VERSION that the back end was written for */
    const char *name;

    /* Whether handles are addresses that the host reads and writes. Then launches of the host's
     * tiers run in the device's memory; else their operands are copied to the host and back. */
    bool host_addresses;

    /* Whether handles are addresses, each of one device of the back end, so that a tensor of
     * another library may begin anywhere in a block, and what is exported names its first element.
     */
    bool flat_addresses;

    /* Whether a graph may be changed while what it gave a queue still runs. */
    bool graphs_overlap;

    /* Memory of at least nbytes, aligned to BASE_BLOCK_ALIGNMENT. Required; may block.
     * gives: a handle that free takes | raises: NOMEM, DEVICE */
    jg_status (*alloc)(jg_device *device, size_t nbytes, void **out);

    /* Frees memory of alloc. No queued work uses it any more. Required; may block. */
    void (*free)(jg_device *device, void *handle, size_t nbytes);

    /* A queue without work. Required; may block. gives: *out, for queue_free
     * raises: NOMEM, DEVICE */
    jg_status (*queue_new)(jg_device *device, void **out);

    /* Frees a queue after everything that it was given has run. Required; blocks. */
    void (*queue_free)(jg_device *device, void *queue);

    /* Makes everything that the queue is given from now on run after the mark, which may belong to
     * another queue of the device and may be freed before it is set. Required; does not block.
     * raises: NOMEM, DEVICE */
    jg_status (*queue_wait)(jg_device *device, void *queue, void *mark);

    /* A mark behind what the queue was given. After a failure the queue has run all that, as no
     * thread can wait for it any more and its memory may be freed next. Required; does not block
     * but for that. gives: *out, for mark_free | raises: NOMEM, DEVICE */
    jg_status (*mark_record)(jg_device *device, void *queue, void **out);

    /* Whether all that was given to the queue before the mark has run, or has failed, so that
     * mark_wait would not block. Required; does not block. */
    bool (*mark_is_set)(jg_device *device, void *mark);

    /* Blocks until the mark is set. Required. raises: the first failure of what the queue was given
     * since the mark before, with the label of that */
    jg_status (*mark_wait)(jg_device *device, void *mark);

    /* Required; does not block. The queue goes on. */
    void (*mark_free)(jg_device *device, void *mark);

    /* Gives the queue a copy of one byte or more. The host's memory stays as it is until the copy
     * has run. Required; may block. raises: NOMEM, DEVICE */
    jg_status (*copy)(jg_device *device, void *queue, const device_copy *copy);

    /* Checks that a handle from another library belongs to the device and has nbytes. NULL if the
     * device imports no memory; does not block. raises: BUFFER, naming what is wrong */
    jg_status (*adopt)(jg_device *device, void *handle, uint64_t nbytes);

    /* What the driver says of the memory. NULL if it says nothing; does not block.
     * raises: DEVICE */
    jg_status (*memory)(jg_device *device, device_memory *out);

    /* Without the slots of CODE, and the device's facts, the host runs all launches for it. */

    /* Compiles and loads a printed text, which may be released afterwards. Blocks while it
     * is compiled, which may take long; the caller holds no lock.
     * gives: *out, for code_free | raises: NOMEM; DEVICE, with what the compiler says */
    jg_status (*code_load)(jg_device *device, const device_unit *unit, void **out);

    /* Nothing that is queued uses it any more. May block. */
    void (*code_free)(jg_device *device, void *code);

    /* Gives the queue the steps of a launch, one after the other. Its words, handles and scratch
     * handle are copied or taken in before it returns. May block only as long as giving takes.
     * raises: NOMEM, DEVICE; then steps before the failing one may run */
    jg_status (*launch)(jg_device *device, void *queue, void *code, const device_start *start);

    /* Without the slots of PRODUCTS all products are printed, or the host's. */

    /* Readies a product of a library's. May block for the loader, the first time.
     * gives: *out, for product_free; NULL where the library is not there, or makes none of these
     * numbers and strides; and how much scratch memory it takes | raises: NOMEM, DEVICE */
    jg_status (*product_new)(jg_device *device, const device_product *product,
                             size_t *scratch_nbytes, void **out);

    /* May run while what is queued still runs. Does not block. */
    void (*product_free)(jg_device *device, void *made);

    /* Gives the queue a product. Any thread may run one that several share. May block only as long
     * as giving takes. raises: NOMEM, DEVICE */
    jg_status (*product_run)(jg_device *device, void *queue, void *made,
                             const device_product_start *start);

    /* Without the slots of STREAMS a tensor that goes out is complete when the call returns. The
     * streams of other libraries are named by numbers, as DLPack does, and belong to them. No slot
     * is called with a queue of another device. */

    /* The driver's stream of a number; JG_STREAM_DEFAULT is that of a library that names none.
     * Does not block. gives: *out, borrowed | raises: BUFFER for a number that means nothing */
    jg_status (*stream_read)(const jg_device *device, int64_t number, void **out);

    /* The number by which other libraries may name the queue. Does not block. raises: never */
    int64_t (*stream_number)(const jg_device *device, void *queue);

    /* A queue over another library's stream, which outlives it. Frees nothing but itself.
     * Does not block. gives: *out, for queue_free | raises: NOMEM */
    jg_status (*stream_adopt)(jg_device *device, void *stream, void **out);

    /* A mark after the present work of another library's stream, for queue_wait and mark_free. Does
     * not block. gives: *out | raises: NOMEM, DEVICE */
    jg_status (*stream_mark)(jg_device *device, void *stream, void **out);

    /* Work that another library queues on its stream from now on runs after the work that the queue
     * has now. Does not block. raises: NOMEM, DEVICE */
    jg_status (*stream_lead)(jg_device *device, void *queue, void *stream);

    /* Blocks until everything that any library has given the device has run, or it is lost. */
    void (*settle)(jg_device *device);

    /* Without the slots of GRAPHS a queue is given each launch by itself. A graph gathers launches,
     * so that a queue is given several as one, and it keeps what the driver made of them for the
     * next time. One thread at a time uses it. */

    /* A graph without launches. Does not block.
     * gives: *out, for graph_free; NULL where the driver has none | raises: NOMEM, DEVICE */
    jg_status (*graph_new)(jg_device *device, void **out);

    /* Nothing that is queued uses it any more. Does not block. */
    void (*graph_free)(jg_device *device, void *graph);

    /* Adds the steps of a launch, as launch would give them. Its words and handles are copied; the
     * code, what it takes and the label live until graph_run. After a failure nothing is added.
     * Does not block. gives: *taken, false for one that can only be given by itself
     * raises: NOMEM, DEVICE */
    jg_status (*graph_add)(jg_device *device, void *graph, void *code, const device_start *start,
                           bool *taken);

    /* Submits what was added to the queue, in that order. Nothing can be added afterwards, also
     * after a failure. part: how many parts of the run were submitted before this one; the driver's
     * graph of the same part is updated instead of built again. If part is -1, or the driver
     * refuses the graph, each launch is submitted by itself. May block only as long as
     * submitting takes.
     * raises: as launch, with the label of the launch before the message */
    jg_status (*graph_run)(jg_device *device, void *queue, void *graph, int part);

    /* Forgets what was added. Does not block. */
    void (*graph_drop)(jg_device *device, void *graph);
} jg_device_ops;

/* Back ends set the first four. Other rooms read id and index; for the rest they call functions. */
struct jg_device {
    const jg_device_ops *ops;
    jg_device_id id;
    const device_facts *facts;  /* for printers; NULL of a device that runs nothing itself */
    const char *title;          /* its driver's name for it; NULL where there is none */
    int index;                  /* in the registry */
    pthread_mutex_t submitting; /* held from a copy to the mark behind it */
    void *queue;                /* for copies of no stream, made when first asked for; under the
                                   mutex */
};

/* The devices of one kind. */
typedef struct device_family {
    int32_t type; /* DLPack's */

    /* Opens the driver and registers its devices. Called once, at the first request for a device of
     * the type; never while the library is loaded. raises: DEVICE, whose message
     * says why there are none; later requests raise the same failure */
    jg_status (*probe)(void);
} device_family;

/* registry.c */

/* Adds a device that lives forever. Called by the runtime before any other thread, and by probes.
 * raises: VALUE for a version or number not known or already taken, a required slot that is NULL,
 * or some of what code needs but not all; UNSUPPORTED when the table is full | waits: never */
jg_status device_register(jg_device *device);

/* Adds a family, whose struct lives forever. By the runtime, before any other thread. */
void device_add_family(const device_family *family);

/* The device that holds the memory a tensor of that device comes in on: itself, or the CPU for
 * memory the host can read. gives: borrowed, valid forever; NULL if this process has no back end
 * for it | raises: never | waits: for a driver that is opened */
jg_device *device_find(jg_device_id id);

/* Like device_find, with a failure that names the device, and tells why it is not available.
 * device_require: for a device that a caller chooses: of CPUs there is one, number 0.
 * gives: *out, borrowed, valid forever | raises: DEVICE | waits: as device_find */
jg_status device_require_memory(jg_device_id id, jg_device **out);
jg_status device_require(jg_device_id id, jg_device **out);

/* The device of a number in the registry, below the count; and the count of devices registered so
 * far. gives: borrowed, valid forever | raises: never */
jg_device *device_at(int index);
int device_count_all(void);

/* The number of the default device; -1 before the first request for it. */
extern atomic_int device_default_index;

/* Looks up what JOGGLE_DEVICE names, if no default has been chosen. raises, waits: as below */
jg_status device_default_choose(int *out) JG_COLD;

/* The number of the device that is meant where none is named. raises: VALUE, DEVICE, as
 * jg_device_get_default | waits: for a driver that is opened, the first time */
static inline jg_status device_default_require(int *out)
{
    int index = atomic_load_explicit(&device_default_index, memory_order_relaxed);
    if (JG_UNLIKELY(index < 0))
        return device_default_choose(out);
    *out = index;
    return JG_OK;
}

/* The same, but the CPU's number where that fails. raises: never */
int device_default(void);

void device_install_hooks(void); /* makes the devices ready for forks, before there are threads */

/* How many forks lie between the process that loaded the library and this one. A driver that was
 * opened at another number must not be called: its threads are not here. raises: never */
unsigned device_forks(void);

/* The first part of "cuda:0". gives: borrowed, valid forever */
static inline const char *device_name(const jg_device *device)
{
    return device->ops->name;
}

/* Whether an element's address of the device is its handle and its offset, added up. */
static inline bool device_has_flat_addresses(const jg_device *device)
{
    return device->ops->flat_addresses;
}

/* The facts about the device that printers use. gives: borrowed; NULL if the device runs nothing
 * itself */
static inline const device_facts *device_facts_of(const jg_device *device)
{
    return device->facts;
}

/* queue.c */

/* Gives a queue work, and returns before it has run. raises: NOMEM, DEVICE */
typedef jg_status device_give(void *context, void *queue);

/* These forward to the device's slots of the same names. gives: what the slot gives
 * raises: NOMEM, DEVICE | waits: as the slot */
jg_status device_alloc(jg_device *device, size_t nbytes, void **out);
void device_free(jg_device *device, void *handle, size_t nbytes);
jg_status device_queue_new(jg_device *device, void **out);
void device_queue_free(jg_device *device, void *queue);

/* Makes copies on the queue, or on a queue of the device's own where it is NULL, and returns when
 * they are complete. Copies of zero bytes are skipped. raises: NOMEM, DEVICE | waits: for the
 * device */
jg_status device_copy_all(jg_device *device, void *queue, int count, const device_copy *copies);

/* Calls give, which gives the queue work and copies, and returns when all of it has run. The queue
 * is one of the device's own where it is NULL. raises: as give, NOMEM, DEVICE | waits: for the
 * device */
jg_status device_run(jg_device *device, void *queue, device_give *give, void *context);

/* The same without the wait, unless something fails. gives: *mark, for device_mark_finish | raises:
 * as device_run, where nothing is left to run */
jg_status device_submit(jg_device *device, void *queue, device_give *give, void *context,
                        void **mark);

/* Forwards to the slot. raises: never | waits: never */
bool device_mark_is_set(jg_device *device, void *mark);

/* A mark after the work that the queue has now; and the wait for the mark, which frees it. gives:
 * *out, for device_mark_finish | raises: NOMEM, DEVICE; the wait as the slot | waits: for the
 * device */
jg_status device_mark_record(jg_device *device, void *queue, void **out);
jg_status device_mark_finish(jg_device *device, void *mark);

/* Whether other libraries order their work with the device's by streams. raises: never */
static inline bool device_has_streams(const jg_device *device)
{
    return device->ops->stream_read != NULL;
}

/* These forward to the slots, of a device that has streams; the streams are named by their numbers.
 * gives: *out, a queue for device_queue_free, a mark for device_mark_drop | raises: BUFFER for a
 * number that means nothing, NOMEM, DEVICE | waits: never */
jg_status device_stream_check(const jg_device *device, int64_t number);
jg_status device_stream_adopt(jg_device *device, int64_t number, void **out);
jg_status device_stream_mark(jg_device *device, int64_t number, void **out);
jg_status device_stream_lead(jg_device *device, void *queue, int64_t number);
int64_t device_stream_number(const jg_device *device, void *queue);

/* These forward to the slots. device_product_new gives NULL for a device without them.
 * gives: *out, for device_product_free; NULL where no library makes the product | raises: NOMEM,
 * DEVICE | waits: for the loader */
jg_status device_product_new(jg_device *device, const device_product *product,
                             size_t *scratch_nbytes, void **out);
void device_product_free(jg_device *device, void *made); /* NULL is fine */
jg_status device_product_run(jg_device *device, void *queue, void *made,
                             const device_product_start *start);

/* Makes a queue come after a mark: the device's own, which copies of no stream use, where it is
 * NULL. raises: NOMEM, DEVICE | waits: never */
jg_status device_queue_wait(jg_device *device, void *queue, void *mark);

/* Ends a mark that no thread of the host waits for. raises: never | waits: never */
void device_mark_drop(jg_device *device, void *mark);

/* Waits until nothing that another library has given the device runs any more; at once on one
 * without streams. raises: never | waits: for the device */
void device_settle(jg_device *device);

/* Gives the queue a copy, which a later mark of the queue tells of. The host's memory stays as it
 * is until then. raises: NOMEM, DEVICE */
jg_status device_copy_start(jg_device *device, void *queue, const device_copy *copy);

/* Checks a handle of another library's.
 * raises: DEVICE for a device that imports no memory, BUFFER for a handle that is not valid */
jg_status device_adopt(jg_device *device, void *handle, uint64_t nbytes);

/* Asks the driver for the sizes of the memory. raises: UNSUPPORTED for a device that does not tell,
 * DEVICE */
jg_status device_tell_memory(jg_device *device, device_memory *out);

/* code.c */

/* Loaded code of one device, shared by all launches with an equal text. */
typedef struct device_code device_code;

/* The code of a printed text: that which is loaded already, else compiled now. Two threads that ask
 * for one text at once compile it once. The caller holds no lock.
 * gives: *out, +1, for device_code_release | raises: NOMEM, DEVICE | waits: for the compiler */
jg_status device_code_require(jg_device *device, const device_unit *unit, device_code **out);

/* A work, its text alone, and once that is loaded its code. */
typedef struct device_request {
    const device_work *work;
    const device_unit *unit;
    device_code *code; /* +1, for device_code_release; NULL where it could not be loaded */
    bool compiles;     /* private to code.c: the caller compiles it */
} device_request;

/* Works of one program at most. */
enum { DEVICE_PROGRAM_WORKS = 16 };

/* The code of several texts, all by one printer. What is not loaded is compiled as one program, or
 * a few. The caller holds no lock. gives: codes; a second request for one that is NULL raises the
 * reason | raises: never | waits: for the compiler */
void device_code_require_all(jg_device *device, int count, device_request *requests);

/* Code without references stays loaded for later requests, up to a number of texts. All launches of
 * the code have run. raises: never | waits: for the driver, where other code is unloaded */
void device_code_release(device_code *code); /* NULL is fine */

/* Unloads code without references until at most that many texts stay. For tests. */
void device_code_trim(int count);

/* Gives the queue a launch of the code, as the slot does. raises: NOMEM, DEVICE */
jg_status device_launch_start(device_code *code, void *queue, const device_start *start);

void device_code_install_hooks(void); /* by device_install_hooks */

/* Adds the launch to a graph, as the slot does. gives: *taken | raises: NOMEM, DEVICE */
jg_status device_launch_add(device_code *code, void *graph, const device_start *start, bool *taken);

/* submission.c */

/* The launches of a plan, which its runs give a queue again and again. All zeros at first. */
typedef struct device_sequence {
    atomic_int longest; /* the longest row of successive launches in a run so far */
    atomic_int running; /* runs that gave a queue the graph, and have not ended */
    atomic_bool taken;  /* by the run that now gives launches, which alone uses the next two */
    const void *queue;  /* that the graph was given last; only compared */
    void *graph;        /* NULL before a run that is worth one */
} device_sequence;

/* The commands that one run gives to its queue. If an earlier run had a row of at least
 * JOGGLE_DEVICE_GRAPHS launches, launches are held back until the queue is given another command,
 * and are then submitted together as a graph. It starts as all zeros. One thread at a time uses a
 * submission. */
typedef struct device_submission {
    jg_device *device;
    void *queue;
    device_sequence *sequence;
    void *graph; /* the sequence's, between begin and end; NULL: each launch goes by itself */
    int least;   /* launches that are worth a graph; 0: none are */
    int row, part;
    bool counted; /* among the sequence's running */
} device_submission;

/* Begins a submission, or continues it after device_submission_end. raises: never | waits: never */
void device_submission_begin(device_submission *to, jg_device *device, void *queue,
                             device_sequence *sequence);

/* Like device_launch_start, for the queue of the submission. The data that start points to is
 * copied, except takes and label, which must live until the next cut.
 * raises: NOMEM, DEVICE; also for launches before it */
jg_status device_submission_launch(device_submission *to, device_code *code,
                                   const device_start *start);

/* Submits the launches that are held back. Call this before the queue is given any other command.
 * raises: NOMEM, DEVICE; then the other launches are dropped */
jg_status device_submission_cut(device_submission *to);

/* Drops the launches that are held back, and lets other runs use the sequence. raises: never |
 * waits: never */
void device_submission_end(device_submission *to);

/* Ends the submission after the queue has run everything. */
void device_submission_close(device_submission *to);

/* Frees what a sequence has, of which all runs have ended. */
void device_sequence_clear(jg_device *device, device_sequence *sequence);

static inline bool device_is_host(const jg_device *device)
{
    return device->ops->host_addresses;
}

/* Whether handles are addresses, the host's or the device's. */
static inline bool device_has_addresses(const jg_device *device)
{
    return device->ops->host_addresses || device->ops->flat_addresses;
}

/* opencl/opencl.c */

/* The devices of all OpenCL platforms, in the order in which the driver lists them. */
extern const device_family device_opencl;

/* cuda/cuda.c */

/* The devices of NVIDIA's driver, with its numbers. */
extern const device_family device_cuda;

/* The devices of AMD's HIP, likewise. */
extern const device_family device_rocm;

/* cpu/cpu.c */

/* The CPU. gives: borrowed, valid forever */
jg_device *device_cpu(void);

#endif
