/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the headers, the export macro and the attributes that the other headers use. */
#ifndef JOGGLE_VERSION_H
#define JOGGLE_VERSION_H

#define JOGGLE_VERSION_MAJOR 0
#define JOGGLE_VERSION_MINOR 1
#define JOGGLE_VERSION_PATCH 0

/* Whether the headers are of that version or a later one: #if JOGGLE_VERSION_AT_LEAST(0, 2, 0) */
#define JOGGLE_VERSION_AT_LEAST(major, minor, patch)                                               \
    (JOGGLE_VERSION_MAJOR > (major) ||                                                             \
     (JOGGLE_VERSION_MAJOR == (major) &&                                                           \
      (JOGGLE_VERSION_MINOR > (minor) ||                                                           \
       (JOGGLE_VERSION_MINOR == (minor) && JOGGLE_VERSION_PATCH >= (patch)))))

#if defined(__GNUC__)
#define JG_API __attribute__((visibility("default")))
#define JG_CHECKED __attribute__((warn_unused_result))
#define JG_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#else
#define JG_API
#define JG_CHECKED
#define JG_NONNULL(...)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is loaded, as "major.minor.patch".
 * gives: a static string | raises: never | waits: never */
JG_API const char *jg_version(void);

#ifdef __cplusplus
}
#endif
#endif
