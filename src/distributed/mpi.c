/* SPDX-License-Identifier: Apache-2.0 */
/* Opening an MPI library. Which one is a question of what has started the process: libraries can
 * only talk to processes that have the same. There are two ABIs, whose handles are addresses of
 * objects that the library exports (Open MPI), or numbers (MPICH, Intel MPI and others). */
#include "distributed/mpi.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mpi_library mpi;
pthread_mutex_t mpi_lock = PTHREAD_MUTEX_INITIALIZER;

/* Why messages are no longer sent. The lock protects the members, except is_child: it is set right
 * after a fork, when the process has one thread. */
static struct {
    bool broken, is_child;
    char reason[300];
} ended;

static const char *const open_mpi[] = {"libmpi.so.40", "libmpi.so.80", NULL};
static const char *const mpich[] = {"libmpich.so.12", "libmpi.so.12", NULL};

/* Launchers set these variables for the processes that they start. */
static bool is_of_open_mpi(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMIX_RANK") != NULL;
}

/* Open MPI's for shared memory is 4096 with a header. Half of it leaves halves of 4 KiB. */
enum { OPEN_MPI_EAGER = 2048, MPICH_EAGER = 16384 };

static bool is_of_mpich(void)
{
    return getenv("PMI_RANK") != NULL || getenv("PMI_FD") != NULL;
}

bool mpi_is_started(void)
{
    return is_of_open_mpi() || is_of_mpich();
}

/* Loaded for all, as Open MPI's plugins look for its symbols there. flags: RTLD_NOLOAD or 0 */
static void *open_one(const char *const *names, int flags)
{
    void *library = NULL;
    for (; *names != NULL && library == NULL; ++names)
        library = dlopen(*names, RTLD_NOW | RTLD_GLOBAL | flags);
    return library;
}

static bool is_initialized(void *library)
{
    int (*initialized)(int *);
    int is = 0;
    *(void **)&initialized = dlsym(library, "MPI_Initialized");
    return initialized != NULL && initialized(&is) == 0 && is;
}

/* A library that other code, as mpi4py, has opened and initialized. */
static void *find_running(void)
{
    const char *const *const all[] = {open_mpi, mpich};
    for (size_t i = 0; i < JG_COUNT_OF(all); ++i) {
        void *library = open_one(all[i], RTLD_NOLOAD);
        if (library != NULL && is_initialized(library))
            return library;
        if (library != NULL)
            dlclose(library);
    }
    return NULL;
}

static jg_status open_started(void **out)
{
    const char *missing = NULL;
    if ((*out = find_running()) != NULL)
        return JG_OK;
    if (is_of_open_mpi() && (*out = open_one(open_mpi, 0)) == NULL)
        missing = open_mpi[0];
    if (is_of_mpich() && *out == NULL && (*out = open_one(mpich, 0)) == NULL && missing == NULL)
        missing = mpich[0];
    if (*out != NULL || missing == NULL)
        return JG_OK;
    return base_fail(JG_ERR_LIBRARY,
                     "an MPI launcher has started this process, and %s cannot be "
                     "opened: please install it, or name it by JOGGLE_MPI",
                     missing);
}

/* gives: *out, NULL where there is none */
static jg_status find_library(void **out)
{
    const char *path = option_text(OPTION_MPI);
    *out = NULL;
    if (strcmp(path, "none") == 0)
        return JG_OK;
    if (path[0] == '\0')
        return open_started(out);
    *out = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    return *out != NULL
               ? JG_OK
               : base_fail(JG_ERR_LIBRARY, "JOGGLE_MPI: %s cannot be opened: %s", path, dlerror());
}

/* A handle of the library's ABI: the address of an exported object, otherwise the number. */
static mpi_handle constant(void *library, bool exports, const char *symbol, unsigned number)
{
    return exports ? (mpi_handle)dlsym(library, symbol) : number;
}

