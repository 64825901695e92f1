; SPDX-License-Identifier: Apache-2.0
; A group of memory accesses, for loops whose turns are independent: a distinct empty node, which cannot be
; made through LLVM-C.
!joggle.group = !{!0}
!0 = distinct !{}
