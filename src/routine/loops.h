/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: the loops of the routines, one table of them for each instruction set. The
 * files *_loops.c are compiled once for each, with ROUTINE_ISA set to its name; isa.c
 * chooses among them. Their results do not depend on it, but for the last bits of convolutions and
 * of products with quantised matrices, which use fused multiply-adds where the set has them. */
#ifndef JG_ROUTINE_LOOPS_H
#define JG_ROUTINE_LOOPS_H

#include "routine/attention/attention.h"
#include "routine/index/indices.h"
#include "routine/quantized/quantized.h"
#include <joggle/array.h>

enum { CUMULATIVE_MAX_LINES = 8 };

/* Lines that are summed together (or their running extrema taken). Steps are in elements. */
typedef struct cumulative_run {
    const void *from[CUMULATIVE_MAX_LINES];
    void *to[CUMULATIVE_MAX_LINES];
    int64_t lines, count; /* how many lines, how many elements of each */
    int64_t from_step, to_step;
    int64_t line_step; /* across: bytes from the start of a line to the next, in the input */
    void *states;      /* of each line */
} cumulative_run;

typedef struct cumulative_loops {
    size_t state_nbytes;
    void (*begin)(void *states, int64_t count); /* states before anything was read */
    void (*lead)(void *to);                     /* writes the result of no elements */
    void (*totals)(const cumulative_run *run);  /* sets the states after the lines */
    void (*carry)(void *states, int64_t count); /* to the total of all blocks before */
    void (*along)(const cumulative_run *run);   /* up to CUMULATIVE_MAX_LINES lines */
    void (*across)(const cumulative_run *run);  /* lines side by side, from[0] and to[0] on */
    /* Any number of whole lines that follow each other without gaps, from[0] and to[0] on; or NULL.
     * It takes less time than `along` for lines up to the longest. */
    void (*rows)(const cumulative_run *run);
    int64_t longest_row;
} cumulative_loops;

enum { EXTREMUM_STRIP = 512 }; /* the most lines that are taken across */

typedef struct extremum_loops {
    /* The index of the first of the line's largest. */
    int64_t (*along)(const void *from, int64_t count, int64_t step);
    /* The same for lines that begin side by side, `apart` from each other. */
    void (*across)(const void *from, int64_t count, int64_t step, int64_t lines, int64_t apart,
                   int64_t *indices);
    bool (*beats)(const void *x, const void *other); /* whether x is ordered before the other */
} extremum_loops;

/* Keys are whole numbers of nbytes, 4 or 8, that are sorted in place of elements. */
typedef struct sort_loops {
    size_t nbytes;
    /* Sorts the keys that lie in `scratch`, if in_scratch, else in `keys`, into `keys`. */
    void (*sort)(void *keys, void *scratch, int64_t count, bool in_scratch);
    /* Puts those of ranks first to last - 1 where they are in sorted order, no greater ones before
     * and no lesser ones behind them. */
    void (*select)(void *keys, void *scratch, int64_t count, int64_t first, int64_t last);
    /* For parts - 1 bounds in ascending order, parts a power of two: the keys part by part, those
     * that are above the bounds before a part and not above its own, and how many each part has.
     * They then lie in `other` if parts is two to an odd power, else in `keys`. */
    void (*split_parts)(void *keys, void *other, int64_t count, const void *bounds, int parts,
                        int64_t *counts);
} sort_loops;

/* The functions for the elements to sort. Elements are `step` apart. A function is NULL if it is
 * not needed. */
typedef struct sort_elements {
    bool wide;  /* ranks have 64 bits, else 32 */
    int levels; /* of counts, for elements that can be counted by rank; else 0 */
    /* Writes their ranks, keys of the same order or of the reverse, and tells whether elements that
     * differ have the same. */
    bool (*read)(const void *from, int64_t step, int64_t count, bool descending, void *ranks);
    void (*read_minor)(const void *from, int64_t step, int64_t count, bool descending,
                       int64_t *ranks); /* those that decide where the others are equal */
    void (*write)(const void *ranks, int64_t count, bool descending, void *to);
    /* Writes rank and index as one number; the indices count from first on. Where ranks are not
     * wide. */
    void (*pack)(const void *from, int64_t step, int64_t count, int64_t first, bool descending,
                 int64_t *keys);
    /* Among the first count sorted elements, those of equal rank get back the values they had, in
     * their order. */
    void (*restore)(const void *from, int64_t step, void *sorted, int64_t count);
    void (*tally)(const void *from, int64_t step, int64_t count, uint32_t *counts);
    void (*spill)(const uint32_t *counts, bool descending, void *to);
} sort_elements;

/* Finds the position of each of n wanted keys among the sorted ones. */
typedef void search_keys(const void *sorted, int64_t count, const void *wanted, int64_t n,
                         int64_t *indices);

