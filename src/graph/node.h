/* SPDX-License-Identifier: Apache-2.0 */
/* The array node: what it is made of and asked for, and how nodes are made and freed (node.c). A
 * part of graph.h, which includes it: others include that. */
#ifndef JG_GRAPH_NODE_H
#define JG_GRAPH_NODE_H

#define GRAPH_FEW_INPUTS 3  /* of elementwise ops at most; routines may have more */
#define GRAPH_MAX_RESULTS 7 /* of a routine; three bits of a node */

/* The flags of a node, in one byte, so that one test tells that a node has none and needs no
 * bookkeeping. The first ones are about places: memory that is written while arrays hold it. */
#define NODE_IS_PLACE (1u << 0)    /* its storage is one; also of views onto one */
#define NODE_READS_PLACE (1u << 1) /* it may depend on one and have no storage; also of its views */
#define NODE_IS_LISTED (1u << 2)   /* reads.c counts it as a reader of its inputs that are places */

/* The flags that concern traced functions. */
#define NODE_IS_TRACED (1u << 3)    /* it depends on a traced argument; also of views onto it */
#define NODE_KEEPS_INPUTS (1u << 4) /* it has storage and still its inputs: on traced.c's list */

/* The node is a result of a function with its own rules, and its attributes hold the call. */
#define NODE_IS_CUSTOM (1u << 5)

/* The node is a result of a call of a recorded function whose nodes are not built yet: it has no
 * inputs, and its attributes hold the call. */
#define NODE_IS_DEFERRED (1u << 6)

/* The node depends on a placeholder, so it is never evaluated; also views onto such a node. */
#define NODE_READS_PLACEHOLDER (1u << 7)

#define NODE_HEIGHTS 0x3fffffffu /* what a height may be */

/* A node's device. Nodes made only of numbers, ranges and lists were never asked for on a device:
 * they take the device of the other operands of an op. */
#define NODE_DEVICE 0x7fu   /* the bits of the number */
#define NODE_ANYWHERE 0x80u /* of a node whose inputs all have it, and of those without inputs */
_Static_assert(DEVICE_MAX <= NODE_DEVICE, "a number fits");

typedef struct node_family node_family;

/* The kind of value that a transformation made a node for. It does not change what is computed;
 * explain, traces and drawings show it. */
typedef enum node_role { NODE_VALUE, NODE_TANGENT, NODE_COTANGENT, NODE_RECOMPUTED } node_role;

/* The attributes that lie in the node itself: those of primitives that make programs, and of others
 * that need no more bytes. */
#define NODE_FEW_BYTES 32

typedef struct graph_custom_call graph_custom_call; /* custom.h */
typedef struct graph_custom_result {
    graph_custom_call *call; /* +1 */
    int number;
} graph_custom_result;

typedef struct deferred_call deferred_call; /* deferred.h */
typedef struct deferred_result {
    deferred_call *call; /* +1 */
    int number;
} deferred_result;

typedef union node_attributes {
    graph_custom_result custom; /* of a node with NODE_IS_CUSTOM */
    deferred_result deferred;   /* of one with NODE_IS_DEFERRED */
    full_attributes full;
    arange_attributes arange;
    reduce_add_attributes reduce;       /* those of all reductions */
    uint64_t words[NODE_FEW_BYTES / 8]; /* the last one of a message: its order */
    char few[NODE_FEW_BYTES];
    uint32_t function; /* of a placeholder: the number of the one that it was made for, or 0 */
} node_attributes;
_Static_assert(sizeof(primitive_attributes) >= NODE_FEW_BYTES, "what is copied is there");

/* An array is a node. A view is a layout over its root, which is never a view; every other node is
 * its own root. Label, dtype, shape and strides never change. A root without storage has what it is
 * computed from; once it has storage its inputs are dropped, unless a function is being traced.
 * `state` tells other threads whether there is storage. */
