/* SPDX-License-Identifier: Apache-2.0 */
/* The trace: spans of time, by thread, kept in memory while it runs and written as JSON at its end,
 * in the trace-event format that Perfetto and chrome://tracing read.
 *
 * One lock guards the records. A span is recorded when it ends, after its end was timed, so the
 * cost of recording is between spans and not in the innermost one. The file is opened when the
 * trace begins, so that a path that cannot be written fails there. */
#include "base/base.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Followed by the name and the members, each NUL-terminated, and padding to the next record. */
typedef struct span_record {
    const char *category; /* static; NULL names the thread */
    int64_t thread, start_ns, end_ns;
    size_t nbytes; /* of the whole record */
} span_record;

atomic_bool trace_running;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static base_vec records; /* guarded by the lock, as all that follows */
static FILE *file;
static int64_t origin_ns;
static unsigned session;
static int64_t nlost; /* spans for which there was no memory */

/* The session in which the thread was last named. */
static JG_FAST_THREAD_LOCAL unsigned named_in;

int64_t trace_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Like vec_grow of the records, but it does not change the thread's message. The lock is held. */
static bool grow(size_t nbytes, void **to)
{
    jg_error before;
    bool may_fail = nbytes > records.capacity - records.nbytes;
    if (may_fail)
        error_capture(&before, JG_ERR_NOMEM);
    bool done = vec_grow(&records, nbytes, to) == JG_OK;
    if (!done)
        (void)error_raise(&before);
    return done;
}

/* The lock is held. Records are aligned, so that they can be read in place. */
static void append(const span_record *span, const char *name, const char *members)
{
    size_t name_nbytes = strlen(name) + 1, members_nbytes = strlen(members) + 1;
    size_t nbytes = sizeof *span + name_nbytes + members_nbytes;
    void *to;
    nbytes = size_round_up(nbytes, _Alignof(span_record));
    if (!grow(nbytes, &to)) {
        nlost += 1;
        return;
    }
    span_record *record = to;
    *record = *span;
    record->nbytes = nbytes;
    memcpy(record + 1, name, name_nbytes);
    memcpy((char *)(record + 1) + name_nbytes, members, members_nbytes);
}

/* Each thread names itself with its first span of a session. The lock is held. */
static void append_thread_name(int64_t thread)
{
    char name[32] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    append(&(span_record){.thread = thread}, thread == getpid() ? "main" : name, "");
    named_in = session;
}

void trace_add(const char *category, const char *name, int64_t start_ns, const base_text *members)
{
    int64_t end_ns = trace_clock();
    trace_add_until(category, name, start_ns, end_ns, members);
}

void trace_add_count(const char *category, const char *name, int64_t start_ns, const char *member,
                     int count)
{
    base_text members = {0};
    text_add(&members, "\"%s\":%d", member, count);
    trace_add(category, name, start_ns, &members);
    text_clear(&members);
}

void trace_add_until(const char *category, const char *name, int64_t start_ns, int64_t end_ns,
                     const base_text *members)
{
    span_record span = {category, gettid(), start_ns, end_ns, 0};
    const char *text = members != NULL && members->bytes.nbytes > 0 ? members->bytes.data : "";
    pthread_mutex_lock(&lock);
    if (atomic_load_explicit(&trace_running, memory_order_relaxed) && end_ns >= origin_ns) {
        if (named_in != session)
            append_thread_name(span.thread);
        span.start_ns = int64_max(start_ns, origin_ns);
        append(&span, name, text);
    }
    pthread_mutex_unlock(&lock);
}

int64_t trace_origin(void)
{
    pthread_mutex_lock(&lock);
    int64_t origin = origin_ns;
    pthread_mutex_unlock(&lock);
    return origin;
}

/* JSON is UTF-8, and a name may be no UTF-8: Linux cuts the names of threads after 15 bytes. Bytes
 * that are no character become U+FFFD. gives: how many bytes were read */
