/* SPDX-License-Identifier: Apache-2.0 */
/* Moving elements by their bytes alone: runs of evenly spaced items, and stretches of an operand in
 * row-major order, to dense memory. */
#include "routine/routine.h"
#include <string.h>

/* Items may lie at any address. */
#define COPY_ITEMS(T)                                                                              \
    for (int64_t i = 0; i < count; ++i) {                                                          \
        T item;                                                                                    \
        memcpy(&item, source + i * step, sizeof item);                                             \
        memcpy(target + i * (int64_t)sizeof item, &item, sizeof item);                             \
    }

#define FILL_ITEMS(T)                                                                              \
    {                                                                                              \
        T item;                                                                                    \
        memcpy(&item, source, sizeof item);                                                        \
        for (int64_t i = 0; i < count; ++i)                                                        \
            memcpy(target + i * (int64_t)sizeof item, &item, sizeof item);                         \
    }

static void fill_run(char *target, const char *source, int64_t count, size_t nbytes)
{
    switch (nbytes) {
    case 1: memset(target, *source, (size_t)count); break;
    case 2: FILL_ITEMS(uint16_t) break;
    case 4: FILL_ITEMS(uint32_t) break;
    case 8: FILL_ITEMS(uint64_t) break;
    case 16: FILL_ITEMS(routine_word128) break;
    default:
        for (int64_t i = 0; i < count; ++i)
            memcpy(target + i * (int64_t)nbytes, source, nbytes);
    }
}

/* If the target's offset in its page is slightly larger than the source's, loads seem to depend on
 * the stores just before them, and the string instructions that memcpy uses for long copies become
 * ten times slower. Short copies do not use these instructions. */
static void copy_dense(char *to, const char *from, size_t nbytes)
{
    enum { PAGE = 4096, NEAR = 1024, SHORT = 1024 };
    size_t ahead = ((uintptr_t)to - (uintptr_t)from) % PAGE;
    if (ahead == 0 || ahead >= NEAR) {
        memcpy(to, from, nbytes);
        return;
    }
    for (; nbytes > SHORT; to += SHORT, from += SHORT, nbytes -= SHORT)
        memcpy(to, from, SHORT);
    memcpy(to, from, nbytes);
}

/* step may be negative. */
void routine_copy_run(void *to, const void *from, int64_t count, int64_t step, size_t nbytes)
{
    const char *source = from;
    char *target = to;
    if (step == (int64_t)nbytes) {
        copy_dense(target, source, (size_t)count * nbytes);
        return;
    }
    if (step == 0) {
        fill_run(target, source, count, nbytes);
        return;
    }
    switch (nbytes) {
    case 1: COPY_ITEMS(uint8_t) break;
    case 2: COPY_ITEMS(uint16_t) break;
    case 4: COPY_ITEMS(uint32_t) break;
    case 8: COPY_ITEMS(uint64_t) break;
    case 16: COPY_ITEMS(routine_word128) break;
    default:
        for (int64_t i = 0; i < count; ++i)
            memcpy(target + i * (int64_t)nbytes, source + i * step, nbytes);
    }
}

#define SPREAD_ITEMS(T)                                                                            \
    for (int64_t i = 0; i < count; ++i) {                                                          \
        T item;                                                                                    \
        memcpy(&item, source + i * (int64_t)sizeof item, sizeof item);                             \
        memcpy(target + i * step, &item, sizeof item);                                             \
    }

/* A copy of a few words, the last of which may overlap the one before: a call of memcpy with a size
 * that only the run knows takes longer than they do. */
#define COPY_WORDS(T)                                                                              \
    {                                                                                              \
        T word;                                                                                    \
        for (size_t k = 0; k + sizeof word < nbytes; k += sizeof word) {                           \
            memcpy(&word, from + k, sizeof word);                                                  \
            memcpy(to + k, &word, sizeof word);                                                    \
        }                                                                                          \
        memcpy(&word, from + nbytes - sizeof word, sizeof word);                                   \
        memcpy(to + nbytes - sizeof word, &word, sizeof word);                                     \
    }

static void copy_item(char *to, const char *from, size_t nbytes)
{
    enum { LONG = 128 };
    if (nbytes > LONG)
        memcpy(to, from, nbytes);
    else if (nbytes >= sizeof(routine_word128))
        COPY_WORDS(routine_word128)
    else if (nbytes >= sizeof(uint64_t))
        COPY_WORDS(uint64_t)
    else if (nbytes >= sizeof(uint32_t))
        COPY_WORDS(uint32_t)
    else
        for (size_t k = 0; k < nbytes; ++k)
            to[k] = from[k];
}