/* Whole numbers as bits: which of low to low + span there are. */
typedef struct member_table {
    int64_t low;
    uint64_t span;
    uint64_t *bits;
} member_table;

/* Whether keys, at least one, are among others. The functions that find tell it of each as 0 or 1,
 * or the reverse if `invert`. */
typedef struct member_loops {
    void (*range)(const void *keys, int64_t count, int64_t *low, int64_t *high); /* widens it */
    void (*mark)(const void *keys, int64_t count, const member_table *table);
    void (*find_marked)(const void *keys, int64_t count, const member_table *table, bool invert,
                        uint8_t *found);
    void (*find_equal)(const void *keys, int64_t count, const void *others, int64_t n, bool invert,
                       uint8_t *found);
    void (*find_sorted)(const void *keys, int64_t count, const void *sorted, int64_t n,
                        const int64_t *indices, bool invert, uint8_t *found);
} member_loops;

/* to[offsets[i]] takes from[i * from_step], one after the other, so that offsets may repeat. */
typedef void combine_points(void *to, const int64_t *offsets, const void *from, int64_t from_step,
                            int64_t count);

/* line: for slices of several elements; points: for single ones. */
typedef struct combine_loop {
    indices_line *line;
    combine_points *points;
} combine_loop;

/* Elements of one word each, at the offsets that whole numbers name. */
typedef struct routine_lookup {
    const void *from;    /* where the number 0 points */
    const void *numbers; /* side by side */
    void *to;
    int64_t count, extent, stride; /* extent: at least 1 */
} routine_lookup;

/* False if a number is out of range; then what was written must not be used. */
typedef bool routine_look_up(const routine_lookup *lookup);

/* Writes the indices of the true among bools first to last - 1, up to end. gives: how many there
 * are */
typedef int64_t routine_write_true(const uint8_t *bools, int64_t first, int64_t last, int64_t *out,
                                   const int64_t *end);
typedef int64_t routine_count_true(const uint8_t *bools, int64_t count);

enum { CONVOLVE_MAX_ROWS = 14, CONVOLVE_MAX_BLENDED = 8 /* channels of a group */ };

/* Terms that follow one another in the elements of x and in the packed weights. */
typedef struct convolve_run {
    int64_t x;    /* where they begin, in elements from the row's own start in x */
    int64_t term; /* and which of the packed terms is the first */
} convolve_run;

/* A block of results, or a line of them. Strides are in elements. */
typedef struct convolve_tile {
    const void *x, *w; /* where the first row reads; the packed weights */
    void *y;
    const char *ahead; /* as y, of multiply: what is fetched while sums are made; or NULL */
    const convolve_run *runs;
    int64_t nruns, length; /* terms of each run */
    int64_t rows, columns;
    int64_t x_row, y_row;          /* bytes from one row to the next, in the input and in the
                                      output */
    int64_t x_step, w_step;        /* of multiply: from a term to the next; w_step > 0 */
    bool adds;                     /* of multiply: to what is in y, in all columns of vectors */
    int64_t lines, x_line, y_line; /* of slide: number of lines of rows, and the steps between
                                      them */
} convolve_tile;

typedef void convolve_loop(const convolve_tile *tile);

typedef struct convolve_loops {
    int lanes, most_rows; /* elements of a vector; rows that multiply takes */

    /* y[r][c] = sum of x[r][term] w[term][c]. By rows less 1, and whether a term has two vectors of
     * w, of which some columns may not be wanted. This and the next: floats only. */
    convolve_loop *multiply[CONVOLVE_MAX_ROWS][2];
    /* y[r][c] = sum of x[r][(term + c) ^ k] w[term + k][c] over k < length, a power of two up to
     * CONVOLVE_MAX_BLENDED that divides columns; any number of rows. */
    convolve_loop *blend;
    /* y[r] = sum of x[r + term] w[term], rows side by side; of several lines. */
    convolve_loop *slide;

    /* to[offsets[i]] and on: element i of each row, of 8 at most. */
    void (*interleave)(const void *const *rows, int count, int64_t length, const int64_t *offsets,
                       void *to);
} convolve_loops;

typedef struct convolve_table {
    const convolve_loops *loops[JG_DTYPE_COUNT]; /* by what sums are made in */
    const convolve_loops *pairs; /* of x and w in pairs of bfloat16, multiply alone; or NULL */
    bool (*has_pairs)(void);     /* whether the machine has what they need */
    /* From the others to that and back; NULL where bits stay as they are. */
    void (*widen[JG_DTYPE_COUNT])(const void *from, int64_t count, void *to);
    void (*narrow[JG_DTYPE_COUNT])(const void *from, int64_t count, void *to);
} convolve_table;

