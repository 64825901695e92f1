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

#define GRAPH_FEW_INPUTS 3  /* of elementwise ops at most; routines may have more */
#define GRAPH_MAX_RESULTS 7 /* of a routine; three bits of a node */

/* The flags of a node, in one byte, so that ops ask one question: without any it is a value that
 * nobody has to be told of. First what it has to do with places, memory that is written while
 * arrays hold it. */
#define NODE_IS_PLACE (1u << 0)    /* its storage is one; also of views onto one */
#define NODE_READS_PLACE (1u << 1) /* it may depend on one and have no storage; also of its views */
#define NODE_IS_LISTED (1u << 2)   /* reads.c counts it as a reader of its inputs that are places */

/* What it has to do with traced functions. */
#define NODE_IS_TRACED (1u << 3)    /* it depends on a traced argument; also of views onto it */
#define NODE_KEEPS_INPUTS (1u << 4) /* it has storage and still its inputs: on traced.c's list */

/* It is a result of a function that has rules of its own, and its call is in its attributes. */
#define NODE_IS_CUSTOM (1u << 5)

/* It is a result of a call of a recorded function whose nodes are not built yet: it has no inputs,
 * and in its attributes the call. */
#define NODE_IS_DEFERRED (1u << 6)

/* It depends on a placeholder, so it is never evaluated; also of views onto it. */
#define NODE_READS_PLACEHOLDER (1u << 7)

#define NODE_HEIGHTS 0x3fffffffu /* what a height may be */

/* A node's device. What is made of numbers, ranges and lists alone was never asked for on a device:
 * it goes to whichever it meets in an op. */
#define NODE_DEVICE 0x7fu   /* the bits of the number */
#define NODE_ANYWHERE 0x80u /* of a node whose inputs all have it, and of those without inputs */
_Static_assert(DEVICE_MAX <= NODE_DEVICE, "a number fits");

typedef struct node_family node_family;

/* What a transformation made a node for. It changes nothing that is computed: explain, traces and
 * drawings tell it. */
typedef enum node_role { NODE_VALUE, NODE_TANGENT, NODE_COTANGENT, NODE_RECOMPUTED } node_role;

/* The attributes that lie in the node itself: those of primitives that make programs, and of others
 * that need no more bytes. */
#define NODE_FEW_BYTES 32

/* A call of a function that has rules of its own. Its results are nodes of the primitive custom:
 * copies of the values that the function gave. How such a node depends on the call's inputs the
 * rules say, so for transformations its inputs are those of the call. */
typedef struct custom_call {
    atomic_int refs;
    int ninputs, noutputs;
    int nfree;          /* inputs that are not kept in memory for the call's sake: the first ones */
    uint64_t mark;      /* the epoch of the last walk or tape that met it */
    uint32_t slot;      /* of that one */
    jg_buffer *rules;   /* +1: what transform made; its context */
    jg_array *arrays[]; /* inputs, then values, +1 each */
} custom_call;

typedef struct custom_result {
    custom_call *call; /* +1 */
    int number;
} custom_result;

typedef struct deferred_call deferred_call; /* deferred.h */
typedef struct deferred_result {
    deferred_call *call; /* +1 */
    int number;
} deferred_result;

typedef union node_attributes {
    custom_result custom;     /* of a node with NODE_IS_CUSTOM */
    deferred_result deferred; /* of one with NODE_IS_DEFERRED */
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
    jg_array *next;              /* on one list: free, to be freed, of reads.c, or of traced.c */
    jg_array *previous;          /* on the last two */
    node_attributes attributes;
    struct node_family *family; /* where nresults is not 0: siblings.c; NULL with storage */
    /* Strides are in elements, as is the offset; those of extents 1 and of empty arrays are as of a
     * dense array (node.c). */
    int64_t dims[]; /* ndim extents, then ndim strides */
};

