/* SPDX-License-Identifier: Apache-2.0 */
/* The graph as Graphviz text: memory as ellipses, ops as boxes, fused groups as frames around
 * them. */
#include "plan/steps.h"
#include <inttypes.h>

static void add_label(base_text *text, const char *what, const jg_array *x)
{
    text_add(text, "%s\\n%s ", what, dtype_rows[x->dtype].name);
    text_add_extents(text, x->ndim, node_shape(x));
}

static void add_leaf(base_text *text, const jg_array *x)
{
    unsigned flags = atomic_load_explicit(&node_root(x)->buffer->flags, memory_order_relaxed);
    text_add(text, "  n%" PRIu32 " [shape=ellipse, label=\"", x->slot);
    add_label(text, flags & BUFFER_FOREIGN ? "imported" : "memory", x);
    text_add(text, "\"];\n");
}

/* A generator's numbers are bound at each run. Stream 0 is the default, so only other streams are
 * shown. */
static void add_member(base_text *text, const jg_array *x)
{
    static const char *const roles[] = {[NODE_TANGENT] = "tangent",
                                        [NODE_COTANGENT] = "cotangent",
                                        [NODE_RECOMPUTED] = "recomputed"};
    text_add(text, "    n%" PRIu32 " [shape=box%s, label=\"", x->slot,
             x->stored ? ", style=bold" : "");
    add_label(text, op_name((jg_op)x->label), x);
    if (primitive_rows[x->primitive].nattributes > 0 && !node_is_generator(x)) {
        text_add(text, "\\n");
        primitive_print_attributes((jg_primitive)x->primitive, node_attributes_of(x), text);
    }
    if (x->role != NODE_VALUE)
        text_add(text, "\\n%s", roles[x->role]);
    if (x->stream != 0)
        text_add(text, "\\nstream %u", (unsigned)x->stream);
    text_add(text, "\"];\n");
}

/* A walk has no nodes for views, so their names label the edges. */
static void add_edges(base_text *text, const jg_array *x)
{
    for (int i = 0; i < x->ninputs; ++i) {
        const jg_array *input = x->inputs[i];
        bool view = input->primitive == PRIMITIVE_view && !node_has_storage(input);
        text_add(text, "  n%" PRIu32 " -> n%" PRIu32, walk_slot(input), x->slot);
        text_add(text, view ? " [label=\"view\"];\n" : ";\n");
    }
}

/* Numbered as the launches are, in the order in which they run. */
static void add_group(base_text *text, const plan_draft *draft, int index)
{
    const plan_group *group = &draft_groups(draft)[index];
    text_add(text, "  subgraph cluster_%d {\n    label=\"group %d\";\n",
             draft_group_count(draft) - 1 - index, draft_group_count(draft) - 1 - index);
    for (int slot = group->first; slot >= 0; slot = draft->nodes[slot].next)
        add_member(text, walk_nodes(draft->walk)[slot]);
    text_add(text, "  }\n");
}

static jg_status write_groups(const graph_walk *walk, bool fusing, base_text *text)
{
    plan_draft draft;
    jg_status status = draft_make_groups(&draft, walk, fusing);
    if (status == JG_OK) {
        text_add(text, "digraph joggle {\n  rankdir=BT;\n  node [fontname=\"monospace\"];\n");
        for (int i = 0; i < walk_count(walk); ++i)
            if (draft.nodes[i].group < 0)
                add_leaf(text, walk_nodes(walk)[i]);
        for (int i = draft_group_count(&draft) - 1; i >= 0; --i)
            add_group(text, &draft, i);
        for (int i = 0; i < walk_count(walk); ++i)
            if (draft.nodes[i].group >= 0)
                add_edges(text, walk_nodes(walk)[i]);
        text_add(text, "}\n");
        status = text_status(text);
    }
    draft_clear(&draft);
    return status;
}

jg_status plan_write_dot(const graph_walk *walk, bool fusing, base_text *text)
{
    graph_walk ordered;
    jg_status status = order_begin(walk, &ordered);
    if (status == JG_OK)
        status = write_groups(&ordered, fusing, text);
    order_end(walk, &ordered);
    return status;
}
