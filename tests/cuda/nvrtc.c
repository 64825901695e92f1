/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC for tests: a text becomes a shared object of the host, by clang with shim.h before it. What
 * it calls a cubin is that file's bytes behind a word, which the fake driver knows. A process loads
 * clang once (resident.c). */
#include "fake.h"
#include "resident.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OK = 0, NO_MEMORY = 1, COMPILATION = 6 };

typedef struct program {
    char *text;
    char *cubin;
    size_t nbytes;
    char log[8192];
} program;

FAKE_API int nvrtcVersion(int *major, int *minor);
FAKE_API const char *nvrtcGetErrorString(int error);
FAKE_API int nvrtcGetNumSupportedArchs(int *count);
FAKE_API int nvrtcGetSupportedArchs(int *targets);
FAKE_API int nvrtcCreateProgram(program **out, const char *text, const char *name, int nheaders,
                                const char *const *headers, const char *const *names);
FAKE_API int nvrtcDestroyProgram(program **of);
FAKE_API int nvrtcCompileProgram(program *of, int noptions, const char *const *options);
FAKE_API int nvrtcGetProgramLogSize(program *of, size_t *out);
FAKE_API int nvrtcGetProgramLog(program *of, char *out);
FAKE_API int nvrtcGetCUBINSize(program *of, size_t *out);
FAKE_API int nvrtcGetCUBIN(program *of, char *out);
FAKE_API int nvrtcGetPTXSize(program *of, size_t *out);
FAKE_API int nvrtcGetPTX(program *of, char *out);

int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 0;
    return OK;
}

const char *nvrtcGetErrorString(int error)
{
    return error == OK            ? "NVRTC_SUCCESS"
           : error == COMPILATION ? "NVRTC_ERROR_COMPILATION"
                                  : "NVRTC_ERROR_OUT_OF_MEMORY";
}

static const int known[] = {75, 80, 90, 100};

int nvrtcGetNumSupportedArchs(int *count)
{
    *count = (int)(sizeof known / sizeof *known);
    return OK;
}

int nvrtcGetSupportedArchs(int *targets)
{
    memcpy(targets, known, sizeof known);
    return OK;
}

int nvrtcCreateProgram(program **out, const char *text, const char *name, int nheaders,
                       const char *const *headers, const char *const *names)
{
    (void)name, (void)nheaders, (void)headers, (void)names;
    *out = calloc(1, sizeof **out);
    if (*out == NULL || ((*out)->text = strdup(text)) == NULL)
        return NO_MEMORY;
    return OK;
}

int nvrtcDestroyProgram(program **of)
{
    free((*of)->text);
    free((*of)->cubin);
    free(*of);
    *of = NULL;
    return OK;
}

/* Whether the kernel that begins there has a barrier, be it in what it calls: kernels end at the
 * next one. */
static bool has_barrier(const char *from, const char *to)
{
    const char *barrier = strstr(from, "BARRIER");
    return barrier != NULL && (to == NULL || barrier < to);
}

/* A SHIM_KERNEL for each function that the text calls a kernel, which is what begins with the
 * macro at the start of a line. */
static void name_kernels(FILE *file, const char *text)
{
    const char *next;
    for (const char *at = strstr(text, "\nKERNEL"); at != NULL; at = next) {
        const char *name = at + 1 + strcspn(at + 1, " ") + 1;
        int length = (int)strcspn(name, "(");
        next = strstr(at + 1, "\nKERNEL");
        fprintf(file, "SHIM_KERNEL(%.*s, %d)\n", length, name, has_barrier(name, next));
    }
}

static int write_source(const program *of, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return NO_MEMORY;
    fprintf(file, "#include \"%s\"\n#line 1 \"joggle.cu\"\n%s\n", FAKE_SHIM, of->text);
    name_kernels(file, of->text);
    return fclose(file) == 0 ? OK : NO_MEMORY;
}

static int read_all(const char *path, char **out, size_t *nbytes)
{
    struct stat facts;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &facts) != 0)
        return NO_MEMORY;
    *nbytes = (size_t)facts.st_size;
    *out = malloc(*nbytes);
    ssize_t got = *out != NULL ? read(file, *out, *nbytes) : -1;
    close(file);
    return got == facts.st_size ? OK : NO_MEMORY;
}

static int run(program *of, const char *command)
{
    FILE *output = popen(command, "r");
    if (output == NULL)
        return NO_MEMORY;
    size_t used = fread(of->log, 1, sizeof of->log - 1, output);
    of->log[used] = '\0';
    char rest[512];
    while (fread(rest, 1, sizeof rest, output) > 0)
        continue;
    return pclose(output) == 0 ? OK : COMPILATION;
}

/* The clang that stays in memory, and the socket to it; 0 while there is none. */
static pthread_mutex_t resident_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t resident;
static int resident_socket;
static pthread_once_t watch_forks_once = PTHREAD_ONCE_INIT;

/* The parent's clang ends when the last process with its socket does. */
static void forget_resident(void)
{
    pthread_mutex_init(&resident_lock, NULL);
    if (resident != 0)
        close(resident_socket);
    resident = 0;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_resident);
}

