/* SPDX-License-Identifier: Apache-2.0 */
/* transform: derivatives of graphs, forward and reverse. It builds nodes and computes nothing.
 *
 * A function is traced on markers, nodes that stand for its arguments. From its results the tape is
 * made: the nodes between markers and results, inputs first. A pass goes along the tape and spells,
 * in public ops, what each node's rule says; so its results can be transformed again.
 *
 * The rules are the column RULES of op/primitive.def. Vectors of the reverse pass, cotangents, have
 * the dtype and shape of the node that they belong to; that of a function f of complex numbers is
 * the cotangent of the result times conj(f'), as PyTorch and MLX have it. */
#ifndef JG_TRANSFORM_H
#define JG_TRANSFORM_H

#include "base/base.h"
#include "compose/compose.h"
#include "graph/graph.h"
#include "op/op.h"
#include "run/run.h"
#include "transform/custom.h"
#include "transform/passes.h"
#include "transform/rule.h"
#include "transform/tape.h"
#include "transform/values.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

#endif