struct jg_array {
    atomic_int refs;
    uint16_t label;  /* jg_op: its public name, and its type rule */
    uint16_t stream; /* the number of the one that computes it */
    /* A free list overwrites the members above; `pooled` must come after them. */
    atomic_uchar state; /* of a root: UNSCHEDULED, SCHEDULED, or AVAILABLE */
    uint8_t dtype;      /* jg_dtype */
    uint8_t ndim;
    bool contiguous : 1;                    /* row-major without gaps */
    bool pooled : 1;                        /* goes back to the free list */
    unsigned char result : 3, nresults : 3; /* which of how many of a routine; of 0: the only one */
    atomic_uchar flags;                     /* NODE_IS_PLACE and those behind it */
    uint8_t primitive;                      /* jg_primitive */
    uint8_t device;                         /* its number in the registry, and NODE_ANYWHERE */
    bool stored;                            /* of the walk, as the next three */
    int ninputs;
    uint32_t height : 30; /* one more than the largest of its inputs'; modulo 2^30 */
    uint32_t role : 2;    /* node_role */
    /* mark: the epoch of the last walk that met the node; stored, slot and uses are valid while it
     * is that of the walk under way. A node that no walk has met has mark 0, which is no epoch. */
    uint64_t mark;
    uint32_t slot, uses;
    int64_t size, offset; /* offset of the first element in the storage, in elements */
    jg_array **inputs;    /* few, or a block of its own */
    jg_array *few[GRAPH_FEW_INPUTS];
    jg_buffer *buffer;           /* of a root, once scheduled */
    jg_event *event;             /* of a root that was scheduled to run elsewhere; NULL otherwise */
    primitive_attributes *block; /* of attributes that need more bytes than a node has; else NULL */
    list_link links;             /* on one list: to be freed, of reads.c, or of traced.c */
    node_attributes attributes;
    struct node_family *family; /* where nresults is not 0: siblings.c; NULL with storage */
    /* Strides are in elements, as is the offset; those of extents 1 and of empty arrays are as of a
     * dense array (node.c). */
    int64_t dims[]; /* ndim extents, then ndim strides */
};

#define NODE_OF_LINK(link) JG_LIST_ITEM(link, jg_array, links)

/* The extents and the strides, borrowed from x. */
static inline const int64_t *node_shape(const jg_array *x)
{
    return x->dims;
}
static inline const int64_t *node_strides(const jg_array *x)
{
    return x->dims + x->ndim;
}
/* The parameters of x's primitive. Only the member with the primitive's name may be read: there is
 * memory for no more. They are borrowed from x. */
static inline const primitive_attributes *node_attributes_of(const jg_array *x)
{
    return x->block != NULL ? x->block : (const primitive_attributes *)(const void *)&x->attributes;
}
static inline bool node_is_reduction(const jg_array *x)
{
    return primitive_rows[x->primitive].kind == PRIMITIVE_REDUCTION;
}
/* Whether a routine computes x, joggle's own or that of a host library. */
static inline bool node_is_routine(const jg_array *x)
{
    return primitive_rows[x->primitive].kind >= PRIMITIVE_ROUTINE;
}
/* The number of the device that computes x, or that x lies on. */
static inline int node_device(const jg_array *x)
{
    return x->device & NODE_DEVICE;
}
static inline bool node_is_on_host(const jg_array *x)
{
    return device_is_host(device_at(node_device(x)));
}
static inline bool node_same_shape(const jg_array *x, const jg_array *y)
{
    bool same = x->ndim == y->ndim;
    for (int i = 0; same && i < x->ndim; ++i)
        same = x->dims[i] == y->dims[i];
    return same;
}
/* The node whose storage x lies in, borrowed from x. */
static inline jg_array *node_root(const jg_array *x)
{
    return x->primitive == PRIMITIVE_view ? x->inputs[0] : (jg_array *)x;
}
static inline jg_array_state node_state(const jg_array *root)
{
    return (jg_array_state)atomic_load_explicit(&root->state, memory_order_acquire);
}
/* Whether x's values lie in memory, or will once what computes them has run. */
static inline bool node_has_storage(const jg_array *x)
{
    return node_state(node_root(x)) != JG_ARRAY_UNSCHEDULED;
}
/* Whether the primitive of x makes its elements of attributes alone, as numbers, ranges and random
 * numbers are made. */
static inline bool node_is_generator(const jg_array *x)
{
    return primitive_rows[x->primitive].kind == PRIMITIVE_GENERATOR;
}
/* Whether x is one number everywhere that is not in memory: what reads it has the number in its
 * code. */
static inline bool node_is_number(const jg_array *x)
{
    return x->primitive == PRIMITIVE_full && !node_has_storage(x);
}
/* Whether x is a number or a range that is not in memory: to make it again is cheaper than to move
 * it. */
