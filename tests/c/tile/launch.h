/* SPDX-License-Identifier: Apache-2.0 */
/* One launch under test: a program, a space, memory for its buffers, and a comparison of what
 * the tile executor and the reference write, over every byte of that memory. */
#ifndef TILE_LAUNCH_H
#define TILE_LAUNCH_H

#include "samples.h"
#include "tile/tile.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct launch {
    jg_program program;
    program_space *space;
    jg_scalar scalars[PROGRAM_MAX_SCALARS];
    char *memory[PROGRAM_MAX_BUFFERS]; /* NULL for index buffers */
    char *copies[PROGRAM_MAX_BUFFERS]; /* what the reference writes into */
    size_t nbytes[PROGRAM_MAX_BUFFERS];
    void *addresses[PROGRAM_MAX_BUFFERS], *copy_addresses[PROGRAM_MAX_BUFFERS];
    _Alignas(64) char shared[1 << 20];
} launch;

static inline void must(jg_status status)
{
    if (status != JG_OK)
        fail_msg("%s", jg_error_message());
}

/* strides in elements (in steps for an index), buffer by buffer. */
static inline void launch_space(launch *l, int ndim, int nreduced, const int64_t *extents,
                                const int64_t *strides)
{
    int nbuffers = l->program.nbuffers;
    l->space = malloc(sizeof *l->space + (size_t)(nbuffers * ndim) * sizeof(int64_t));
    *l->space = (program_space){.ndim = ndim, .nreduced = nreduced, .nbuffers = nbuffers};
    memcpy(l->space->extents, extents, (size_t)ndim * sizeof *extents);
    for (int b = 0; b < nbuffers; ++b) {
        bool is_index = l->program.buffers[b].role == PROGRAM_ROLE_INDEX;
        int64_t unit =
            is_index ? 1 : (int64_t)dtype_itemsize((jg_dtype)l->program.buffers[b].dtype);
        for (int d = 0; d < ndim; ++d)
            l->space->strides[b * ndim + d] = strides[b * ndim + d] * unit;
    }
}

/* Memory that just holds what the buffer reaches; address is that of the element at index zero. */
static inline char *alloc_block(const launch *l, int buffer, size_t *nbytes, void **address)
{
    const program_space *space = l->space;
    int64_t low = 0, high = 0;
    for (int d = 0; d < space->ndim; ++d) {
        int64_t last = space->strides[buffer * space->ndim + d] * (space->extents[d] - 1);
        *(last < 0 ? &low : &high) += space->extents[d] > 0 ? last : 0;
    }
    *nbytes = (size_t)(high - low) + dtype_itemsize((jg_dtype)l->program.buffers[buffer].dtype);
    char *block = malloc(*nbytes);
    *address = block - low;
    return block;
}

enum { UNWRITTEN = 0x55 }; /* each byte of memory that a program writes, before it does */

static inline void launch_alloc(launch *l, uint64_t seed, bool whole_numbers)
{
    for (int b = 0; b < l->program.nbuffers; ++b) {
        const program_buffer *buffer = &l->program.buffers[b];
        l->memory[b] = l->copies[b] = NULL;
        if (buffer->role == PROGRAM_ROLE_INDEX) {
            l->addresses[b] = l->copy_addresses[b] = (void *)(intptr_t)(b * 3 + 1);
            continue;
        }
        l->memory[b] = alloc_block(l, b, &l->nbytes[b], &l->addresses[b]);
        l->copies[b] = alloc_block(l, b, &l->nbytes[b], &l->copy_addresses[b]);
        size_t itemsize = dtype_itemsize((jg_dtype)buffer->dtype);
        int64_t count = (int64_t)(l->nbytes[b] / itemsize);
        memset(l->memory[b], UNWRITTEN, l->nbytes[b]);
        if (buffer->role == PROGRAM_ROLE_READ)
            fill_samples(l->memory[b], (jg_dtype)buffer->dtype, count, seed + (uint64_t)b);
        for (int64_t i = 0; whole_numbers && i < count; ++i) {
            uint64_t bits = seed * 31 + (uint64_t)i * 0x9e3779b97f4a7c15u;
            value x = {(int64_t)(bits >> 60), (double)(bits >> 60) - 8, (double)(bits >> 61)};
            if (buffer->role == PROGRAM_ROLE_READ)
                store_value(l->memory[b] + (size_t)i * itemsize, x, (jg_dtype)buffer->dtype);
        }
        memcpy(l->copies[b], l->memory[b], l->nbytes[b]);
    }
    for (int s = 0; s < l->program.nscalars; ++s) {
        jg_dtype dtype = (jg_dtype)l->program.scalars[s];
        fill_samples(&l->scalars[s], dtype, 1, seed + 100 + (uint64_t)s);
        if (whole_numbers)
            store_value(&l->scalars[s], (value){s + 2, s - 3, s}, dtype);
    }
}

static inline void forget_results(launch *l)
{
    for (int b = 0; b < l->program.nbuffers; ++b)
        if (l->program.buffers[b].role == PROGRAM_ROLE_WRITE)
            memset(l->memory[b], UNWRITTEN, l->nbytes[b]);
}

