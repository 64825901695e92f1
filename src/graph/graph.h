/* SPDX-License-Identifier: Apache-2.0 */
/* graph: the array node, how nodes are built from ops, and how a graph is walked. It cannot
 * evaluate.
 *
 * A node is immutable but for its storage. Its dtype, shape and strides are known when it is
 * built: a computed node will lie row-major in memory of its own, and a view is a layout over
 * the memory of another node, its root, which is never a view itself. So the layout of
 * everything is known before anything is computed, and a view has no state of its own.
 *
 * Storage moves once, under the evaluation lock of run: buffer (and event) are written, then state
 * is stored with release; a thread that loads state with acquire may read them. Inputs are dropped
 * after that, except a view's root. The fields of the walk belong to the thread that holds the
 * evaluation lock. */
#ifndef JG_GRAPH_H
#define JG_GRAPH_H

#include "base/base.h"
#include "memory/memory.h"
#include "op/op.h"
#include "stream/stream.h"
#include "tensor/tensor.h"
#include <joggle/array.h>
#include <stdatomic.h>

#include "graph/node.h"

#include "graph/apply.h"
#include "graph/call.h"
#include "graph/custom.h"
#include "graph/places.h"
#include "graph/siblings.h"
#include "graph/walk.h"

#include "graph/deferred.h"
#include "graph/groups.h"
#include "graph/traced.h"

#endif
