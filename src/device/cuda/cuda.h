/* SPDX-License-Identifier: Apache-2.0 */
/* cuda: the common declarations of this back end's files. It calls NVIDIA's driver and, by the
 * second column of its table, AMD's HIP, whose functions have other names and the same effect.
 *
 * Arrays are in the primary context of each device, which all libraries of a process share. It is
 * the thread's current context only while a slot calls the driver (cuda_enter, cuda_leave), because
 * other libraries use the current context. A process that is forked after the driver was opened
 * must not call it: cuda_enter refuses then.
 *
 * After a failed kernel the context is unusable: the driver answers every later call with the same
 * error. */
#ifndef JG_CUDA_H
#define JG_CUDA_H

#include "device/device.h"
#include <stddef.h>

/* Numbers that both drivers' headers have. */
enum {
    CUDA_POINTER_TYPE = 2, /* attributes of an address */
    CUDA_POINTER_DEVICE = 9,
    CUDA_TYPE_DEVICE = 2,  /* the type of an address in a device's memory */
    CUDA_NON_BLOCKING = 1, /* of a stream: it has no order with the legacy default stream */
    CUDA_NO_TIMING = 2     /* of an event */
};

/* Errors that more is known of. */
enum { CUDA_NO_MEMORY = 2, CUDA_NO_DEVICE = 100, CUDA_NOT_READY = 600 };

/* library.c */

enum { CUDA_LIBRARY_NAMES = 4 };

/* The folders in which the toolkits are installed. */
#define CUDA_NVIDIA_FOLDER "/usr/local/cuda/lib64"
#define CUDA_AMD_FOLDER "/opt/rocm/lib"

/* A library of a vendor's. */
typedef struct cuda_library {
    const char *symbol; /* one that only it has */
    const char *before; /* a library of its folder that it needs, or NULL */
    const char *folder; /* of the toolkit that has it, or NULL */
    const char
        *names[CUDA_LIBRARY_NAMES]; /* without ".so"; then with it, as the loader takes them */
} cuda_library;

/* Opens a library: from the folder or file that is named; otherwise the one in the process, in
 * NVIDIA's packages beside the package that holds this library, on the loader's path, or in the
 * toolkit's folder.
 * gives: a handle of dlopen, forever, or NULL | waits: for the loader */
void *cuda_library_open(const cuda_library *what, const char *named);

/* The functions of a driver. */
typedef struct cuda_api {
#define CUDA_CALL(name, function, hip_function, parameters) int(*name) parameters;
#include "device/cuda/api.def"
#undef CUDA_CALL
} cuda_api;

/* The functions of graphs, in a driver that has them. */
typedef struct cuda_graph_api {
#define CUDA_GRAPH_CALL(name, function, hip_function, parameters) int(*name) parameters;
#include "device/cuda/graph.def"
#undef CUDA_GRAPH_CALL
} cuda_graph_api;

/* The functions of a compiler. */
typedef struct cuda_compiler_api {
#define NVRTC_CALL(name, function, hip_function, parameters) int(*name) parameters;
#include "device/cuda/compiler.def"
#undef NVRTC_CALL
} cuda_compiler_api;

typedef struct cuda_device cuda_device;

/* A start of a kernel, as both vendors' drivers have it. */
typedef struct cuda_kernel_start {
    void *function;
    unsigned groups, items;
    void **arguments; /* addresses of values, which the driver copies */
} cuda_kernel_start;

/* The structure from which each vendor's driver makes a kernel node of a graph. */
typedef union cuda_node_params {
    struct {
        void *function;
        unsigned groups[3], items[3], shared_nbytes;
        void **arguments, **extra;
        void *kernel, *context;
    } nvidia;
    struct {
        unsigned items[3];
        void **extra, *function;
        unsigned groups[3];
        void **arguments;
        unsigned shared_nbytes;
    } amd;
} cuda_node_params;

