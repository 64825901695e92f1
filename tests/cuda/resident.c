/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a clang in memory: is preloaded into it, gets control before its main, and for each request
 * on standard input lets a copy of the process go on into main. Loading clang, which takes as long
 * as compiling a small text, is done once so. nvrtc.c asks; the requests are in resident.h. */
#include "resident.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *main, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*loader_fini)(void), void *stack_end);

/* In the copy. What clang starts is loaded as usual. */
static void enter(const resident_request *request)
{
    int log = chdir(request->folder) == 0 ? open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (log < 0)
        _exit(127);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    close(log);
    unsetenv("LD_PRELOAD");
    signal(SIGINT, SIG_DFL);
}

/* What a program's first instructions call, with its main. The C library's own is called in
 * copies. */
__attribute__((visibility("default"))) start_function __libc_start_main;

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    resident_request request;
    signal(SIGINT, SIG_IGN); /* that of a terminal is meant for who asks */
    while (read(STDIN_FILENO, &request, sizeof request) == sizeof request) {
        pid_t copy = fork();
        if (copy == 0) {
            enter(&request);
            return start(main, argc, argv, init, fini, loader_fini, stack_end);
        }
        int status = 1;
        if (copy > 0)
            waitpid(copy, &status, 0);
        if (write(STDOUT_FILENO, &status, sizeof status) != sizeof status)
            break;
    }
    _exit(0);
}