/* Units in several calls, from the last to the first. */
static inline void launch_tile(launch *l, bool simplify)
{
    executor_code *code;
    program_space *space = l->space;
    jg_program program = l->program;
    size_t nbytes = sizeof *space + (size_t)(space->nbuffers * space->ndim) * sizeof(int64_t);
    program_space *own = malloc(nbytes);
    memcpy(own, space, nbytes);
    if (simplify) {
        (void)program_merge(&program);
        (void)program_simplify(&program);
        must(program_space_simplify(own, &program));
    }
    must(program_verify(&program));
    must(tile_executor.prepare(&program, own, &code));
    free(own);
    size_t promised = tile_executor.shared_nbytes(code);
    promised = promised > 0 ? promised : EXECUTOR_SHARED_NBYTES;
    assert_true(promised < sizeof l->shared);
    memset(l->shared, UNWRITTEN, sizeof l->shared);
    int64_t units = tile_executor.units(code), step = units / 3 + 1;
    for (int64_t last = units; last > 0; last -= step)
        tile_executor.run(code, l->addresses, l->scalars, l->shared, last > step ? last - step : 0,
                          last);
    tile_executor.finish(code, l->addresses, l->scalars, l->shared);
    tile_executor.release(code);
    for (size_t i = promised; i < sizeof l->shared; ++i)
        if (l->shared[i] != UNWRITTEN)
            fail_msg("byte %zu of shared memory is written, promised are %zu", i, promised);
}

static inline void print_launch(const launch *l)
{
    base_text text = {0};
    program_print(&l->program, &text);
    for (int d = 0; d < l->space->ndim; ++d)
        text_add(&text, "loop of %ld%s\n", (long)l->space->extents[d],
                 d >= l->space->ndim - l->space->nreduced ? ", reduced" : "");
    for (int b = 0; b < l->space->nbuffers; ++b)
        for (int d = 0; d < l->space->ndim; ++d)
            text_add(&text, "b%d stride %ld\n", b, (long)l->space->strides[b * l->space->ndim + d]);
    fprintf(stderr, "%.*s", (int)text.bytes.nbytes, text.bytes.data);
    text_clear(&text);
}

static inline void launch_compare(const launch *l, double ulps)
{
    for (int b = 0; b < l->program.nbuffers; ++b) {
        jg_dtype dtype = (jg_dtype)l->program.buffers[b].dtype;
        if (l->program.buffers[b].role != PROGRAM_ROLE_WRITE ||
            memcmp(l->memory[b], l->copies[b], l->nbytes[b]) == 0)
            continue;
        size_t itemsize = dtype_itemsize(dtype);
        for (size_t i = 0; i < l->nbytes[b] / itemsize; ++i) {
            const char *got = l->memory[b] + i * itemsize, *wanted = l->copies[b] + i * itemsize;
            if (memcmp(got, wanted, itemsize) == 0 || elements_agree(got, wanted, dtype, ulps))
                continue;
            print_launch(l);
            value g = load_value(got, dtype), w = load_value(wanted, dtype);
            fail_msg("b%d, element %zu: got %g %g %ld, wanted %g %g %ld", b, i, g.re, g.im,
                     (long)g.i, w.re, w.im, (long)w.i);
        }
    }
}

static inline void launch_free(launch *l)
{
    for (int b = 0; b < l->program.nbuffers; ++b) {
        free(l->memory[b]);
        free(l->copies[b]);
    }
    free(l->space);
}

/* Everything but building the program and the space. */
static inline void launch_check(launch *l, uint64_t seed, bool whole_numbers, double ulps)
{
    launch_alloc(l, seed, whole_numbers);
    reference_run(&l->program, l->space, l->copy_addresses, l->scalars);
    for (int simplify = 0; simplify < 2; ++simplify) {
        forget_results(l);
        launch_tile(l, simplify != 0);
        launch_compare(l, ulps);
    }
    for (int b = 0; b < l->program.nbuffers; ++b) {
        free(l->memory[b]);
        free(l->copies[b]);
        l->memory[b] = l->copies[b] = NULL;
    }
}

static inline int load_of(launch *l, jg_dtype dtype)
{
    int buffer, result;
    must(program_add_buffer(&l->program, PROGRAM_ROLE_READ, dtype, &buffer));
    must(program_load(&l->program, buffer, &result));
    return result;
}

static inline int index_of(launch *l)
{
    int buffer, result;
    must(program_add_buffer(&l->program, PROGRAM_ROLE_INDEX, JG_DTYPE_INT64, &buffer));
    must(program_index(&l->program, buffer, &result));
    return result;
}

static inline int scalar_of(launch *l, jg_dtype dtype)
{
    int scalar, result;
    must(program_add_scalar(&l->program, dtype, &scalar));
    must(program_scalar(&l->program, scalar, &result));
    return result;
}

static inline int apply_to(launch *l, program_op op, int x, int y, int z)
{
    int result, operands[] = {x, y, z};
    must(program_apply(&l->program, op, program_inst_rows[op].arity, operands, &result));
    return result;
}

static inline int cast_of(launch *l, int x, jg_dtype to)
{
    int result;
    must(program_cast(&l->program, x, to, &result));
    return result;
}

/* Once a row if that is possible. */
static inline void store_of(launch *l, int x)
{
    uint8_t ranks[PROGRAM_MAX_INSTS];
    int buffer;
    for (int p = 0; p < l->program.ninsts; ++p)
        ranks[p] = (uint8_t)program_rank_of(&l->program, p, ranks);
    must(program_add_buffer(&l->program, PROGRAM_ROLE_WRITE, program_type_of(&l->program, x),
                            &buffer));
    l->program.buffers[buffer].per_row = l->program.reduces && ranks[x] != RANK_ELEMENT;
    must(program_store(&l->program, x, buffer));
}

#endif
