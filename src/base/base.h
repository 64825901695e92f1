/* SPDX-License-Identifier: Apache-2.0 */
/* base: what every other room may use and what knows nothing about arrays.
 *
 * Errors (error.c), what a thread does before it waits (leave.c), the hooks that all of joggle's
 * heap goes through (alloc.c), free lists (freelist.c), growable byte vectors (vec.c), a string
 * builder (text.c), functions of libraries that are opened at run time (symbols.c), hashing
 * (hash.c), seeds (entropy.c), the thread pool (pool.c), requests to interrupt (interrupt.c),
 * traces (trace.c), locks over forks (fork.c), options (options.c) and the instruction set in use
 * (isa.c). Headers of their own have compiled code on disk (disk.h, disk.c), lists that are linked
 * through their members (list.h), the greatest common divisor (divisor.h), arithmetic on sizes
 * (count.h) and what a sanitizer is told of kept memory (poison.h). */
#ifndef JG_BASE_H
#define JG_BASE_H

#include "base/count.h"
#include "base/list.h"
#include "base/poison.h"
#include <joggle/interrupt.h>
#include <joggle/option.h>
#include <joggle/status.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define JG_LIKELY(x) __builtin_expect(!!(x), 1)
#define JG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define JG_COLD __attribute__((cold, noinline)) /* kept away from the code that runs often */
#define JG_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* error.c */

/* Stores the thread's message and returns status, so that `return base_fail(...)` is the whole
 * failure path. raises: status, always | waits: never */