/* The loops for the largest or the sum of n adjacent elements. */
typedef struct pooling_loops {
    /* begin: to[i] from row[i] of `count` rows, 0 to 3. fold: the same, combined with the earlier
     * to[i], 1 to 3 rows. */
    void (*begin)(void *to, const void *const *rows, int count, int64_t n);
    void (*fold)(void *to, const void *const *rows, int count, int64_t n);
    /* to[i] from row[i * step + k * apart], for each of taps. */
    void (*slide)(const void *row, int64_t taps, int64_t apart, int64_t step, void *to, int64_t n);
} pooling_loops;

/* Indexed by the dtype that is combined, which is never a half. */
typedef struct pooling_table {
    const pooling_loops *largest[JG_DTYPE_COUNT], *sums[JG_DTYPE_COUNT]; /* NULL: there are none */
    void (*divide[JG_DTYPE_COUNT])(void *sums, double divisor, int64_t n);
} pooling_table;

/* Transforms `factor` (1, 12, 20 or 28) parts of `count` elements, a power of two, in place. */
typedef void routine_hadamard_row(jg_dtype dtype, void *x, int64_t factor, int64_t count,
                                  double scale);

enum { ROUTINE_ITEMSIZES = 5 }; /* 1, 2, 4, 8, 16 bytes, indexed by their logarithm */

typedef struct routine_loops {
    const cumulative_loops *const (
        *cumulatives)[JG_DTYPE_COUNT];         /* by kind; NULL: there are none */
    const extremum_loops *const (*extrema)[2]; /* by dtype; the smallest second */
    const sort_loops *sorts;                   /* of keys of 32 and of 64 bits */
    const sort_elements *elements;             /* by dtype */
    search_keys *const (*searches)[2]; /* of keys of 32 and 64 bits; before equal ones or behind */
    const member_loops *members;       /* of keys of 32 and of 64 bits */
    /* The functions are NULL where the mode has no meaning for the dtype. */
    combine_loop (*combine)(jg_scatter_mode mode, jg_dtype dtype);
    indices_decoder *const *decoders;                     /* by dtype */
    routine_look_up *const (*look_up)[ROUTINE_ITEMSIZES]; /* by the numbers' dtype; or NULL */
    routine_count_true *count_true;
    routine_write_true *write_true;
    const convolve_table *convolves;
    const pooling_table *pools;
    const quantized_loops *quantized;
    routine_hadamard_row *hadamard;
    const attention_loops *attention;
} routine_loops;

/* The table in use. gives: borrowed, valid forever */
const routine_loops *routine_loops_chosen(void);

#ifdef ROUTINE_ISA
#define ROUTINE_JOIN_(name, isa) name##_##isa
#define ROUTINE_JOIN(name, isa) ROUTINE_JOIN_(name, isa)
#define ROUTINE_NAMED(name) ROUTINE_JOIN(name, ROUTINE_ISA)

/* The loops of one instruction set, which loop_table.c collects. */
extern const cumulative_loops *const
    ROUTINE_NAMED(routine_cumulatives)[cumulative_kind_count][JG_DTYPE_COUNT];
extern const extremum_loops *const ROUTINE_NAMED(routine_extrema)[JG_DTYPE_COUNT][2];
extern const sort_loops ROUTINE_NAMED(routine_sorts)[2];
extern search_keys *const ROUTINE_NAMED(routine_searches)[2][2];
extern const member_loops ROUTINE_NAMED(routine_members)[2];
extern const sort_elements ROUTINE_NAMED(routine_elements)[JG_DTYPE_COUNT];
combine_loop ROUTINE_NAMED(routine_combine_loop_of)(jg_scatter_mode mode, jg_dtype dtype);
extern indices_decoder *const ROUTINE_NAMED(routine_decoders)[JG_DTYPE_COUNT];
extern routine_look_up *const ROUTINE_NAMED(routine_look_ups)[JG_DTYPE_COUNT][ROUTINE_ITEMSIZES];
extern const convolve_table ROUTINE_NAMED(routine_convolves);
convolve_loop ROUTINE_NAMED(convolve_blend_f32), ROUTINE_NAMED(convolve_blend_f64);
extern const pooling_table ROUTINE_NAMED(routine_pools);
routine_count_true ROUTINE_NAMED(routine_count_true);
routine_write_true ROUTINE_NAMED(routine_write_true);
extern const quantized_loops ROUTINE_NAMED(quantized_loops);
extern const quantized_strips ROUTINE_NAMED(quantized_strips);
void ROUTINE_NAMED(quantized_floats)(quantized_scale kind, const void *from, int64_t count,
                                     float *to);
routine_hadamard_row ROUTINE_NAMED(hadamard_row);
extern const attention_loops ROUTINE_NAMED(attention_loops);
extern const attention_reader *const ROUTINE_NAMED(attention_readers)[JG_DTYPE_COUNT];
#endif

#endif