/* FAKE_CUDA_OPTIMIZE=0 in the environment, as it is at a process's first text, is for tests of many
 * texts that run once each: optimizing takes longer than that. */
static int start_resident(void)
{
    pthread_once(&watch_forks_once, watch_forks);
    const char *asked = getenv("FAKE_CUDA_OPTIMIZE");
    const char *level = asked != NULL && strcmp(asked, "0") == 0 ? "-O0" : "-O1";
    const char *command[] = {
        "sh", "-c",
        "exec env LD_PRELOAD='" FAKE_RESIDENT "' '" FAKE_CLANG "' -x c++ -std=c++17 $0 "
        "-march=native -w -fPIC -c -fno-exceptions -fno-rtti -fvisibility=hidden "
        "-ffp-contract=off -fno-builtin-sin -fno-strict-aliasing text.cc -o text.o",
        level, NULL};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return NO_MEMORY;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    int error = posix_spawnp(&pid, command[0], &files, NULL, (char **)command, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return NO_MEMORY;
    }
    resident = pid;
    resident_socket = ends[0];
    return OK;
}

static bool got_answer(int *out)
{
    ssize_t got;
    do
        got = recv(resident_socket, out, sizeof *out, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == sizeof *out;
}

/* Compiles the text in a folder. When it cannot be asked any more, clang is started again next
 * time. */
static int ask_resident(const char *folder)
{
    resident_request request = {{0}};
    snprintf(request.folder, sizeof request.folder, "%s", folder);
    int answer = 0, status = OK;
    pthread_mutex_lock(&resident_lock);
    if (resident == 0)
        status = start_resident();
    if (status == OK &&
        (send(resident_socket, &request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
         !got_answer(&answer))) {
        close(resident_socket);
        waitpid(resident, NULL, 0);
        resident = 0;
        status = NO_MEMORY;
    }
    pthread_mutex_unlock(&resident_lock);
    return status == OK && answer != 0 ? COMPILATION : status;
}

/* The beginnings of the flags that the real compiler takes. */
static const char *const flags[] = {
#ifdef FAKE_HIP
    "--offload-arch=gfx", "-std=c++", "-ffp-contract=off", "-fno-gpu-flush-denormals-to-zero",
    "-fhip-fp32-correctly-rounded-divide-sqrt"
#else
    "-arch=", "-std=c++", "-fmad=", "-ftz=",
    "-prec-", "-minimal"
#endif
};

static bool is_flag(const char *option)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
        if (strncmp(option, flags[i], strlen(flags[i])) == 0)
            return true;
    return false;
}

/* A flag that a real compiler would refuse is refused. */
static int check_options(program *of, int noptions, const char *const *options)
{
    for (int i = 0; i < noptions; ++i)
        if (!is_flag(options[i])) {
            snprintf(of->log, sizeof of->log, "error: unrecognized option %s\n", options[i]);
            return COMPILATION;
        }
    return OK;
}

static int compile(program *of, const char *folder, const char *log)
{
    int status = ask_resident(folder);
    FILE *file = fopen(log, "r");
    if (file != NULL) {
        of->log[fread(of->log, 1, sizeof of->log - 1, file)] = '\0';
        fclose(file);
    }
    return status;
}

/* The linker is called here, because clang starts itself once more where it has to call one. */
int nvrtcCompileProgram(program *of, int noptions, const char *const *options)
{
    char folder[] = "/tmp/joggle-fake-nvrtc-XXXXXX", source[64], object[64], library[64], log[64];
    char command[256];
    if (check_options(of, noptions, options) != OK)
        return COMPILATION;
    if (mkdtemp(folder) == NULL)
        return NO_MEMORY;
    snprintf(source, sizeof source, "%s/text.cc", folder);
    snprintf(object, sizeof object, "%s/text.o", folder);
    snprintf(library, sizeof library, "%s/text.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(command, sizeof command, "exec ld -shared %s -o %s -lm 2>&1", object, library);
    int status = write_source(of, source);
    if (status == OK)
        status = compile(of, folder, log);
    if (status == OK)
        status = run(of, command);
    if (status == OK)
        status = read_all(library, &of->cubin, &of->nbytes);
    unlink(source);
    unlink(object);
    unlink(library);
    unlink(log);
    rmdir(folder);
    return status;
}

int nvrtcGetProgramLogSize(program *of, size_t *out)
{
    *out = strlen(of->log) + 1;
    return OK;
}

int nvrtcGetProgramLog(program *of, char *out)
{
    strcpy(out, of->log);
    return OK;
}

int nvrtcGetCUBINSize(program *of, size_t *out)
{
    *out = of->nbytes;
    return OK;
}

int nvrtcGetCUBIN(program *of, char *out)
{
    memcpy(out, of->cubin, of->nbytes);
    return OK;
}

int nvrtcGetPTXSize(program *of, size_t *out)
{
    return nvrtcGetCUBINSize(of, out);
}

int nvrtcGetPTX(program *of, char *out)
{
    return nvrtcGetCUBIN(of, out);
}