jg_status base_fail(jg_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Passes a failure on to the caller. */
#define JG_TRY(call)                                                                               \
    do {                                                                                           \
        jg_status try_status_ = (call);                                                            \
        if (JG_UNLIKELY(try_status_ != JG_OK))                                                     \
            return try_status_;                                                                    \
    } while (0)

/* The same inside a function whose one clean-up exit is `done:` and whose result is `status`. */
#define JG_TRY_DONE(call)                                                                          \
    do {                                                                                           \
        status = (call);                                                                           \
        if (JG_UNLIKELY(status != JG_OK))                                                          \
            goto done;                                                                             \
    } while (0)

/* A failure that travels from the thread where it happened to the one that waits. The message is
 * cut to fit. */
typedef struct jg_error {
    jg_status status;
    char message[512];
} jg_error;

/* How many failures the thread has had, modulo 2^32. raises: never | waits: never */
unsigned error_count(void);

/* The outcome of a function of the caller's, which was called when the thread had had `before`
 * failures: if it failed and none has come since, the message is none of its own, so one is made
 * that names it. function: of joggle, argument: of that function, both for the message
 * raises: status | waits: never */
jg_status error_of_callback(unsigned before, jg_status status, const char *function,
                            const char *argument);

/* Takes the thread's last failure, which was of that status, into *out. keeps: nothing | raises:
 * never */
void error_capture(jg_error *out, jg_status status);

/* Makes the captured failure the thread's own. raises: the captured status */
jg_status error_raise(const jg_error *error);

/* Says that the thread's last failure is one of an evaluation: it names what failed there, which
 * may be of other arrays, so jg_error_rename leaves it. raises: status, always | waits: never */
jg_status error_of_evaluation(jg_status status);
bool error_is_of_evaluation(void);

/* leave.c */

/* The function that a thread calls before it waits for other threads or computes for long, or NULL.
 * Its caller may hold a lock that those threads need, such as the lock of an interpreter. */
typedef struct base_leaver {
    void (*leave)(void *context);
    void *context;
} base_leaver;

/* Replaces the thread's leaver. gives: the one before, to be put back | raises: never */
base_leaver leaver_set(base_leaver leaver);

/* Calls the thread's leaver, the first time only. Called before each wait for work of another
 * thread, or for a lock that is held while work is done, and before work that takes long. raises:
 * never | waits: as the leaver, which needs nothing of this library's */
void leave_before_waiting(void);

/* alloc.c */

/* The alignment in bytes of the blocks that arrays and scratch memory lie in, on every device whose
 * handles are addresses. The host's loops rely on it, and kernels look at the offset in a block to
 * see whether elements may be loaded in vectors. */
enum { BASE_BLOCK_ALIGNMENT = 256 };

/* malloc, calloc and free through the hooks: counted, and made to fail on request in tests.
 * base_copy: a block with those bytes. A size of 0 gives a block, too. alignment: a power of two,
 * and a multiple of a pointer's size.
 * gives: a block that base_free takes, or NULL without a message | waits: never */
void *base_alloc(size_t nbytes) __attribute__((malloc));
void *base_alloc_zeroed(size_t nbytes) __attribute__((malloc));
void *base_alloc_aligned(size_t alignment, size_t nbytes) __attribute__((malloc));
void *base_copy(const void *bytes, size_t nbytes) __attribute__((malloc));
void base_free(void *block);

/* Blocks now live. For tests of leaks. */
int64_t base_live_blocks(void);

/* Lets the nth allocation from now (1 is the next) return NULL once; 0 switches it off. For
 * tests. */
void base_fail_nth(int64_t nth);

/* The failure for memory that could not be had. raises: NOMEM, always, naming how much for what */
jg_status base_nomem(size_t nbytes, const char *what);

/* freelist.c */

/* Thread-local variables on hot paths: an offset from the thread pointer, no call. Few and small,
 * as a loaded library gets little such space. */
#define JG_FAST_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

/* Blocks of one size, at least a pointer's, for one thread: a JG_FAST_THREAD_LOCAL,
 * zero-initialised. left: how many more it takes. other: the thread's next list, once this one is
 * registered to be emptied when the thread ends. */
typedef struct base_freelist {
    void *first;
    int left;
    bool enlisted;
    struct base_freelist *other;
} base_freelist;

/* A kept block of so many bytes, which leaves the list.
 * gives: it, for freelist_give or base_free; NULL: then the caller allocates one with base_alloc */
static inline void *freelist_take(base_freelist *list, size_t nbytes)
{
    void *block = list->first;
    if (JG_LIKELY(block != NULL)) {
        poison_end(block, nbytes);
        list->first = *(void **)block;
        list->left += 1;
    }
    return block;
}

/* Keeps a block of base_alloc's, or frees it when the list is long. Its first word is overwritten,
 * the others are poisoned. takes: block */
void freelist_give_beyond(base_freelist *list, void *block, size_t nbytes);
static inline void freelist_give(base_freelist *list, void *block, size_t nbytes)
{
    if (JG_UNLIKELY(list->left == 0)) {
        freelist_give_beyond(list, block, nbytes);
        return;
    }
    *(void **)block = list->first;
    list->first = block;
    list->left -= 1;
    poison_begin((const char *)block + sizeof(void *), nbytes - sizeof(void *));
}

/* vec.c */

/* A growable run of bytes, used for arrays of plain structs. Zero-initialised is empty. */
typedef struct base_vec {
    char *data;
    size_t nbytes, capacity;
} base_vec;

/* Makes the capacity large enough for nbytes more. raises: NOMEM, then the vector is as before */
jg_status vec_reserve(base_vec *vec, size_t nbytes);

/* Memory for nbytes more at the end, uninitialised; *out points at it and is valid until the next
 * call. It is aligned as the bytes before it leave it: a vector of one kind of struct is.
 * raises: NOMEM, then the vector is as before */
static inline jg_status vec_grow(base_vec *vec, size_t nbytes, void **out)
{
    if (JG_UNLIKELY(nbytes > vec->capacity - vec->nbytes))
        JG_TRY(vec_reserve(vec, nbytes));
    *out = vec->data + vec->nbytes;
    vec->nbytes += nbytes;
    return JG_OK;
}
static inline jg_status vec_append(base_vec *vec, const void *bytes, size_t nbytes)
{
    void *to;
    if (nbytes == 0)
        return JG_OK;
    JG_TRY(vec_grow(vec, nbytes, &to));
    memcpy(to, bytes, nbytes);
    return JG_OK;
}
void vec_clear(base_vec *vec); /* frees the storage */

/* text.c */

/* A string under construction. A failed allocation is remembered and reported once, by
 * text_status. */
typedef struct base_text {
    base_vec bytes;
    size_t failed_nbytes; /* the size that could not be had; 0 while none has failed */
} base_text;

/* Appends formatted text; or extents as a tuple: "(3, 4)", "(3,)", "()"; or numbers as a list of
 * JSON: "[3,4]". raises: never; text_status reports missing memory */
void text_add(base_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_extents(base_text *text, int count, const int64_t *values);
void text_add_list(base_text *text, int count, const int64_t *values);

/* Whether all additions had memory. raises: NOMEM */
jg_status text_status(const base_text *text);

/* The characters so far, NUL-terminated, as a block of base_alloc's; the text is empty then. After
 * a failure it is still to be cleared. gives: *out | raises: NOMEM */
jg_status text_finish(base_text *text, char **out);
void text_clear(base_text *text);

/* Writes extents as "(3, 4)" into a fixed buffer, cut short with "..." when it is too small. For
 * messages. gives: buffer */
const char *text_extents(char *buffer, size_t nbytes, int count, const int64_t *values);

/* Memory for the longest text of text_double. */
enum { TEXT_DOUBLE_SIZE = 32 };

/* Writes the shortest decimal that reads back as value in a format with significand_bits bits in
 * its significand: "0.1", "1.0", "1e+20", "inf", "nan"; a point in every locale.
 * gives: buffer */
const char *text_double(char buffer[TEXT_DOUBLE_SIZE], double value, int significand_bits);

/* The bytes of the character that text begins with, 1 for a NUL; 0 where these are no UTF-8: a byte
 * alone, a form that is longer than it must be, half of a pair of UTF-16, beyond U+10FFFF. */
int text_character_nbytes(const char *text);

/* Finds the first error in a compiler's log, as warnings may come before it: the rest of the log
 * from that line on, or the whole log. gives: borrowed, inside of log */
const char *text_first_error(const char *log);

/* symbols.c */

/* Finds functions of a library that is open, and fills a table of pointers in the names' order. A
 * name that is NULL stands for a function that is not asked for; its pointer is NULL.
 * gives: the first name that the library does not have, NULL if it has all */
const char *base_bind(void *library, int count, const char *const *names, void *table);

/* hash.c */

/* A 64-bit hash of bytes for tables in memory; not stable across versions, not for untrusted
 * keys. */
uint64_t hash_bytes(const void *bytes, size_t nbytes);

/* entropy.c */

/* A seed that another request, of this process or another one, does not get again. raises: never |
 * waits: for the system's entropy, early after it has started */
uint64_t base_entropy(void);

/* pool.c */

/* Does the indices from first to last - 1. Runs on several threads at once, for other indices of
 * the same job. */
typedef void pool_body(void *context, int64_t first, int64_t last);

/* The threads that share a job, the caller's among them: JOGGLE_NUM_THREADS, or the CPUs allowed.
 * It changes when the option does, so code that divides work by it reads it once. */
int pool_size(void);

/* Whether a worker looks for a job at the moment, so that one is shared within a microsecond or
 * two. It may fall asleep, or find another one, before the caller has opened its own. */
bool pool_is_awake(void);

/* Has sleeping workers look for a job, for one that comes within tens of microseconds. Locks may be
 * held. raises: never | waits: never for a worker */
void pool_wake(void);

/* Calls body for chunks of grain indices, the last one shorter, that together make up 0 to count -
 * 1, on the calling thread and on workers, and returns when all have been done. Where one thread
 * does it all there is one chunk. Any thread may call it, a body too. grain: 1 and up.
 * keeps: nothing | raises: never; without workers the caller does it all | waits: for chunks that
 * workers have claimed */
void pool_run(int64_t count, int64_t grain, pool_body *body, void *context);

/* The same from index *next on, until `stops`, which each thread calls before it claims a chunk, is
 * true; claimed chunks are finished. Chunks are of the grain on one thread too. gives: whether all
 * is done, false in a child that `stops` forks; *next, the first that is not | else as pool_run */
typedef bool pool_question(void *context);
bool pool_run_until(int64_t count, int64_t grain, pool_body *body, pool_question *stops,
                    void *context, int64_t *next);

/* Makes the pool ready for forks. This, and the like of other rooms, is called by the
 * runtime before there are threads: hooks that are installed later run earlier before a fork, so
 * locks are taken in their order, the evaluation lock first. */
void pool_install_hooks(void);

/* interrupt.c */

/* The number of requests so far. A call that can be interrupted remembers the number at its
 * start. */
extern atomic_uint interrupt_requests;
static inline unsigned interrupt_begin(void)
{
    return atomic_load_explicit(&interrupt_requests, memory_order_relaxed);
}
static inline bool interrupt_has_come(unsigned begun)
{
    return JG_UNLIKELY(atomic_load_explicit(&interrupt_requests, memory_order_relaxed) != begun);
}

/* How long a thread waits or computes between calls of interrupt_check; and how long a call
 * computes on its own thread before other threads go on with the work and it waits. */
#define INTERRUPT_SLICE_NS 50000000
#define INTERRUPT_ALONE_NS 20000000

/* Whether this thread has a callback to ask. raises: never | waits: never */
bool interrupt_is_watched(void);

/* Whether the call that began with the number is to be interrupted. No lock may be held, as the
 * callback may call joggle. raises: never | waits: for the callback */
bool interrupt_check(unsigned begun);
/* The failure of a call that is interrupted. raises: INTERRUPTED, always */
jg_status interrupt_fail(void);

/* pthread_cond_wait for a slice. gives: false when that was all that happened */
bool interrupt_wait(pthread_cond_t *changed, pthread_mutex_t *lock);

/* trace.c */

/* Whether a trace is running: one relaxed load, cheap enough for hot paths. */
extern atomic_bool trace_running;
static inline bool trace_is_on(void)
{
    return JG_UNLIKELY(atomic_load_explicit(&trace_running, memory_order_relaxed));
}

int64_t trace_clock(void); /* nanoseconds since some moment */

/* The begin of a span: the time, or 0 if no trace is running; then the span need not be added. */
static inline int64_t trace_start(void)
{
    return trace_is_on() ? trace_clock() : 0;
}

/* Records that the calling thread did `name` from start_ns (not 0) until now. members is the inside
 * of a JSON object that tells more, or NULL.
 * keeps: category, forever; copies of the others | raises: never; spans for which there is no
 * memory are counted */
void trace_add(const char *category, const char *name, int64_t start_ns, const base_text *members);
/* The same with one member, a count. */
void trace_add_count(const char *category, const char *name, int64_t start_ns, const char *member,
                     int count);
void trace_add_until(const char *category, const char *name, int64_t start_ns, int64_t end_ns,
                     const base_text *members);

/* The clock when the trace began that is running or was the last. */
int64_t trace_origin(void);

/* Makes traces ready for forks: a child has none. Before there are threads. */
void trace_install_hooks(void);

/* Begins to record. keeps: nothing | raises: VALUE if a trace is running, IO for the path */
jg_status trace_begin(const char *path);

/* Ends the recording and writes the file. Spans that have not ended are left out.
 * raises: VALUE if no trace is running, IO */
jg_status trace_end(void);

/* fork.c */

/* Defines NAME_install_hooks, after which the file's lock is held over each fork: the child must
 * not find it held by a thread that it does not have. For locks that are taken in an order. */
#define FORK_HOLDS(name, lock)                                                                     \
    static void name##_before_fork(void)                                                           \
    {                                                                                              \
        pthread_mutex_lock(&(lock));                                                               \
    }                                                                                              \
    static void name##_after_fork(void)                                                            \
    {                                                                                              \
        pthread_mutex_unlock(&(lock));                                                             \
    }                                                                                              \
    void name##_install_hooks(void)                                                                \
    {                                                                                              \
        pthread_atfork(name##_before_fork, name##_after_fork, name##_after_fork);                  \
    }

/* Holds a lock over each fork, so that the child finds consistent what it guards. The lock is a
 * leaf: a thread that holds it takes no other of these, nor calls this. There are 16 at most.
 * keeps: lock, which is static */
void fork_hold(pthread_mutex_t *lock);

/* options.c */

typedef enum base_option {
#define JG_OPTION(NAME, environment, fallback, values, help) OPTION_##NAME,
#include "base/options.def"
#undef JG_OPTION
    OPTION_COUNT
} base_option;

/* The option's text: the text that jg_option_set stored, otherwise the environment variable,
 * otherwise the default.
 * gives: a string that is valid forever if code has set it | raises: never */
const char *option_text(base_option option);

/* The place of the option's text among the words that options.def allows, from 0. An environment
 * variable may hold another text. raises: VALUE, naming the variable and what is allowed */
jg_status option_choice(base_option option, int *out);

/* The text as a decimal number, the default if it is none that options.def allows. raises: never */
int64_t option_int(base_option option);

/* The text as yes or no: false for "", "0", "false", "off", "no". raises: never */
bool option_flag(base_option option);

/* Makes options ready for forks; see pool_install_hooks. */
void option_install_hooks(void);

/* Changes whenever jg_option_set does, so that a hot path can cache the option. */
unsigned option_generation(void);

/* isa.c */

/* The instruction sets that loops are compiled for. */
typedef enum isa_level {
    ISA_BASELINE,
    ISA_AVX2,  /* x86-64-v3 */
    ISA_AVX512 /* x86-64-v4 */
} isa_level;

/* The one in use; chosen at the first call. */
isa_level isa_chosen(void);

#endif