/* A vendor's library of products, and the numbers of its header. */
typedef struct cuda_blas {
    int number; /* 0 or 1: which of product.c's libraries */
    const char *name, *run_name;
    cuda_library library;
    const char *const *symbols;            /* of each function of blas.def */
    base_option option;                    /* that names the library's folder, */
    const char *variable;                  /* and its name */
    int no_memory;                         /* an error */
    int transposed;                        /* of an operation */
    int transpose_first, transpose_second; /* attributes of an operation */
    int batch_count, batch_stride;         /* of a layout */
    int workspace;                         /* of a preference */
    int alignment; /* likewise, of the first matrix; the other three follow. 0: there is none,
                             and any address will do */
    int sums_32, sums_64; /* kinds of sums; the last is 0 where float32 is the widest number */
    int workspace_at, error_at; /* where an answer of its heuristics has these, in bytes */
} cuda_blas;

/* The parts of the drivers and compilers in which the two vendors differ. */
typedef struct cuda_vendor {
    const char *name; /* as in "no CUDA driver" */
    int32_t type;     /* DLPack's */
    uint8_t dialect;  /* a device_dialect */
    cuda_library driver, compiler;
    const cuda_blas *blas;
    const char *const *symbols;          /* of each function of cuda_api */
    const char *const *graph_symbols;    /* of each of cuda_graph_api */
    const char *const *compiler_symbols; /* of each of cuda_compiler_api; NULL where it has none */
    const char *compiler_missing;        /* what to do about it */
    base_option compiler_option;         /* that names the compiler's folder, */
    const char *compiler_variable;       /* and its name */
    const char *target_option;           /* of the compiler, before a device's code_name */
    int knows_minimal; /* the first version that was seen to know -minimal, or INT_MAX */
    int oldest;        /* capability that a compiler of today knows */
    int64_t max_groups, max_items; /* of a launch */
    uintptr_t legacy_stream;       /* the handle of the legacy default stream */

    /* Whether a number names a stream in DLPack's words, which `allowed` has for failures. */
    bool (*is_stream)(int64_t number);
    const char *allowed;

    /* Puts a start of a kernel into the vendor's struct, which is all zeros. */
    void (*fill_node)(const cuda_kernel_start *start, cuda_node_params *out);

    /* Attributes of a device. */
    struct {
        int group_limit, local_nbytes, warp, processors, integrated;
        int capability_major, capability_minor, ordered_alloc;
    } attributes;

    /* Writes what the compiler calls a device whose other members are known. raises: DEVICE */
    jg_status (*name_code)(cuda_device *device);
} cuda_vendor;

extern const cuda_vendor cuda_nvidia, cuda_amd;

/* A vendor's driver, which is opened once. */
typedef struct cuda_driver {
    const cuda_vendor *vendor;
    void *library; /* a handle of dlopen, forever */
    cuda_api call;
    cuda_graph_api graphs; /* of which none is called unless has_graphs */
    bool has_graphs;
    unsigned forks; /* device_forks when the driver was opened */
} cuda_driver;

/* Making an event takes the driver longer than recording it, so some are kept. */
enum { CUDA_MAX_EVENTS = 64 };

struct cuda_device {
    jg_device base; /* the first member, so that a jg_device is this */
    device_facts facts;
    const cuda_driver *driver;
    int ordinal;             /* the driver's */
    int capability;          /* 10 * major + minor, as in sm_90 */
    char code_name[64];      /* the compiler's name of the device: sm_90, gfx90a:xnack- */
    bool orders_alloc;       /* memory can be taken and freed in a stream's order */
    _Atomic(void *) context; /* primary; retained when first needed, as it takes memory */
    _Atomic(void *) blas;    /* the handle of its library of products; NULL before the first */
    pthread_mutex_t opening; /* held while either is made */
    pthread_mutex_t keeping; /* of the next two, a leaf */
    void *events[CUDA_MAX_EVENTS]; /* kept for marks to come */
    int nevents;
    char title[128];
};

/* The same device, borrowed. */
static inline cuda_device *cuda_of(jg_device *device)
{
    return (cuda_device *)(void *)device;
}

