/* SPDX-License-Identifier: Apache-2.0 */
/* The fake driver under the names of HIP: each name of the table's second column jumps to the
 * function of the first. The names are weak, as hip.c has some of its own. */
#if defined __aarch64__
#define JUMP "b "
#else
#define JUMP "jmp "
#endif
#define SAME(name, function)                                                                       \
    __asm__(".text\n.weak " #name "\n.type " #name ", %function\n" #name ": " JUMP #function "\n");

#define CUDA_CALL(name, function, hip_function, parameters) SAME(hip_function, function)
#include "device/cuda/api.def"
#undef CUDA_CALL

#define CUDA_GRAPH_CALL(name, function, hip_function, parameters) SAME(hip_function, function)
#include "device/cuda/graph.def"
#undef CUDA_GRAPH_CALL
