/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of today's glibc that the oldest one which wheels run with lacks, by means of what it
 * has. Hidden, and linked into each library that calls one (old_glibc.py). No header of glibc
 * declares them here: its own declarations would rename them. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

struct stat; /* one layout on 64-bit Linux, with and without 64 in the name */

#ifdef __x86_64__
enum { VERSION_OF_STAT = 1, VERSION_OF_NODE = 0 };
#else
enum { VERSION_OF_STAT = 0, VERSION_OF_NODE = 0 };
#endif

int __xstat(int version, const char *path, struct stat *out);
int __lxstat(int version, const char *path, struct stat *out);
int __fxstat(int version, int descriptor, struct stat *out);
int __fxstatat(int version, int folder, const char *path, struct stat *out, int flags);
int __xmknod(int version, const char *path, mode_t mode, dev_t *device);

#define STAT_FUNCTIONS(suffix)                                                                     \
    int stat##suffix(const char *path, struct stat *out)                                           \
    {                                                                                              \
        return __xstat(VERSION_OF_STAT, path, out);                                                \
    }                                                                                              \
    int lstat##suffix(const char *path, struct stat *out)                                          \
    {                                                                                              \
        return __lxstat(VERSION_OF_STAT, path, out);                                               \
    }                                                                                              \
    int fstat##suffix(int descriptor, struct stat *out)                                            \
    {                                                                                              \
        return __fxstat(VERSION_OF_STAT, descriptor, out);                                         \
    }                                                                                              \
    int fstatat##suffix(int folder, const char *path, struct stat *out, int flags)                 \
    {                                                                                              \
        return __fxstatat(VERSION_OF_STAT, folder, path, out, flags);                              \
    }

STAT_FUNCTIONS()
STAT_FUNCTIONS(64)

int mknod(const char *path, mode_t mode, dev_t device)
{
    return __xmknod(VERSION_OF_NODE, path, mode, &device);
}

pid_t gettid(void)
{
    return (pid_t)syscall(SYS_gettid);
}

/* The names by which glibc 2.38 and newer have numbers of C23, with "0b101", read. */
#define READ_FUNCTION(type, name)                                                                  \
    type name(const char *text, char **end, int base);                                             \
    type __isoc23_##name(const char *text, char **end, int base);                                  \
    type __isoc23_##name(const char *text, char **end, int base)                                   \
    {                                                                                              \
        return name(text, end, base);                                                              \
    }

READ_FUNCTION(long, strtol)
READ_FUNCTION(unsigned long, strtoul)
READ_FUNCTION(long long, strtoll)
READ_FUNCTION(unsigned long long, strtoull)

/* libstdc++ leaves locks out where this is not 0. */
char __libc_single_threaded = 0;

uint32_t arc4random(void)
{
    uint32_t number;
    while (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        ;
    return number;
}

/* LLVM's statistics ask for it. */
struct mallinfo2 mallinfo2(void)
{
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    struct mallinfo told = mallinfo();
    return (struct mallinfo2){.arena = (size_t)told.arena, .uordblks = (size_t)told.uordblks};
}