static inline const int64_t *node_shape(const jg_array *x)
{
    return x->dims;
}
static inline const int64_t *node_strides(const jg_array *x)
{
    return x->dims + x->ndim;
}
/* What x is asked for. Only the member of its primitive's name may be read. */
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
/* The node whose storage x lies in. */
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
/* The flags, which are set while the node is built. One that is shared gets or loses them only
 * under the locks of who sets them; any thread that holds it sees at least what its builder
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

/* Whether x is a view of what is still to be computed. Of what is there a view is memory like any
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

/* Puts the node at the front of a list, or takes it off: those of reads.c and traced.c, which next
 * and previous link. The list's lock is held. raises: never */
void node_list_add(jg_array **first, jg_array *node);
void node_list_remove(jg_array **first, jg_array *node);

void reads_enter(jg_array *node); /* reads.c: for node_complete, and for a kept node */

/* Releases each; those that are NULL are skipped. raises: never */
void node_release_all(int count, jg_array *const *arrays);

/* Where x's first element lies; its root must have a buffer. Of an empty x the buffer's start. */
device_place node_place(const jg_array *x);

/* The same as an address, of an x that is on the host. */
void *node_address(const jg_array *x);

/* node.c: making and freeing */

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

/* Puts the node on the list if this is its last reference; frees what is on it. For who lets go of
 * many nodes, some of which may hold chains of others. */
void node_drop(jg_array *node, jg_array **dead);
void node_free_all(jg_array *dead);

/* Gives node, which is deferred, the inputs and attributes that another one of its label has, which
 * is left without. */
void node_become(jg_array *node, jg_array *built);

/* Drops the inputs of a root that has its storage; those of a traced one only when no function
 * is being traced any more. */
void node_drop_inputs(jg_array *root);

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
 * for it and computed with node, unless node has its storage. node's inputs must be there. as: what
 * the result is. gives: *out, +1 | raises: NOMEM */
jg_status node_sibling(jg_array *node, int result, const graph_result *as, jg_array **out);

/* reads.c: pending nodes whose values depend on places */

/* Makes the memory of a leaf that has just been made a place: before the memory is written, pending
 * readers are evaluated (run_before_write). */
void node_make_place(jg_array *leaf);

/* The pending nodes that are listed and have none of those flags. out: jg_array *, +1 each,
 * also those taken before a failure | raises: NOMEM */
jg_status reads_collect(unsigned without, base_vec *out);

/* When a listed node gets storage, drops its inputs or dies; inputs are still there. */
void reads_leave(jg_array *node);
void reads_install_hooks(void); /* before there are threads, after memory_install_hooks */

/* versions.c: what traced nodes read of places that are about to be written */

/* An array over a place, and what the nodes get instead: a node_version of it. */
typedef struct place_version {
    jg_array *place, *version; /* +1 each; version: NULL as long as it is not made */
} place_version;

/* Whether x's elements lie between the addresses; false if x is not on the host. */
bool node_overlaps(const jg_array *x, const void *low, const void *high);

/* Appends the arrays over places between the addresses that traced nodes and their calls have as
 * inputs. The evaluation lock must be held.
 * out: place_version, for versions_clear, also those found before a failure | raises: NOMEM */
jg_status versions_find(const void *low, const void *high, base_vec *out);

/* Makes the versions the inputs of those nodes and calls. The evaluation lock must be held.
 * raises: NOMEM, then nothing is changed */
jg_status versions_take(const base_vec *versions);
void versions_clear(base_vec *versions);

/* custom.c: functions that have rules of their own */

/* A call, without results so far. rules: a buffer of no bytes, whose context is for transform and
 * whose release function drops it. keeps: rules, inputs, values | gives: *out, +1 | raises:
 * NOMEM */
jg_status graph_custom_call_new(jg_buffer *rules, int ninputs, int nfree, jg_array *const *inputs,
                                int noutputs, jg_array *const *values, custom_call **out);
void graph_custom_call_release(custom_call *call);

