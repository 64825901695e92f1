/* SPDX-License-Identifier: Apache-2.0 */
/* compose: the public ops that are spelled in other ops or are views. Each is declared in
 * <joggle/ops.h> or <joggle/array.h>; nothing here is called from inside but by other rooms
 * above. */
#ifndef JG_COMPOSE_H
#define JG_COMPOSE_H

#include "fuse/fuse.h"
#include "graph/graph.h"
#include "op/op.h"
#include <joggle/ops.h>

/* The layout that NumPy's basic indexing gives. raises: INDEX, VALUE */
jg_status compose_index(const jg_layout *from, int nitems, const jg_index *items, jg_layout *to);

/* A window onto x; refused for packed sub-byte elements unless it is dense from the first on.
 * gives: *out, +1 | raises: TYPE, NOMEM */
jg_status compose_view(jg_array *x, const jg_layout *layout, jg_array **out);

#endif
