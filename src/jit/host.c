/* SPDX-License-Identifier: Apache-2.0 */
/* The host's half of tier 1: opens the backend when something is first compiled, and keeps code by
 * key.
 *
 * Two locks. One is held while LLVM compiles, links or unloads, which it does for one thread at a
 * time, and over a fork, so that a child finds the backend consistent: only requests for code that
 * does not exist take it. The other guards the table of code; it is a leaf and held briefly:
 * existing code is found and released while LLVM works. Options are read before either. Code
 * without users is kept for later requests, up to a number. */
#include "jit/host.h"
#include "jit/jit.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <joggle/version.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_UNUSED = 256, TABLE_SIZE = 1024 }; /* pieces of code; rows */

struct kernel_code {
    struct kernel_code *next; /* in its row of the table */
    void *address, *handle;   /* of its symbol; the backend's, for unload */
    base_vec key;
    uint64_t hash;
    int users; /* 0: kept for later requests */
};

static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER; /* before the next */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    _Atomic(const jit_backend *) backend; /* set once */
    bool tried, ended;                    /* guarded by compiling, as error */
    jg_error error;                       /* why there is none */
    int unused;                           /* guarded by lock, as rows */
    struct kernel_code *rows[TABLE_SIZE];
} jit;

static void lock_for_fork(void)
{
    pthread_mutex_lock(&compiling);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&compiling);
}

void jit_install_hooks(void)
{
    fork_hold(&lock);
    pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
}

static const char missing[] =
    "kernels need the tier that compiles, libjoggle_jit.so, which is neither beside libjoggle, nor "
    "in a folder joggle there, nor in a package joggle_jit beside joggle's: "
    "pip install 'joggle[jit]' brings it, and a build with llvm-19-dev and clang-19 makes it";

static jg_status fail_long(int length, size_t nbytes)
{
    return base_fail(JG_ERR_LIBRARY,
                     "the path of libjoggle_jit.so has %d bytes, allowed are up to %zu", length,
                     nbytes - 1);
}

/* The path of a file, seen from the folder of the library, or the program, that contains this
 * function. */
static jg_status path_from_here(const char *name, char *out, size_t nbytes)
{
    Dl_info info;
    if (dladdr((void *)jit_install_hooks, &info) == 0)
        return base_fail(JG_ERR_LIBRARY, "libjoggle cannot be found: %s", dlerror());
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash == NULL ? 0 : (int)(slash - info.dli_fname) + 1;
    int length = snprintf(out, nbytes, "%.*s%s", folder, info.dli_fname, name);
    if (length < 0 || (size_t)length >= nbytes)
        return fail_long(length, nbytes);
    return JG_OK;
}

/* Finds the library: by the name that is asked for; otherwise beside libjoggle, then in the folder
 * that distributions use for libraries that are opened and not linked, then in the package that pip
 * installs beside joggle's. */
static jg_status find_library(const char *asked, char *out, size_t nbytes)
{
    static const char *const paths[] = {"libjoggle_jit.so", "joggle/libjoggle_jit.so",
                                        "../joggle_jit/libjoggle_jit.so"};
    struct stat facts;
    if (strcmp(asked, "none") == 0)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "JOGGLE_JIT_LIBRARY: got 'none', allowed is a path: %s", missing);
    int length = snprintf(out, nbytes, "%s", asked);
    if ((size_t)length >= nbytes)
        return fail_long(length, nbytes);
    if (asked[0] != '\0')
        return JG_OK;
    for (int i = 0; i < (int)JG_COUNT_OF(paths); ++i) {
        JG_TRY(path_from_here(paths[i], out, nbytes));
        if (stat(out, &facts) == 0)
            return JG_OK;
    }
    return base_fail(JG_ERR_UNSUPPORTED, "%s", missing);
}

/* The library stays open forever, even if it is refused, because LLVM cannot be unloaded. If it is
 * of another build, none of its functions is called. */
static jg_status enter_library(void *library, const char *path)
{
    jg_error error;
    jit_backend_entry *entry;
    const uint64_t *interface = dlsym(library, "joggle_jit_interface");
    if (interface == NULL || *interface != JIT_INTERFACE)
        return base_fail(JG_ERR_LIBRARY,
                         "%s has the interface %llx, needed is that of this libjoggle, %llx", path,
                         interface == NULL ? 0ULL : (unsigned long long)*interface,
                         (unsigned long long)JIT_INTERFACE);
    *(void **)&entry = dlsym(library, "joggle_jit_backend");
    if (entry == NULL)
        return base_fail(JG_ERR_LIBRARY, "%s: no entry: %s", path, dlerror());
    const jit_backend *backend = entry(isa_chosen(), &error);
    if (backend == NULL)
        return error_raise(&error);
    backend->rest(); /* LLVM's constructors are all over it */
    atomic_store_explicit(&jit.backend, backend, memory_order_release);
    return JG_OK;
}

