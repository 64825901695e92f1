/* SPDX-License-Identifier: Apache-2.0 */
/* Bitcode as bytes of the shared object: of tile/scalar.c (SCALAR is its path; LANES8 and so on, of its
 * functions of lanes) and jit/group.ll. */
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
    embed jit_group, GROUP
    .section .note.GNU-stack,"",%progbits