static inline bool node_is_remade(const jg_array *x)
{
    return node_is_number(x) || (x->primitive == PRIMITIVE_arange && !node_has_storage(x));
}
/* Whether x is an array that was moved from another device. */
static inline bool node_crosses(const jg_array *x)
{
    return x->primitive == PRIMITIVE_copy && x->ninputs == 1 &&
           ((x->device ^ x->inputs[0]->device) & NODE_DEVICE) != 0;
}
/* The flags, which are set while the node is built. One that is shared gets or loses them only
 * under the locks of their setters; any thread that holds it sees at least what its builder
 * stored. */
static inline unsigned node_flags(const jg_array *x)
{
    return atomic_load_explicit(&x->flags, memory_order_relaxed);
}
/* Whether x lies in memory that is written in place. A view's own bits are as of when it was
 * built, so the root is asked. */
static inline bool node_is_place(const jg_array *x)
{
    return (node_flags(node_root(x)) & NODE_IS_PLACE) != 0;
}
/* Whether x depends on an argument of a traced function. Some nodes say so although the tracing
 * has ended. */
static inline bool node_is_traced(const jg_array *x)
{
    return (node_flags(x) & NODE_IS_TRACED) != 0;
}

/* Whether one of them does. */
static inline bool node_any_is_traced(int count, jg_array *const *arrays)
{
    bool traced = false;
    for (int i = 0; i < count; ++i)
        traced |= node_is_traced(arrays[i]);
    return traced;
}

/* Memory that no array has given yet: an argument of a function that is traced for later calls. */
static inline bool node_is_placeholder(const jg_array *x)
{
    return x->primitive == PRIMITIVE_leaf && node_state(x) == JG_ARRAY_UNSCHEDULED;
}

/* Whether x is a view of a node that is not computed yet. A view of memory is memory like any
 * other. */
static inline bool node_is_window(const jg_array *x)
{
    return x->primitive == PRIMITIVE_view && !node_has_storage(x);
}
void node_layout(const jg_array *x, jg_layout *out); /* offset and strides in elements */

/* One more reference to a node that another thread may be dropping the last of; under a lock that
 * keeps it from being freed: one that the thread must take before it frees the node. Relaxed, as
 * the lock orders what is read of it. gives: whether there was still a reference */