/* gives: the driver's handle of its default stream, which nobody frees */
static inline void *cuda_legacy_stream(const cuda_device *device)
{
    return (void *)device->driver->vendor->legacy_stream;
}

/* How many labels a mark keeps for a failure that comes late. */
enum { CUDA_MAX_LABELS = 4 };

/* Labels of what a queue was given, the oldest first; more were given where count is larger. */
typedef struct cuda_labels {
    int count;
    const char *first[CUDA_MAX_LABELS];
} cuda_labels;

/* A stream of the driver, and what it was given since its last mark. */
typedef struct cuda_queue {
    pthread_mutex_t lock; /* of labels */
    void *stream;
    bool owned; /* else another library's */
    /* How often the queue was told to come after the legacy default stream, and how often of those
     * the driver was: that happens before the queue is given anything. */
    atomic_uint asked, told;
    cuda_labels labels;
} cuda_queue;

/* driver.c */

/* Opens a vendor's driver, once a process. gives: the other members of *driver | raises: DEVICE
 * where there is none | waits: for the loader */
jg_status cuda_load(cuda_driver *driver);

/* True after a fork, when the driver must not be called. */
bool cuda_is_lost(const cuda_device *device);

/* Makes the device's context current, for cuda_leave; the two do not nest. gives: *out, borrowed,
 * forever; not where it is NULL | raises: DEVICE, NOMEM | waits: for the driver, the first time */
jg_status cuda_enter(jg_device *device, cuda_device **out);
void cuda_leave(void);

/* The failure of a call of the driver, whose function is the one of cuda_api at that offset.
 * raises: NOMEM if memory is short, otherwise DEVICE; always */
jg_status cuda_fail(const cuda_device *device, size_t function, int error) JG_COLD;

/* The name of a function in the driver, without the suffix of the toolkit's version.
 * gives: a static string, of which *length bytes are the name */
const char *cuda_function_name(const cuda_vendor *vendor, size_t function, int *length);

/* The driver's name for an error, as "CUDA_ERROR_LAUNCH_FAILED". gives: a static text */
const char *cuda_error_name(const cuda_driver *driver, int error);

/* The same where the error is one. raises: as cuda_fail */
static inline jg_status cuda_check(const cuda_device *device, size_t function, int error)
{
    return JG_LIKELY(error == 0) ? JG_OK : cuda_fail(device, function, error);
}

/* Calls a function of the device's driver. gives: the driver's error */
#define CUDA_CALL_OF(device, name, ...) ((device)->driver->call.name(__VA_ARGS__))

/* The same as a status. raises: as cuda_fail */
#define CUDA_DO(device, name, ...)                                                                 \
    cuda_check(device, offsetof(cuda_api, name), CUDA_CALL_OF(device, name, __VA_ARGS__))

/* The slots of jg_device_ops (device/device.h), whose comments tell what each does, gives and waits
 * for. */

/* memory.c: memory, addresses and copies. gives: *out | raises: NOMEM, DEVICE; BUFFER for an
 * address that is not the device's */
jg_status cuda_alloc(jg_device *device, size_t nbytes, void **out);
void cuda_free(jg_device *device, void *handle, size_t nbytes);
jg_status cuda_adopt(jg_device *device, void *handle, uint64_t nbytes);
jg_status cuda_memory(jg_device *device, device_memory *out);
jg_status cuda_copy(jg_device *device, void *queue, const device_copy *copy);

/* event.c: an event, which may have been recorded before; and its end, also while streams still
 * wait for it. The context is current. gives: *out, for cuda_event_drop | raises: NOMEM, DEVICE */
jg_status cuda_event_take(cuda_device *device, void **out);
void cuda_event_drop(cuda_device *device, void *event);

/* A recorded event of a stream. gives: *out, for cuda_event_drop | raises: NOMEM, DEVICE */
jg_status cuda_event_record(cuda_device *device, void *stream, void **out);

/* queue.c: queues. gives: *out, for the slot that frees it | raises: NOMEM, DEVICE */
jg_status cuda_queue_new(jg_device *device, void **out);
void cuda_queue_free(jg_device *device, void *queue);

