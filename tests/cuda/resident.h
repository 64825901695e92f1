/* SPDX-License-Identifier: Apache-2.0 */
/* What the fake NVRTC and the clang that stays in memory say to each other over a socket: a request
 * for each text, and as the answer an int, which is what waitpid told of clang. */
#ifndef JG_TESTS_RESIDENT_H
#define JG_TESTS_RESIDENT_H

/* The folder that clang runs in. Its command finds the text there, and what it says goes to the
 * file log there. */
typedef struct resident_request {
    char folder[64];
} resident_request;

#endif