static inline bool node_try_retain(jg_array *node)
{
    int refs = atomic_load_explicit(&node->refs, memory_order_relaxed);
    while (refs > 0)
        if (atomic_compare_exchange_weak_explicit(&node->refs, &refs, refs + 1,
                                                  memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

/* Appends the node to a list of nodes, with a reference, unless its last one is being dropped;
 * under the same lock. raises: NOMEM, then the list is as before */
jg_status node_collect(jg_array *node, base_vec *out);

void reads_enter(jg_array *node); /* reads.c: for node_complete, and for a kept node */

/* Releases each; those that are NULL are skipped. raises: never */
void node_release_all(int count, jg_array *const *arrays);

/* The address of x's first element, or of the buffer's start if x is empty. The root of x must have
 * a buffer. */
device_place node_place(const jg_array *x);

/* The same as an address, of an x that is on the host. It is borrowed from x. */
void *node_address(const jg_array *x);

/* The role that this thread's next nodes have. gives: that of those before, to be set again */
node_role node_enter_role(node_role role);
node_role node_current_role(void);

/* A root without inputs and attributes, row-major, of the label's primitive, on the default device
 * until it has an input. gives: *out, +1 | raises: NOMEM. size is the product of shape. */
jg_status node_new(jg_op label, jg_dtype dtype, int ndim, const int64_t *shape, int64_t size,
                   jg_array **out);

/* The same on the device of its inputs, which has been opened: the bits of node->device that they
 * have in common. gives: *out, +1 | raises: NOMEM */
jg_status node_new_on(unsigned device, jg_op label, jg_dtype dtype, int ndim, const int64_t *shape,
                      int64_t size, jg_array **out);

/* Makes x an input of node, which keeps it. At most GRAPH_FEW_INPUTS. raises: never */
void node_add_input(jg_array *node, jg_array *x);

/* x on another device: a node there that copies x, or makes the same numbers. Of a castable dtype.
 * keeps: x | gives: *out, +1 | raises: NOMEM, UNSUPPORTED for more streams than there may be */
jg_status node_move(jg_array *x, int device, jg_array **out);

/* Copies the attributes of its primitive to a node that has none. raises: NOMEM */
jg_status node_set_attributes(jg_array *node, const primitive_attributes *attributes);

/* Makes the arrays the inputs of a node that has none. keeps: inputs | raises: NOMEM */
jg_status node_set_inputs(jg_array *node, int count, jg_array *const *inputs);

/* Ends the building of a root with inputs: dtype, parameters and inputs stay as they are from here
 * on. */
static inline void node_complete(jg_array *node)
{
    if (JG_UNLIKELY(node_flags(node) != 0))
        reads_enter(node);
}

/* A window onto x. keeps: x's root | gives: *out, +1 | raises: NOMEM */
jg_status node_view(jg_array *x, const jg_layout *layout, jg_array **out);

/* The same where the elements of x are seen as others of dtype, in whose units the layout is. Only
 * what has storage can be seen so: an index map has one kind of element.
 * keeps: x's root | gives: *out, +1 | raises: NOMEM */
jg_status node_view_as(jg_array *x, jg_dtype dtype, const jg_layout *layout, jg_array **out);

/* A root whose storage is there. takes: buffer (on JG_OK) | gives: *out, +1 | raises: NOMEM */
jg_status node_take_buffer(jg_buffer *buffer, jg_dtype dtype, const jg_layout *layout,
                           jg_array **out);

/* The storage that an evaluation made for root. takes: buffer, event (NULL if it is there
 * already) */
void node_take_storage(jg_array *root, jg_buffer *buffer, jg_event *event);

/* Puts the node on the list if this is its last reference; node_free_all frees the list. For
 * callers that release many nodes, some of which may hold chains of others. */
void node_drop(jg_array *node, list_link **dead);
void node_free_all(list_link *dead);

/* Gives node, which is deferred, the inputs and attributes that another one of its label has, which
 * is left without. */
void node_become(jg_array *node, jg_array *built);

/* Drops the inputs of a root that has its storage; those of a traced one only when no function
 * is being traced any more. */
void node_drop_inputs(jg_array *root);

/* Writes "float32 (2, 3) with strides (3, 1) on cpu:0" into the buffer. For messages.
 * gives: buffer */
enum { NODE_TEXT_SIZE = 240 };
const char *node_form_text(char buffer[NODE_TEXT_SIZE], const jg_array *x);

/* A node of the same label, dtype, shape and attributes with other inputs, of the same shapes as
 * those of node. It has node's role unless this thread's nodes have one. One of several results is
 * alone in its call.
 * keeps: inputs | gives: *out, +1 | raises: VALUE for inputs on two devices, NOMEM */
jg_status node_rebuild(const jg_array *node, jg_array *const *inputs, jg_array **out);

/* Results of one call with other inputs, shapes and attributes than nodes has: as siblings where
 * there are several, and alone in their call if one. nodes: their inputs are as many, and they are
 * of one primitive.
 * keeps: inputs | gives: out, count of them, +1 each | raises: VALUE for inputs on two devices, or
 * a size beyond int64; NOMEM */
typedef struct graph_result {
    jg_dtype dtype;
    int ndim;
    const int64_t *shape;
} graph_result;
jg_status node_rebuild_results(int count, jg_array *const *nodes, const graph_result *results,
                               jg_array *const *inputs, const primitive_attributes *attributes,
                               jg_array **out);

/* Another result of the call that node is a result of: the one that is alive, or one that is made
 * for it and computed with node, unless node has its storage. node's inputs must be there. kind:
 * what the result is. gives: *out, +1 | raises: NOMEM */
jg_status node_sibling(jg_array *node, int result, const graph_result *kind, jg_array **out);

/* verify.c: the checks of rewrites of the graph: batching, expanded calls, siblings. A check takes
 * a tenth of the time of such a rewrite, so it is made only in debug builds and if JOGGLE_VERIFY
 * asks for it, as in the tests. Evaluations of graphs that ops have built are not checked.
 * Each waits: never */

/* Whether rewrites are checked; written when the library is loaded alone. */
extern bool graph_verifies;
void graph_verify_if_asked(void); /* by the runtime, then */

/* Checks a root without storage: its size is that of its shape, its inputs are on its device, and
 * for elementwise ops and reductions, shape and dtype are those that the op's row gives for the
 * inputs. raises: INTERNAL, what the rule of the row raises */
jg_status node_verify(const jg_array *node);

/* Checks built, and that it may give its inputs to node (node_become).
 * raises: INTERNAL, what the rule of the row raises */
jg_status node_verify_becomes(const jg_array *node, const jg_array *built);

/* Checks that the nodes are different results of one call. raises: INTERNAL */
jg_status node_verify_siblings(int count, jg_array *const *nodes);

#endif