void routine_spread_run(void *to, const void *from, int64_t count, int64_t step, size_t nbytes)
{
    const char *source = from;
    char *target = to;
    switch (nbytes) {
    case 1: SPREAD_ITEMS(uint8_t) break;
    case 2: SPREAD_ITEMS(uint16_t) break;
    case 4: SPREAD_ITEMS(uint32_t) break;
    case 8: SPREAD_ITEMS(uint64_t) break;
    case 16: SPREAD_ITEMS(routine_word128) break;
    default:
        for (int64_t i = 0; i < count; ++i)
            copy_item(target + i * step, source + i * (int64_t)nbytes, nbytes);
    }
}

typedef uint8_t bytes __attribute__((vector_size(16)));
typedef uint16_t halves __attribute__((vector_size(16)));
typedef uint32_t words __attribute__((vector_size(16)));
typedef uint64_t doubles __attribute__((vector_size(16)));

#define LOW_bytes 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_bytes 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define LOW_halves 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_halves 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_words 0, 4, 1, 5
#define HIGH_words 2, 6, 3, 7
#define LOW_doubles 0, 2
#define HIGH_doubles 1, 3

/* Whole vectors of items, then those that are left. */
#define PAIR_ITEMS(T)                                                                              \
    for (; count >= (int64_t)(sizeof(T) / nbytes); count -= (int64_t)(sizeof(T) / nbytes)) {       \
        T x, y, low, high;                                                                         \
        memcpy(&x, a, sizeof x);                                                                   \
        memcpy(&y, b, sizeof y);                                                                   \
        low = __builtin_shufflevector(x, y, LOW_##T);                                              \
        high = __builtin_shufflevector(x, y, HIGH_##T);                                            \
        memcpy(target, &low, sizeof low);                                                          \
        memcpy(target + sizeof low, &high, sizeof high);                                           \
        a = (const char *)a + sizeof x;                                                            \
        b = (const char *)b + sizeof y;                                                            \
        target += 2 * sizeof x;                                                                    \
    }

void routine_pair_run(void *to, const void *a, const void *b, int64_t count, size_t nbytes)
{
    char *target = to;
    switch (nbytes) {
    case 1: PAIR_ITEMS(bytes) break;
    case 2: PAIR_ITEMS(halves) break;
    case 4: PAIR_ITEMS(words) break;
    default: PAIR_ITEMS(doubles) break;
    }
    routine_spread_run(target, a, count, 2 * (int64_t)nbytes, nbytes);
    routine_spread_run(target + nbytes, b, count, 2 * (int64_t)nbytes, nbytes);
}

/* An operand's axes with those of extent 1 left out and those joined that are walked as one. */
typedef struct walk {
    int ndim;
    int64_t extents[JG_MAX_NDIM], strides[JG_MAX_NDIM], index[JG_MAX_NDIM];
} walk;

/* At least one axis, also of an operand without any. */
static void join_axes(const routine_operand *x, walk *out)
{
    int count = 0;
    for (int i = 0; i < x->ndim; ++i) {
        int64_t extent = x->shape[i], stride = x->strides[i];
        if (extent == 1)
            continue;
        if (count > 0 && out->strides[count - 1] == stride * extent) {
            out->extents[count - 1] *= extent;
            out->strides[count - 1] = stride;
            continue;
        }
        out->extents[count] = extent;
        out->strides[count++] = stride;
    }
    if (count == 0) {
        out->extents[0] = 1;
        out->strides[count++] = 1;
    }
    out->ndim = count;
}

/* Puts the walk at an element counted in row-major order. gives: where it lies */
static int64_t seek(walk *at, int64_t position)
{
    int64_t offset = 0;
    for (int i = at->ndim - 1; i >= 0; --i) {
        at->index[i] = position % at->extents[i];
        offset += at->index[i] * at->strides[i];
        position /= at->extents[i];
    }
    return offset;
}

/* From the end of a row, index[last] being past it, to the start of the next. gives: how far */
static int64_t next_row(walk *at)
{
    int axis = at->ndim - 1;
    int64_t offset = 0;
    while (axis > 0 && at->index[axis] == at->extents[axis]) {
        offset += at->strides[axis - 1] - at->extents[axis] * at->strides[axis];
        at->index[axis] = 0;
        at->index[--axis] += 1;
    }
    return offset;
}

/* The walk is set up again in each call: callers copy stretches that are worth it. */
void routine_copy_range(const routine_operand *x, const void *address, int64_t first, int64_t last,
                        void *to)
{
    size_t nbytes = dtype_itemsize(x->dtype);
    int64_t size = (int64_t)nbytes;
    walk at;
    if (first >= last)
        return;
    join_axes(x, &at);
    int inner = at.ndim - 1;
    const char *source = (const char *)address + seek(&at, first) * size;
    char *target = to;
    while (first < last) {
        int64_t count = at.extents[inner] - at.index[inner];
        count = int64_min(count, last - first);
        routine_copy_run(target, source, count, at.strides[inner] * size, nbytes);
        at.index[inner] += count;
        source += (count * at.strides[inner] + next_row(&at)) * size;
        target += count * size;
        first += count;
    }
}
