/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped files that are truncated while they are mapped. The pages behind the new end are gone, and
 * a thread that reads one gets SIGBUS.
 *
 * The handler maps pages of zeros in place of those that are gone and marks the file, so that the
 * reader continues; code that computed with the file checks the mark afterwards and raises. Only
 * faults inside our mappings are handled: all others are passed to the handler that was installed
 * before. The handler reads a list that only grows, so it needs no lock and no heap.
 *
 * The mark does not show a cut inside a page, where zeros are read without a fault. So the file's
 * size is checked as well. It is read by path, because a process has few descriptors, and only
 * while the path still names the file that was mapped. */
#include "memory/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An entry whose start is 0 is free, and is used again. device, inode and path are written while it
 * is claimed and before start is set. */
struct memory_mapping {
    memory_mapping *next;
    atomic_bool is_claimed, is_cut;
    atomic_uintptr_t start, end; /* whole pages */
    dev_t device;
    ino_t inode;
    off_t nbytes;
    char *path;
};

static _Atomic(memory_mapping *) mappings;
static atomic_int nfree; /* entries of the list that are not claimed */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of installing the handler */
static struct sigaction previous; /* guarded by the lock but in the handler */
static atomic_int passing_on;     /* the thread that has passed on a signal that was sent, or 0 */

enum { PASSED_ON = 0x6a67 }; /* si_errno of a fault that the previous handler has been given */

static memory_mapping *find(uintptr_t address)
{
    memory_mapping *m = atomic_load_explicit(&mappings, memory_order_acquire);
    while (m != NULL && (address < atomic_load_explicit(&m->start, memory_order_acquire) ||
                         address >= atomic_load_explicit(&m->end, memory_order_relaxed)))
        m = m->next;
    return m;
}

/* No page from here to the end of the mapping exists any more. A signal handler may call mmap on
 * every Linux, although POSIX does not say so. */
static bool fill_with_zeros(memory_mapping *m, uintptr_t address)
{
    uintptr_t page = address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    atomic_store_explicit(&m->is_cut, true, memory_order_release);
    return mmap((void *)page, atomic_load_explicit(&m->end, memory_order_relaxed) - page,
                PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
                0) != MAP_FAILED;
}

/* The default action is taken once the handler returns and the fault, or the signal, comes again.
 */
static void take_default(const siginfo_t *info, int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(number, &action, NULL);
    if (info->si_code <= 0)
        raise(number);
}

/* False if the previous handler has the signal already and gives it back. That a fault was passed
 * on is noted in the fault itself: the previous handler may jump out of it and never return. */
static bool enter_previous(siginfo_t *info)
{
    int nobody = 0;
    if (info->si_code <= 0)
        return atomic_compare_exchange_strong(&passing_on, &nobody, (int)syscall(SYS_gettid));
    if (info->si_errno == PASSED_ON)
        return false;
    info->si_errno = PASSED_ON;
    return true;
}

static void leave_previous(siginfo_t *info)
{
    if (info->si_code <= 0)
        atomic_store(&passing_on, 0);
    else
        info->si_errno = 0;
}

/* A handler that was installed before ours may itself pass the signal on to us. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    bool has_handler = previous.sa_flags & SA_SIGINFO ||
                       (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN);
    if (previous.sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    if (!has_handler || !enter_previous(info)) {
        take_default(info, number);
        return;
    }
    if (previous.sa_flags & SA_SIGINFO)
        previous.sa_sigaction(number, info, context);
    else
        previous.sa_handler(number);
    leave_previous(info);
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    memory_mapping *m = info->si_code > 0 ? find((uintptr_t)info->si_addr) : NULL;
    if (m == NULL || !fill_with_zeros(m, (uintptr_t)info->si_addr))
        pass_on(number, info, context);
    errno = saved;
}

/* This is repeated for each file, as another handler may have been installed since the last one. */
static void install_handler(void)
{
    struct sigaction present,
        ours = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&ours.sa_mask);
    pthread_mutex_lock(&lock);
    if (sigaction(SIGBUS, NULL, &present) == 0 &&
        !(present.sa_flags & SA_SIGINFO && present.sa_sigaction == on_bus_error)) {
        previous = present;
        sigaction(SIGBUS, &ours, NULL);
    }
    pthread_mutex_unlock(&lock);
}

/* A new entry. gives: NULL if there is no memory */
static memory_mapping *claim(void)
{
    memory_mapping *m = NULL;
    if (atomic_load_explicit(&nfree, memory_order_relaxed) > 0)
        m = atomic_load_explicit(&mappings, memory_order_acquire);
    while (m != NULL && atomic_exchange_explicit(&m->is_claimed, true, memory_order_acquire))
        m = m->next;
    if (m != NULL) {
        atomic_fetch_sub_explicit(&nfree, 1, memory_order_relaxed);
        return m;
    }
    m = base_alloc_zeroed(sizeof *m);
    if (m == NULL)
        return NULL;
    atomic_init(&m->is_claimed, true);
    m->next = atomic_load_explicit(&mappings, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&mappings, &m->next, m, memory_order_release,
                                                  memory_order_relaxed))
        ;
    return m;
}

/* An absolute path, which the system knows of each descriptor. gives: for base_free, or NULL */
static char *path_of(int descriptor, const char *given)
{
    char link[32], path[4096];
    if (given != NULL && given[0] == '/')
        return base_copy(given, strlen(given) + 1);
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return NULL;
    path[length] = '\0';
    return base_copy(path, (size_t)length + 1);
}

jg_status mapping_add(const void *bytes, int descriptor, const char *path,
                      const struct stat *status, memory_mapping **out)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    memory_mapping *m = claim();
    if (m == NULL)
        return base_nomem(sizeof *m, "a mapped file");
    install_handler();
    m->device = status->st_dev;
    m->inode = status->st_ino;
    m->nbytes = status->st_size;
    m->path = path_of(descriptor, path);
    atomic_store_explicit(&m->is_cut, false, memory_order_relaxed);
    atomic_store_explicit(&m->end, ((uintptr_t)bytes + (size_t)m->nbytes + page - 1) & ~(page - 1),
                          memory_order_relaxed);
    atomic_store_explicit(&m->start, (uintptr_t)bytes, memory_order_release);
    *out = m;
    return JG_OK;
}

void mapping_remove(memory_mapping *m)
{
    base_free(m->path);
    m->path = NULL;
    atomic_store_explicit(&m->end, 0, memory_order_relaxed);
    atomic_store_explicit(&m->start, 0, memory_order_release);
    atomic_store_explicit(&m->is_claimed, false, memory_order_release);
    atomic_fetch_add_explicit(&nfree, 1, memory_order_relaxed);
}

static bool is_shorter(const memory_mapping *m)
{
    struct stat status;
    return m->path != NULL && stat(m->path, &status) == 0 && status.st_dev == m->device &&
           status.st_ino == m->inode && status.st_size < m->nbytes;
}

memory_mapping *mapping_at(const void *address)
{
    return find((uintptr_t)address);
}

jg_status mapping_check(memory_mapping *m)
{
    if (m == NULL)
        return JG_OK;
    if (!atomic_load_explicit(&m->is_cut, memory_order_acquire) && !is_shorter(m))
        return JG_OK;
    atomic_store_explicit(&m->is_cut, true, memory_order_relaxed);
    return base_fail(JG_ERR_IO, "[load] '%s' was cut short after it was loaded: it had %lld bytes",
                     m->path != NULL ? m->path : "a file", (long long)m->nbytes);
}

void mapping_install_hooks(void)
{
    fork_hold(&lock);
}
