/* SPDX-License-Identifier: Apache-2.0 */
/* Places, memory that is written while arrays hold it: the pending nodes whose values depend on
 * them (reads.c), and the copies of places for traced nodes, before the places are written
 * (versions.c). A part of graph.h: include graph.h, not this file. */
#ifndef JG_GRAPH_PLACES_H
#define JG_GRAPH_PLACES_H

/* Makes the memory of a leaf that has just been made a place: before the memory is written, pending
 * readers are evaluated (run_before_write). */
void node_make_place(jg_array *leaf);

/* The pending nodes that are listed and have none of those flags. out: jg_array *, +1 each,
 * also those taken before a failure | raises: NOMEM */
jg_status reads_collect(unsigned without, base_vec *out);

/* When a listed node gets storage, drops its inputs or dies; inputs are still there. */
void reads_leave(jg_array *node);
void reads_install_hooks(void); /* before there are threads, after memory_install_hooks */

/* A place that is written, and the node_version that replaces it in nodes. */
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

#endif