/* Result `number` of the call. gives: *out, +1 | raises: NOMEM */
jg_status graph_custom_call_result(custom_call *call, int number, jg_array **out);

/* Makes a node that has a call a copy like others. The evaluation lock must be held. */
void node_forget_call(jg_array *node);

/* NULL for other nodes, and for those that have dropped their inputs. */
static inline custom_call *node_custom_call(const jg_array *x)
{
    bool is = node_flags(x) & NODE_IS_CUSTOM;
    return is ? x->attributes.custom.call : NULL;
}

/* siblings.c: results of one call */

/* Makes nodes that are not complete results 0 to count - 1 of one call; NULL for one that there is
 * not. They do not hold each other, and do not find each other before the end, as each may be
 * evaluated by another thread once it is complete. gives: *out, for siblings_end | raises: NOMEM */
jg_status siblings_begin(int count, jg_array *const *results, node_family **out);
void siblings_end(node_family *family);

/* The same for nodes that were built again, of the results that they say they are.
 * raises: NOMEM */
jg_status siblings_join(int count, jg_array *const *nodes);

/* The sibling of that number that is alive. gives: it, +1, or NULL */
jg_array *siblings_find(jg_array *node, unsigned result);

/* Makes a complete node that is alone one of node's call, unless node has storage or another is
 * that result already. raises: NOMEM */
jg_status siblings_add(jg_array *node, jg_array *made);

void siblings_leave(jg_array *node); /* when one of several results gets storage or dies */

/* Appends node's siblings that are alive and not marked `but`. The evaluation lock must be held.
 * out: jg_array *, +1 each, also those taken before a failure | raises: NOMEM */
jg_status siblings_collect(jg_array *node, uint64_t but, base_vec *out);
void siblings_install_hooks(void); /* as reads_install_hooks */

/* call.c: around every public op */

