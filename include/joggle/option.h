/* SPDX-License-Identifier: Apache-2.0 */
/* Options: what the environment variables JOGGLE_... set, settable from code as well. */
#ifndef JOGGLE_OPTION_H
#define JOGGLE_OPTION_H

#include <joggle/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets an option, named as its environment variable without the prefix and in lower case ("blas"
 * for JOGGLE_BLAS). It overrides the environment. Options that are read once (blas, blas_core,
 * isa) must be set before the first use of what they govern.
 * keeps: a copy of value, forever | raises: VALUE for an unknown name, and for a word or a number
 * that the option does not have, NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_option_set(const char *name, const char *value);

/* The option's text now. gives: *out, valid forever if code has set it | raises: VALUE */
JG_API JG_CHECKED jg_status jg_option_get(const char *name, const char **out);

/* How many threads share large work, in all of the process: what was set, JOGGLE_NUM_THREADS, or
 * the CPUs that the process may use. Libraries that joggle calls add none of their own.
 * raises: VALUE outside 1 to 256, NOMEM | waits: never */
#define JG_MAX_THREADS 256
JG_API int jg_num_threads(void);
JG_API JG_CHECKED jg_status jg_set_num_threads(int count);

/* One line per option: variable, value and help. gives: a static string | raises: never */
JG_API const char *jg_option_help(void);

#ifdef __cplusplus
}
#endif
#endif
