/* SPDX-License-Identifier: Apache-2.0 */
/* Bitcode as bytes of the shared object: of tile/scalar.c (SCALAR is its path) and jit/group.ll. */
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
    embed jit_group, GROUP
    .section .note.GNU-stack,"",%progbits