/* Leaves an op's function whose argument must not be NULL but is. Reads nothing of it. */
#define GRAPH_NEEDS(op, argument)                                                                  \
    do {                                                                                           \
        if (JG_UNLIKELY((argument) == NULL))                                                       \
            return graph_refuse_null(JG_OP_##op, #argument);                                       \
    } while (0)

/* The failure of an op whose argument is NULL. raises: VALUE, always */
JG_COLD jg_status graph_refuse_null(jg_op op, const char *argument);

/* Refuses a list of count arrays, and one in it, that is NULL. The second is for functions that are
 * no ops; name: of the argument. raises: VALUE */
jg_status graph_check_list(jg_op op, const char *argument, int count, jg_array *const *arrays);
jg_status graph_check_arrays(const char *name, int count, jg_array *const *arrays);

/* The op of that name was called and has failed: the thread's message gets the op's name instead of
 * the name in it, unless it tells of an evaluation. operands: those that the op's type rule is for,
 * in its order; without any the rule is not asked.
 * raises: status, always */
JG_COLD jg_status graph_call_failed(jg_op op, jg_status status, int count,
                                    jg_array *const *operands);

/* apply.c: from ops to nodes */

/* An elementwise op: resolves dtypes, broadcasts shapes.
 * keeps: inputs | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
jg_status graph_unary(jg_op op, jg_array *x, jg_array **out);
jg_status graph_binary(jg_op op, jg_array *x1, jg_array *x2, jg_array **out);
jg_status graph_ternary(jg_op op, jg_array *condition, jg_array *x1, jg_array *x2, jg_array **out);
/* Any elementwise op, of one to three inputs. dtype: of the result where the op leaves it to the
 * caller, else NULL. */
jg_status graph_elementwise(jg_op op, int count, jg_array *const *inputs, const jg_dtype *dtype,
                            jg_array **out);
jg_status graph_cast(jg_array *x, jg_dtype dtype,
                     jg_array **out); /* x itself if it has the dtype */
/* x in memory of its own, for ops that change nothing of it: memory that was imported may be
 * written by its owner, and a result must not see that. Of a dtype that is stored only, x itself.
 * keeps: x | gives: *out, +1 | raises: NOMEM */
jg_status graph_same(jg_array *x, jg_array **out);
/* Reduces over the axes, which count from the end where they are negative; naxes < 0: over all.
 * keeps: x | gives: *out, +1 | raises: TYPE, VALUE for an axis, or an extremum over nothing;
 * NOMEM */
jg_status graph_reduce(jg_op op, jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                       jg_array **out);
/* The same with x cast first to the dtype that the result has; NULL: as graph_reduce. */
jg_status graph_accumulate(jg_op op, jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                           const jg_dtype *dtype, jg_array **out);

/* What a routine computes from the inputs: a root of that dtype and shape, with the label's
 * primitive. attributes: those of the primitive, copied; NULL where it has none.
 * keeps: inputs | gives: *out, +1 | raises: VALUE for a size beyond int64, NOMEM */
jg_status graph_routine(jg_op label, jg_dtype dtype, int ndim, const int64_t *shape, int ninputs,
                        jg_array *const *inputs, const primitive_attributes *attributes,
                        jg_array **out);

/* The same for a routine with several results: each is a root of its own. Those that are held when
 * one of them is evaluated are computed with it, by one run of the routine.
 * keeps: inputs | gives: out, count of them, +1 each | raises: as above */
jg_status graph_routine_results(jg_op label, int count, const graph_result *results, int ninputs,
                                jg_array *const *inputs, const primitive_attributes *attributes,
                                jg_array **out);

/* x itself if it is row-major, else a copy that is. gives: *out, +1 | raises: NOMEM */
jg_status graph_contiguous(jg_array *x, jg_array **out);

/* join.c */

/* Whether an op may have the inputs, of which there is one at least, as they are.
 * gives: *device, for node_new_on, if it may */
static inline bool graph_is_on_one_device(int count, jg_array *const *inputs, unsigned *device)
{
    unsigned common = inputs[0]->device, differences = 0;
    for (int i = 1; i < count; ++i) {
        differences |= inputs[i]->device ^ inputs[0]->device;
        common &= inputs[i]->device;
    }
    *device = common;
    return (differences & NODE_DEVICE) == 0;
}

/* The inputs of an op on one device: that of those which have been asked for somewhere and are more
 * than a number; the others are moved. label: for messages
 * gives: joined, count of them, +1 each | raises: VALUE where such are on two devices, TYPE for one
 * to be moved that is stored only, NOMEM */
jg_status graph_join(jg_op label, int count, jg_array *const *inputs, jg_array **joined);

/* x on the device, x itself if it is there. keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
jg_status graph_to_device(jg_array *x, int device, jg_array **out);

/* create.c */

/* jg_full on the device that `like` is on: a result that is known without reading it.
 * gives: *out, +1 | raises: as jg_full */
jg_status graph_full_beside(const jg_array *like, jg_dtype dtype, int ndim, const int64_t *shape,
                            jg_number value, jg_array **out);

/* jg_array_from_data of what an op adds to its inputs: it goes to the device that they are on.
 * keeps: nothing | gives: *out, +1 | raises: as jg_array_from_data */
jg_status graph_from_data(const void *data, jg_dtype dtype, int ndim, const int64_t *shape,
                          jg_array **out);

/* jg_empty on a device. gives: *out, +1 | raises: as jg_empty */
jg_status graph_empty(jg_device *device, jg_dtype dtype, int ndim, const int64_t *shape,
                      jg_array **out);

/* The number in the bytes of a computable dtype, zeros behind them. Floats are rounded to floats
 * and truncated to integers. gives: *out | raises: VALUE for one that it cannot hold, TYPE for
 * complex into a real dtype */
jg_status graph_number_store(const jg_number *value, jg_dtype dtype, jg_scalar *out);

#include "graph/walk.h"

#include "graph/deferred.h"
#include "graph/groups.h"
#include "graph/traced.h"

#endif