static int write_beyond_ascii(const char *text)
{
    int nbytes = text_character_nbytes(text);
    if (nbytes == 0)
        fprintf(file, "\\ufffd");
    else
        fprintf(file, "%.*s", nbytes, text);
    return int_max(nbytes, 1);
}

static void write_string(const char *text)
{
    for (int nbytes; *text != '\0'; text += nbytes) {
        unsigned char c = (unsigned char)*text;
        nbytes = 1;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else if (c < 0x80)
            fputc(c, file);
        else
            nbytes = write_beyond_ascii(text);
    }
}

/* Without floating numbers, whose decimal point depends on the locale. */
static void write_microseconds(int64_t ns)
{
    fprintf(file, "%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
}

/* Complete events ("X") and, for names of threads, metadata ("M"). */
static void write_record(const span_record *record)
{
    const char *name = (const char *)(record + 1);
    fprintf(file, ",\n{\"pid\":%d,\"tid\":%" PRId64 ",", (int)getpid(), record->thread);
    if (record->category == NULL) {
        fprintf(file, "\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{\"name\":\"");
        write_string(name);
        fprintf(file, "\"}}");
        return;
    }
    fprintf(file, "\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"", record->category);
    write_string(name);
    fprintf(file, "\",\"ts\":");
    write_microseconds(record->start_ns - origin_ns);
    fprintf(file, ",\"dur\":");
    write_microseconds(record->end_ns - record->start_ns);
    fprintf(file, ",\"args\":{%s}}", name + strlen(name) + 1);
}

/* The first event names the process, so that each of the others can begin with a comma. */
static void write_records(void)
{
    fprintf(file,
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"pid\":%d,\"tid\":%d,\"ph\":\"M\","
            "\"name\":\"process_name\",\"args\":{\"name\":\"joggle\"}}",
            (int)getpid(), (int)getpid());
    for (size_t at = 0; at < records.nbytes;) {
        const span_record *record = (const span_record *)(const void *)(records.data + at);
        write_record(record);
        at += record->nbytes;
    }
    fprintf(file, "\n],\"otherData\":{\"spans lost\":%" PRId64 "}}\n", nlost);
}

/* A child of fork() is not traced: its parent writes the file. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void after_fork_child(void)
{
    atomic_store_explicit(&trace_running, false, memory_order_relaxed);
    vec_clear(&records);
    file = NULL; /* not closed: the child wrote nothing to it, and the parent still uses it */
    pthread_mutex_unlock(&lock);
}

void trace_install_hooks(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* The lock is held. */
static jg_status begin(const char *path)
{
    if (file != NULL)
        return base_fail(
            JG_ERR_VALUE,
            "[trace] another trace is running, got a second one, allowed is one; stop it first");
    file = fopen(path, "we");
    if (file == NULL)
        return base_fail(JG_ERR_IO, "[trace] path: '%s' cannot be written: %s", path,
                         strerror(errno));
    session += 1;
    nlost = 0;
    origin_ns = trace_clock();
    atomic_store_explicit(&trace_running, true, memory_order_relaxed);
    return JG_OK;
}

jg_status trace_begin(const char *path)
{
    if (path == NULL || path[0] == '\0')
        return base_fail(JG_ERR_VALUE, "[trace] path: got nothing, allowed is a file's name");
    pthread_mutex_lock(&lock);
    jg_status status = begin(path);
    pthread_mutex_unlock(&lock);
    return status;
}

/* The lock is held. */
static jg_status end(void)
{
    if (file == NULL)
        return base_fail(JG_ERR_VALUE, "[trace] no trace is running; start one first");
    atomic_store_explicit(&trace_running, false, memory_order_relaxed);
    errno = 0;
    write_records();
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    file = NULL;
    vec_clear(&records);
    return failed
               ? base_fail(JG_ERR_IO, "[trace] the file could not be written: %s", strerror(errno))
               : JG_OK;
}

jg_status trace_end(void)
{
    pthread_mutex_lock(&lock);
    jg_status status = end();
    pthread_mutex_unlock(&lock);
    return status;
}
