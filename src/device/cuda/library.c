/* SPDX-License-Identifier: Apache-2.0 */
/* Finds vendors' libraries, as their wheels, the toolkit and the loader have them. */
#include "device/cuda/cuda.h"
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>

/* The newest file of a pattern that opens. */
static void *open_from(const char *pattern, int flags)
{
    glob_t found;
    void *library = NULL;
    if (glob(pattern, 0, NULL, &found) != 0)
        return NULL;
    for (size_t i = found.gl_pathc; i > 0 && library == NULL; --i)
        library = dlopen(found.gl_pathv[i - 1], RTLD_NOW | flags);
    globfree(&found);
    return library;
}

/* The library of a folder, whose path is a pattern. */
static void *open_in(const cuda_library *what, const char *folder)
{
    char pattern[PATH_MAX + 64];
    int flags = what->before != NULL ? RTLD_GLOBAL : RTLD_LOCAL;
    if (what->before != NULL) {
        snprintf(pattern, sizeof pattern, "%s/%s.so.*", folder, what->before);
        (void)open_from(pattern, flags);
    }
    snprintf(pattern, sizeof pattern, "%s/%s.so.[0-9]*", folder, what->names[0]);
    return open_from(pattern, flags);
}

/* FOLDER/joggle/libjoggle.so.0, FOLDER/nvidia/cu13/lib or FOLDER/nvidia/cuda_nvrtc/lib. */
static void *open_beside(const cuda_library *what)
{
    Dl_info info;
    char folder[PATH_MAX];
    if (dladdr((void *)cuda_library_open, &info) == 0)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    int length = snprintf(folder, sizeof folder, "%.*s/../nvidia/*/lib",
                          slash == NULL ? 1 : (int)(slash - info.dli_fname),
                          slash == NULL ? "." : info.dli_fname);
    return length > 0 && (size_t)length < sizeof folder ? open_in(what, folder) : NULL;
}

/* Opens the library by one of its version names: one that is already in the process, or one that
 * the loader finds. */
static void *open_named(const cuda_library *what, int flags)
{
    void *library = NULL;
    for (int i = 1; i < CUDA_LIBRARY_NAMES && what->names[i] != NULL && library == NULL; ++i)
        library = dlopen(what->names[i], RTLD_NOW | flags);
    return library;
}

void *cuda_library_open(const cuda_library *what, const char *named)
{
    void *library = NULL;
    if (*named != '\0')
        return (library = open_in(what, named)) != NULL ? library : dlopen(named, RTLD_NOW);
    if (dlsym(RTLD_DEFAULT, what->symbol) != NULL)
        return dlopen(NULL, RTLD_NOW); /* the process; RTLD_DEFAULT itself is NULL */
    if ((library = open_named(what, RTLD_NOLOAD)) != NULL ||
        (library = open_beside(what)) != NULL || (library = open_named(what, 0)) != NULL)
        return library;
    return what->folder != NULL ? open_in(what, what->folder) : NULL;
}