static jg_status open_library(const char *asked)
{
    char path[4096];
    JG_TRY(find_library(asked, path, sizeof path));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return base_fail(JG_ERR_LIBRARY, "%s", dlerror());
    return enter_library(library, path);
}

/* At exit, a running compilation is finished and written to disk, and no other begins. */
static void end_compiling(void)
{
    pthread_mutex_lock(&compiling);
    jit.ended = true;
    pthread_mutex_unlock(&compiling);
}

static const jit_backend *known_backend(void)
{
    return atomic_load_explicit(&jit.backend, memory_order_acquire);
}

/* The compile lock is held. A failure is kept, as each launch would try again otherwise. */
static jg_status open_backend(const char *asked)
{
    if (jit.ended)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "got code to compile while the process ends, allowed is it before");
    if (known_backend() != NULL)
        return JG_OK;
    if (!jit.tried) {
        jit.tried = true;
        jg_status status = open_library(asked);
        if (status != JG_OK)
            error_capture(&jit.error, status);
        else
            atexit(end_compiling);
        return status;
    }
    return error_raise(&jit.error);
}

jg_status jit_available(void)
{
    const char *asked = option_text(OPTION_JIT_LIBRARY);
    if (known_backend() != NULL)
        return JG_OK;
    pthread_mutex_lock(&compiling);
    jg_status status = open_backend(asked);
    pthread_mutex_unlock(&compiling);
    return status;
}

static struct kernel_code **row_of(uint64_t hash)
{
    return &jit.rows[hash % TABLE_SIZE];
}

/* The table's lock is held. */
static struct kernel_code *find_code(const base_vec *key, uint64_t hash)
{
    for (struct kernel_code *code = *row_of(hash); code != NULL; code = code->next) {
        if (code->hash == hash && code->key.nbytes == key->nbytes &&
            memcmp(code->key.data, key->data, key->nbytes) == 0)
            return code;
    }
    return NULL;
}