/* Has the queue come after the legacy default stream, where that was asked for. Called before it is
 * given anything, with the context current. raises: NOMEM, DEVICE */
jg_status cuda_queue_catch_up(cuda_device *device, cuda_queue *queue);

/* Notes the label of a command of the queue, for failures that are reported late. */
void cuda_queue_note(cuda_queue *queue, const char *label);

/* mark.c: marks. gives: *out, for cuda_mark_free | raises: NOMEM, DEVICE */
jg_status cuda_mark_record(jg_device *device, void *queue, void **out);
jg_status cuda_stream_mark(jg_device *device, void *stream, void **out);
bool cuda_mark_is_set(jg_device *device, void *mark);
jg_status cuda_mark_wait(jg_device *device, void *mark);
jg_status cuda_queue_wait(jg_device *device, void *queue, void *mark);
void cuda_mark_free(jg_device *device, void *mark);

/* streams.c: streams of other libraries. gives: *out, borrowed; of cuda_stream_adopt for
 * cuda_queue_free | raises: BUFFER for a number that names none, NOMEM, DEVICE */
jg_status cuda_stream_read(const jg_device *device, int64_t number, void **out);
int64_t cuda_stream_number(const jg_device *device, void *queue);
jg_status cuda_stream_adopt(jg_device *device, void *stream, void **out);
jg_status cuda_stream_lead(jg_device *device, void *queue, void *stream);
void cuda_settle(jg_device *device);

/* product.c: products by the vendor's library. gives: *out, for cuda_product_free; NULL where it
 * makes none of these | raises: NOMEM, DEVICE | waits: for the loader, the first time */
jg_status cuda_product_new(jg_device *device, const device_product *product, size_t *scratch_nbytes,
                           void **out);
void cuda_product_free(jg_device *device, void *made);
jg_status cuda_product_run(jg_device *device, void *queue, void *made,
                           const device_product_start *start);

/* compiler.c */

/* The result of a compilation: code for the device, or text in PTX, which the driver compiles. */
typedef struct cuda_image {
    void *bytes; /* for base_free */
    size_t nbytes;
} cuda_image;

/* Compiles a text by the vendor's compiler or, if *kept allows it, takes what it became from the
 * folder of compiled code. gives: *out; *kept, whether it is from there | raises: NOMEM; DEVICE
 * without a compiler, or with what it says | waits: for it */
jg_status cuda_compile(const cuda_device *device, const device_unit *unit, bool *kept,
                       cuda_image *out);

/* code.c: slots of code. gives: *out, for cuda_code_free | raises: NOMEM; DEVICE, with what the
 * compiler says */
jg_status cuda_code_load(jg_device *device, const device_unit *unit, void **out);
void cuda_code_free(jg_device *device, void *code);
jg_status cuda_launch(jg_device *device, void *queue, void *code, const device_start *start);

/* The functions of an entry's kernels. gives: borrowed, as long as the code lives */
void *const *cuda_code_functions(const void *code, int entry);

/* Checks that the driver accepts the step's numbers of groups and items. raises: DEVICE if it does
 * not */
jg_status cuda_check_size(const cuda_device *device, const device_step *step);

/* The address of an argument's value, borrowed from the start or the step, for arguments that need
 * no memory of their own; and the bytes of an argument. */
const void *cuda_argument(const device_start *start, const device_step *step,
                          const device_argument *argument);
size_t cuda_argument_nbytes(const device_entry *takes, const device_argument *argument);

/* graph.c: launches that are given as one. gives: *out, for cuda_graph_free; NULL where the driver
 * has no graphs | raises: NOMEM, DEVICE */
jg_status cuda_graph_new(jg_device *device, void **out);
void cuda_graph_free(jg_device *device, void *graph);
jg_status cuda_graph_add(jg_device *device, void *graph, void *code, const device_start *start,
                         bool *taken);
jg_status cuda_graph_run(jg_device *device, void *queue, void *graph, int part);
void cuda_graph_drop(jg_device *device, void *graph);

#endif
