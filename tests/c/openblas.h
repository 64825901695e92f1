/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenBLAS of the development environment, for C tests; Python finds it by itself. */
#ifndef JG_TEST_OPENBLAS_H
#define JG_TEST_OPENBLAS_H

#include <glob.h>
#include <joggle/joggle.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets the option `blas`, unless the environment does or there is none; then the system's is
 * looked for, or joggle's loops do it all. False if setting it fails. */
static inline bool name_openblas(void)
{
    char pattern[512];
    const char *root = getenv("JOGGLE_TEST_ROOT");
    glob_t found;
    (void)snprintf(pattern, sizeof pattern,
                   "%s/.venv/lib/python3*/site-packages/scipy_openblas32/lib/libscipy_openblas.so",
                   root != NULL ? root : ".");
    if (getenv("JOGGLE_BLAS") != NULL || glob(pattern, 0, NULL, &found) != 0)
        return true;
    jg_status status = jg_option_set("blas", found.gl_pathv[0]);
    globfree(&found);
    return status == JG_OK;
}

#endif