/* gives: code of the key for one more user, or NULL */
static struct kernel_code *take_known(const base_vec *key, uint64_t hash)
{
    pthread_mutex_lock(&lock);
    struct kernel_code *code = find_code(key, hash);
    if (code != NULL) {
        jit.unused -= code->users == 0;
        code->users += 1;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static void enter_code(struct kernel_code *code)
{
    pthread_mutex_lock(&lock);
    code->next = *row_of(code->hash);
    *row_of(code->hash) = code;
    pthread_mutex_unlock(&lock);
}

/* Moves code without users from the row to the list. The table's lock is held. */
static void cut_unused(struct kernel_code **link, struct kernel_code **list)
{
    while (*link != NULL) {
        struct kernel_code *code = *link;
        if (code->users > 0) {
            link = &code->next;
            continue;
        }
        *link = code->next;
        code->next = *list;
        *list = code;
    }
}

/* Unloads code without users if there is much of it. The compile lock is held, so no thread asks
 * LLVM for a symbol that is being unloaded. */
static void drop_unused(void)
{
    struct kernel_code *list = NULL;
    pthread_mutex_lock(&lock);
    if (jit.unused > MAX_UNUSED) {
        for (int row = 0; row < TABLE_SIZE; ++row)
            cut_unused(&jit.rows[row], &list);
        jit.unused = 0;
    }
    pthread_mutex_unlock(&lock);
    while (list != NULL) {
        struct kernel_code *code = list;
        list = code->next;
        known_backend()->unload(code->handle);
        vec_clear(&code->key);
        base_free(code);
    }
}

/* Does not wait for a compilation, as evaluations release code with locks held. Surplus code is
 * unloaded when the next code is made. */
void jit_code_release(struct kernel_code *code)
{
    pthread_mutex_lock(&lock);
    code->users -= 1;
    jit.unused += code->users == 0;
    pthread_mutex_unlock(&lock);
}

void *jit_code_address(const struct kernel_code *code)
{
    return code->address;
}

void jit_rest(void)
{
    const jit_backend *backend = known_backend();
    if (backend != NULL)
        backend->rest();
}

unsigned jit_code_count_lanes(const jg_program *program)
{
    return known_backend()->count_lanes(program);
}

/* A request of jit_code_find, as it passes through the steps below. */
typedef struct code_request {
    base_vec *key; /* complete, once hash is set; moves into the code on success */
    uint64_t hash;
    code_maker *make;
    const void *program, *options;
    disk_cache disk;
    char symbol[JIT_SYMBOL_SIZE];
} code_request;

static jg_status load_object(const code_request *request, const disk_object *object,
                             struct kernel_code *code)
{
    jg_error error;
    jg_status status = known_backend()->load(object->bytes, object->nbytes, request->symbol,
                                             &code->address, &code->handle, &error);
    return status == JG_OK ? JG_OK : error_raise(&error);
}

/* An object that does not link is ignored: it is compiled again and overwritten. */
static bool load_from_disk(const code_request *request, struct kernel_code *code)
{
    disk_object object;
    if (!disk_read(&request->disk, request->key, &object))
        return false;
    bool loaded = load_object(request, &object, code) == JG_OK;
    base_free(object.bytes);
    return loaded;
}

/* Written to disk only after it has been linked, so that what is there works. */
static jg_status make_object(const code_request *request, struct kernel_code *code)
{
    jg_error error;
    disk_object object;
    jg_status status = request->make(known_backend(), request->program, request->options,
                                     request->symbol, &object, &error);
    if (status != JG_OK)
        return error_raise(&error);
    status = load_object(request, &object, code);
    if (status == JG_OK)
        disk_write(&request->disk, request->key, &object);
    known_backend()->drop(&object);
    return status;
}

/* The lock of what compiles is held. */
static jg_status make_code(const code_request *request, struct kernel_code **out)
{
    struct kernel_code *code = base_alloc_zeroed(sizeof *code);
    if (code == NULL)
        return base_nomem(sizeof *code, "compiled code");
    drop_unused();
    jg_status status = load_from_disk(request, code) ? JG_OK : make_object(request, code);
    if (status != JG_OK) {
        base_free(code);
        return status;
    }
    code->key = *request->key;
    *request->key = (base_vec){0};
    code->hash = request->hash;
    code->users = 1;
    enter_code(code);
    *out = code;
    return JG_OK;
}

/* The key gets what code depends on besides the program: the build, the version, the CPU. Its hash
 * names the symbol, so two keys with one hash could not both be loaded; at 64 bits that is unlikely
 * enough. */
static jg_status complete_key(code_request *request)
{
    const jit_backend *backend = known_backend();
    uint64_t tail[] = {backend->build, JOGGLE_VERSION_MAJOR, JOGGLE_VERSION_MINOR,
                       JOGGLE_VERSION_PATCH};
    JG_TRY(vec_append(request->key, tail, sizeof tail));
    JG_TRY(vec_append(request->key, backend->target, strlen(backend->target)));
    request->hash = hash_bytes(request->key->data, request->key->nbytes);
    snprintf(request->symbol, sizeof request->symbol, "joggle_%016" PRIx64, request->hash);
    return JG_OK;
}

/* A thread that has waited may find what another one has made. */
static jg_status make_or_find(const char *asked, const code_request *request,
                              struct kernel_code **out)
{
    pthread_mutex_lock(&compiling);
    jg_status status = open_backend(asked);
    *out = status == JG_OK ? take_known(request->key, request->hash) : NULL;
    if (status == JG_OK && *out == NULL)
        status = make_code(request, out);
    pthread_mutex_unlock(&compiling);
    return status;
}

jg_status jit_code_find(base_vec *key, code_maker *make, const void *program, const void *options,
                        struct kernel_code **out)
{
    code_request request = {.key = key, .make = make, .program = program, .options = options};
    struct kernel_code *code = NULL;
    JG_TRY(jit_available());
    JG_TRY(complete_key(&request));
    code = take_known(key, request.hash);
    if (code == NULL) {
        disk_open(&request.disk);
        JG_TRY(make_or_find(option_text(OPTION_JIT_LIBRARY), &request, &code));
    }
    *out = code;
    return JG_OK;
}

static jg_status make_kernel(const jit_backend *backend, const void *program, const void *options,
                             const char *symbol, disk_object *out, jg_error *error)
{
    return backend->compile_kernel(program, *(const unsigned *)options, symbol, out, error);
}

static jg_status compile(const kernel_program *kernel, unsigned flags, kernel_code **out)
{
    base_vec key = {0};
    if (kernel->frame_nbytes == 0)
        return base_fail(JG_ERR_INTERNAL, "kernel %s: its bodies are not cut out",
                         kernel_text(kernel, kernel->name));
    jg_status status = jit_key_write_kernel(&key, kernel, flags);
    if (status == JG_OK)
        status = jit_code_find(&key, make_kernel, kernel, &flags, out);
    vec_clear(&key);
    return status;
}

static kernel_entry *entry_of(const kernel_code *code)
{
    kernel_entry *entry;
    *(void **)&entry = jit_code_address(code);
    return entry;
}

const kernel_compiler jit_compiler = {
    .name = "llvm",
    .compile = compile,
    .entry = entry_of,
    .release = jit_code_release,
};