static void find_constants(void *library, mpi_library *out)
{
    bool exports = dlsym(library, "ompi_mpi_comm_world") != NULL;
#define MPI_CONSTANT(name, symbol, number) out->name = constant(library, exports, #symbol, number);
#include "distributed/api.def"
#undef MPI_CONSTANT
#define MPI_TYPE(NAME, symbol, number)                                                             \
    out->types[JG_DTYPE_##NAME] = constant(library, exports, #symbol, number);
#include "distributed/api.def"
#undef MPI_TYPE
    out->eager = exports ? OPEN_MPI_EAGER : MPICH_EAGER;
    out->status_ignore = (void *)(uintptr_t)(exports ? 0 : 1);
    out->in_place = (void *)(exports ? (intptr_t)1 : (intptr_t)-1);
}

static jg_status find_function(void *library, const char *name, void *out)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL)
        return base_fail(JG_ERR_LIBRARY, "the MPI library has no %s: version 3 is needed", name);
    memcpy(out, &symbol, sizeof symbol);
    return JG_OK;
}

static void note_fork(void)
{
    ended.is_child = true;
}

static jg_status find_functions(void *library, mpi_library *out)
{
#define MPI_CALL(name, function, parameters) JG_TRY(find_function(library, #function, &out->name));
#include "distributed/api.def"
#undef MPI_CALL
    return JG_OK;
}

/* raises: LIBRARY, NOMEM */
static jg_status use(void *library)
{
    mpi_library made = {.open = true};
    JG_TRY(find_functions(library, &made));
    find_constants(library, &made);
    if (pthread_atfork(NULL, NULL, note_fork) != 0)
        return base_nomem(1, "a fork's hook");
    mpi = made;
    return JG_OK;
}

jg_status mpi_open(bool *found)
{
    void *library = NULL;
    if (!mpi.open) {
        JG_TRY(find_library(&library));
        jg_status status = library != NULL ? use(library) : JG_OK;
        if (status != JG_OK) {
            dlclose(library);
            return status;
        }
    }
    *found = mpi.open;
    return JG_OK;
}

static bool is_there(const char *const *names)
{
    for (; *names != NULL; ++names) {
        void *library = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);
        if (library != NULL) {
            dlclose(library);
            return true;
        }
    }
    return false;
}

bool mpi_exists(void)
{
    const char *path = option_text(OPTION_MPI);
    const char *const named[] = {path, NULL};
    if (strcmp(path, "none") == 0)
        return false;
    return path[0] != '\0' ? is_there(named) : is_there(open_mpi) || is_there(mpich);
}

jg_status mpi_fail(const char *function, int error)
{
    enum { MAX_LENGTH = 512 }; /* in MPICH; 256 in Open MPI */
    char text[MAX_LENGTH + 1] = "";
    int length = 0;
    if (mpi.error_string(error, text, &length) != 0)
        text[0] = '\0';
    return base_fail(JG_ERR_LIBRARY, "%s: %s (%d)", function, text, error);
}

const char *mpi_name(message_kind kind)
{
    static const char *const names[] = {
        [MESSAGE_SUM] = "all_sum",
        [MESSAGE_MAXIMUM] = "all_max",
        [MESSAGE_MINIMUM] = "all_min",
        [MESSAGE_GATHER] = "all_gather",
        [MESSAGE_SUM_SCATTER] = "sum_scatter",
        [MESSAGE_SEND] = "send",
        [MESSAGE_RECEIVE] = "recv",
    };
    return names[kind];
}

const char *mpi_who(const mpi_group *group, message_kind kind, int peer, char *text)
{
    const char *way = kind == MESSAGE_SEND ? "to" : "from";
    int length =
        snprintf(text, MPI_WHO, "%s in process %d of %d", mpi_name(kind), group->rank, group->size);
    if (peer >= 0)
        snprintf(text + length, (size_t)(MPI_WHO - length), ", %s process %d", way, peer);
    return text;
}

static jg_status fail_broken(void)
{
    return base_fail(JG_ERR_LIBRARY, "messages between processes have ended: %s", ended.reason);
}

jg_status mpi_break(const char *format, ...)
{
    va_list arguments;
    if (ended.broken)
        return fail_broken();
    va_start(arguments, format);
    vsnprintf(ended.reason, sizeof ended.reason, format, arguments);
    va_end(arguments);
    ended.broken = true;
    return fail_broken();
}

bool mpi_is_broken(void)
{
    return ended.broken;
}

jg_status mpi_check(void)
{
    if (ended.is_child)
        return base_fail(JG_ERR_LIBRARY,
                         "this process was forked from one that has joined a group: "
                         "it has no messages; start processes by the launcher");
    return ended.broken ? fail_broken() : JG_OK;
}
