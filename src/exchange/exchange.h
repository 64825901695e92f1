/* SPDX-License-Identifier: Apache-2.0 */
/* exchange: views become buffers and arrays (import.c), arrays become foreign tensors (export.c).
 * Its functions are those of <joggle/exchange.h>; rooms above include this header for them, so that
 * the drawing of the layers shows which rooms use it. */
#ifndef JG_EXCHANGE_H
#define JG_EXCHANGE_H

#include "dlpack/dlpack.h"
#include "graph/graph.h"
#include "memory/memory.h"
#include "run/run.h"
#include <joggle/exchange.h>

#endif
