/* SPDX-License-Identifier: Apache-2.0 */
/* Bitcode as bytes of the shared object: of jit/llvm/scalar.c (SCALAR is its path; LANES8 and so on, of its
 * functions of lanes; _APART: for CPUs that do not join multiplications and additions) and jit/llvm/group.ll. */
.macro embed name, path
    .globl \name
    .hidden \name
    .globl \name\()_end
    .hidden \name\()_end
    .balign 16
\name:
    .incbin "\path"
\name\()_end:
    .byte 0
.endm

    .section .rodata
    embed jit_scalar, SCALAR
    embed jit_lanes8, LANES8
    embed jit_lanes16, LANES16
    embed jit_lanes32, LANES32
    embed jit_lanes64, LANES64
#ifdef SCALAR_APART
    embed jit_scalar_apart, SCALAR_APART
    embed jit_lanes8_apart, LANES8_APART
    embed jit_lanes16_apart, LANES16_APART
    embed jit_lanes32_apart, LANES32_APART
#endif
    embed jit_group, GROUP
    .section .note.GNU-stack,"",%progbits
