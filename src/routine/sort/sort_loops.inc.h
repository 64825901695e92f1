/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting and selecting among keys of BITS bits; sort_loops.c includes this for each width.
 *
 * Runs of keys are split by a pivot until they are short, from one block of memory to another and
 * back, as a split into other memory has no branch and overwrites nothing that is still to be read.
 * Short runs are sorted in registers: as rows of lanes, the columns first, which are then merged by
 * twos (bitonic, each merge beginning with a mirrored comparison, so that the sorted keys come to
 * lie row by row). Only the time depends on the order of the keys, and it is bounded: a run that
 * keeps splitting badly is sorted by its digits. */

#define JOIN_(name, bits) name##_##bits
#define JOIN(name, bits) JOIN_(name, bits)
#define N(name) JOIN(name, BITS)
#define TYPE_(bits) int##bits##_t
#define TYPE(bits) TYPE_(bits)
#define LANES_TYPE_(bits) lanes##bits
#define LANES_TYPE(bits) LANES_TYPE_(bits)
#define MASK_TYPE_(bits) mask##bits
#define MASK_TYPE(bits) MASK_TYPE_(bits)
#define KEY TYPE(BITS)
#define VECTOR LANES_TYPE(BITS)
#define MASK MASK_TYPE(BITS)
#define LANES N(SORT_LANES)
#define LOWEST_(bits) INT##bits##_MIN
#define LOWEST(bits) LOWEST_(bits)

/* SHORT: keys that are sorted in registers. SAMPLE: keys that a pivot is the median of. PATIENCE:
 * bad splits until a run is sorted by its digits (or, selecting, as a whole). */
enum {
    N(SHORT) = 16 * LANES,
    N(SAMPLE) = LANES > 1 ? 8 * LANES : 15,
    N(BY_DIGITS) = 16 * BITS, /* longer runs are sorted so at once */
    N(SORT_PATIENCE) = 12,
    N(SELECT_PATIENCE) = 100
};

#define ORDER(i, j)                                                                                \
    {                                                                                              \
        VECTOR least = N(lanes_least)(v[i], v[j]);                                                 \
        v[j] = N(lanes_greatest)(v[i], v[j]);                                                      \
        v[i] = least;                                                                              \
    }

/* Sorts each column, by the networks with the fewest comparisons that are known: 1, 5, 19 and 60,
 * as Bert Dobbelaere lists them ("Smallest and fastest sorting networks for a given number of
 * inputs"). */
/* clang-format off */
SORT_INLINE void N(sort_columns)(VECTOR *v, int rows)
{
    if (rows == 2) {
        ORDER(0, 1)
    } else if (rows == 4) {
        ORDER(0, 2) ORDER(1, 3) ORDER(0, 1) ORDER(2, 3) ORDER(1, 2)
    } else if (rows == 8) {
        ORDER(0, 2) ORDER(1, 3) ORDER(4, 6) ORDER(5, 7)
        ORDER(0, 4) ORDER(1, 5) ORDER(2, 6) ORDER(3, 7)
        ORDER(0, 1) ORDER(2, 3) ORDER(4, 5) ORDER(6, 7) ORDER(2, 4) ORDER(3, 5) ORDER(1, 4)
        ORDER(3, 6) ORDER(1, 2) ORDER(3, 4) ORDER(5, 6)
    } else if (rows == 16) {
        ORDER(0, 13) ORDER(1, 12) ORDER(2, 15) ORDER(3, 14)
        ORDER(4, 8) ORDER(5, 6) ORDER(7, 11) ORDER(9, 10)
        ORDER(0, 5) ORDER(1, 7) ORDER(2, 9) ORDER(3, 4)
        ORDER(6, 13) ORDER(8, 14) ORDER(10, 15) ORDER(11, 12)
        ORDER(0, 1) ORDER(2, 3) ORDER(4, 5) ORDER(6, 8)
        ORDER(7, 9) ORDER(10, 11) ORDER(12, 13) ORDER(14, 15)
        ORDER(0, 2) ORDER(1, 3) ORDER(4, 10) ORDER(5, 11)
        ORDER(6, 7) ORDER(8, 9) ORDER(12, 14) ORDER(13, 15)
        ORDER(1, 2) ORDER(3, 12) ORDER(4, 6) ORDER(5, 7) ORDER(8, 10) ORDER(9, 11) ORDER(13, 14)
        ORDER(1, 4) ORDER(2, 6) ORDER(5, 8) ORDER(7, 10) ORDER(9, 13) ORDER(11, 14) ORDER(2, 4)
        ORDER(3, 6) ORDER(9, 12) ORDER(11, 13) ORDER(3, 5) ORDER(6, 8) ORDER(7, 9) ORDER(10, 12)
        ORDER(3, 4) ORDER(5, 6) ORDER(7, 8) ORDER(9, 10) ORDER(11, 12) ORDER(6, 7) ORDER(8, 9)
    }
}
/* clang-format on */

/* Compares each block of rows with its mirror image, in groups of lanes: the lesser keys to its
 * first half. */
SORT_INLINE void N(fold_rows)(VECTOR *v, int rows, int block, int width)
{
    if (rows < block)
        return;
#pragma GCC unroll 16
    for (int first = 0; first < rows; first += block) {
#pragma GCC unroll 16
        for (int r = 0; r < block / 2; ++r) {
            int low = first + r, high = first + block - 1 - r;
            VECTOR other = N(lanes_mirrored)(v[high], width);
            v[high] = N(lanes_greatest)(v[low], other);
            v[low] = N(lanes_least)(v[low], other);
        }
    }
}

SORT_INLINE void N(fold_lanes)(VECTOR *v, int rows, int width)
{
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
        v[r] = N(lanes_ordered)(v[r], N(lanes_mirrored)(v[r], width), width / 2);
}

SORT_INLINE void N(order_lanes)(VECTOR *v, int rows, int width, int distance)
{
    if (width < 4 * distance)
        return;
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
        v[r] = N(lanes_ordered)(v[r], N(lanes_exchanged)(v[r], distance), distance);
}

/* Merges each two sorted groups of columns into one of `width` columns. */
SORT_INLINE void N(merge_columns)(VECTOR *v, int rows, int width)
{
    if (width > LANES)
        return;
    N(fold_rows)(v, rows, 16, width);
    N(fold_rows)(v, rows, 8, width);
    N(fold_rows)(v, rows, 4, width);
    N(fold_rows)(v, rows, 2, width);
    N(fold_lanes)(v, rows, width);
    N(order_lanes)(v, rows, width, 4);
    N(order_lanes)(v, rows, width, 2);
    N(order_lanes)(v, rows, width, 1);
}

/* Up to rows * LANES keys, of which count may be fewer: what is missing is loaded as the greatest
 * key, sorts to the end, and is not stored. from and to may be one. */
SORT_INLINE void N(sort_rows)(const KEY *from, KEY *to, int64_t count, int rows)
{
    VECTOR v[16];
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
        v[r] = N(lanes_load_first)(from + r * LANES, count - r * LANES);
    N(sort_columns)(v, rows);
    N(merge_columns)(v, rows, 2);
    N(merge_columns)(v, rows, 4);
    N(merge_columns)(v, rows, 8);
    N(merge_columns)(v, rows, 16);
#pragma GCC unroll 16
    for (int r = 0; r < rows; ++r)
        N(lanes_store_first)(to + r * LANES, v[r], count - r * LANES);
}

static __attribute__((noinline)) void N(sort_1)(const KEY *from, KEY *to, int64_t count)
{
    N(sort_rows)(from, to, count, 1);
}
static __attribute__((noinline)) void N(sort_2)(const KEY *from, KEY *to, int64_t count)
{
    N(sort_rows)(from, to, count, 2);
}
static __attribute__((noinline)) void N(sort_4)(const KEY *from, KEY *to, int64_t count)
{
    N(sort_rows)(from, to, count, 4);
}
static __attribute__((noinline)) void N(sort_8)(const KEY *from, KEY *to, int64_t count)
{
    N(sort_rows)(from, to, count, 8);
}
static __attribute__((noinline)) void N(sort_16)(const KEY *from, KEY *to, int64_t count)
{
    N(sort_rows)(from, to, count, 16);
}

/* At most SHORT keys; from may be to. */
static void N(sort_short)(const KEY *from, KEY *to, int64_t count)
{
    if (count <= LANES)
        N(sort_1)(from, to, count);
    else if (count <= 2 * LANES)
        N(sort_2)(from, to, count);
    else if (count <= 4 * LANES)
        N(sort_4)(from, to, count);
    else if (count <= 8 * LANES)
        N(sort_8)(from, to, count);
    else
        N(sort_16)(from, to, count);
}

/* Fewer keys than there are lanes. */
SORT_INLINE void N(split_rest)(const KEY *from, int64_t count, VECTOR pivot, KEY *low, KEY *high)
{
    VECTOR v = N(lanes_load_first)(from, count);
    MASK all = N(first_lanes)(count), above = N(lanes_above)(v, pivot) & all;
    MASK below = N(lanes_not_above)(v, pivot) & all;
    int nabove = N(lanes_count)(above);
    N(lanes_store_first)(low, N(lanes_kept)(v, below), count - nabove);
    N(lanes_store_first)(high - nabove, N(lanes_kept)(v, above), nabove);
}

/* Moves the keys that are not above the pivot to the front of `to`, and the others behind them.
 * gives: how many are not above */
static __attribute__((noinline)) int64_t N(split)(const KEY *from, int64_t count, KEY pivot,
                                                  KEY *to)
{
    KEY *low = to, *high = to + count;
    VECTOR p = N(lanes_of)(pivot);
    int64_t i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES) {
        VECTOR a = N(lanes_load)(from + i), b = N(lanes_load)(from + i + LANES);
        VECTOR c = N(lanes_load)(from + i + 2 * LANES), d = N(lanes_load)(from + i + 3 * LANES);
        N(lanes_split)(a, p, &low, &high);
        N(lanes_split)(b, p, &low, &high);
        N(lanes_split)(c, p, &low, &high);
        N(lanes_split)(d, p, &low, &high);
    }
    for (; i + LANES <= count; i += LANES)
        N(lanes_split)(N(lanes_load)(from + i), p, &low, &high);
    int64_t not_above = low - to;
    if (i < count) {
        N(split_rest)(from + i, count - i, p, low, high);
        for (; i < count; ++i)
            not_above += from[i] <= pivot;
    }
    return not_above;
}

/* A sorted sample of keys from pseudorandom indices. A linear congruential generator (Knuth's MMIX
 * constants): the seed is the count, so the same keys always take the same time. */
static void N(take_sample)(const KEY *keys, int64_t count, uint64_t *seed, KEY *sample)
{
    for (int i = 0; i < N(SAMPLE); i += LANES) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t index = (*seed >> 40) * (uint64_t)(count - LANES) >> 24;
        N(lanes_store)(sample + i, N(lanes_load)(keys + index));
    }
    N(sort_short)(sample, sample, N(SAMPLE));
}

/* The highest digit's sign bit is turned, so that negative keys come first. */
SORT_INLINE unsigned N(digit)(KEY key, unsigned shift)
{
    unsigned sign = shift + 8 == BITS ? 0x80 : 0;
    return ((unsigned)(key >> shift) & 0xff) ^ sign;
}

/* All digits' counts in one pass. */
static void N(count_digits)(const KEY *keys, int64_t count, int64_t counts[BITS / 8][256])
{
    memset(counts, 0, BITS / 8 * sizeof counts[0]);
    for (int64_t i = 0; i < count; ++i)
        for (unsigned shift = 0; shift < BITS; shift += 8)
            counts[shift / 8][N(digit)(keys[i], shift)] += 1;
}

/* counts become where the next key of each digit goes. In the order of from, so that keys of one
 * digit stay in the order that lower digits gave them. */
static void N(move_by_digit)(const KEY *from, KEY *to, int64_t count, unsigned shift,
                             int64_t *counts)
{
    for (int64_t digit = 0, sum = 0; digit < 256; ++digit) {
        int64_t next = sum + counts[digit];
        counts[digit] = sum;
        sum = next;
    }
    for (int64_t i = 0; i < count; ++i)
        to[counts[N(digit)(from[i], shift)]++] = from[i];
}

/* For runs that keep splitting badly, and for all long ones where a vector is one key. */
static void N(sort_digits)(KEY *keys, KEY *scratch, int64_t count)
{
    int64_t counts[BITS / 8][256];
    KEY *from = keys, *to = scratch;
    N(count_digits)(keys, count, counts);
    for (unsigned shift = 0; shift < BITS; shift += 8) {
        /* A digit that all keys share moves none. */
        if (counts[shift / 8][N(digit)(from[0], shift)] == count)
            continue;
        N(move_by_digit)(from, to, count, shift, counts[shift / 8]);
        KEY *other = from;
        from = to;
        to = other;
    }
    if (from != keys)
        memcpy(keys, from, (size_t)count * sizeof *keys);
}

/* A run that lies in `from`, and what is known about it. Its sorted keys are to lie in `home`,
 * which is from or other. */
typedef struct N(run) {
    KEY *from, *other, *home;
    int64_t count;
    int patience; /* splits that may still be bad */
} N(run);

/* Splits the run, whose keys then lie in `other`. Where all keys are equal to the largest of what
 * was split, these are set apart and in place: then they do not count. gives: the number of keys
 * in the first part */
static int64_t N(split_run)(N(run) * run, KEY pivot, bool *settled)
{
    int64_t low = N(split)(run->from, run->count, pivot, run->other);
    *settled = low == run->count;
    if (!*settled)
        return low;
    low = pivot == LOWEST(BITS) ? 0 : N(split)(run->from, run->count, pivot - 1, run->other);
    for (int64_t i = low; i < run->count; ++i)
        run->home[i] = pivot;
    return low;
}

static bool N(is_bad)(int64_t part, int64_t count)
{
    return part < count / 16 || part > count - count / 16;
}

/* Recurses on the second part and continues with the first. Patience bounds the depth by the
 * logarithm of the count: all but a few splits take off a sixteenth. */
static void N(sort_run)(N(run) run, uint64_t *seed)
{
    KEY sample[N(SAMPLE)];
    while (run.count > N(SHORT)) {
        bool settled;
        if (run.patience <= 0 || (LANES == 1 && run.count > N(BY_DIGITS))) {
            if (run.from != run.home)
                memcpy(run.home, run.from, (size_t)run.count * sizeof(KEY));
            N(sort_digits)(run.home, run.home == run.from ? run.other : run.from, run.count);
            return;
        }
        N(take_sample)(run.from, run.count, seed, sample);
        int64_t low = N(split_run)(&run, sample[(N(SAMPLE) - 1) / 2], &settled);
        run.patience -= N(is_bad)(low, run.count);
        if (!settled)
            N(sort_run)
        ((N(run)){run.other + low, run.from + low, run.home + low, run.count - low, run.patience},
         seed);
        KEY *other = run.from;
        run.from = run.other;
        run.other = other;
        run.count = low;
    }
    N(sort_short)(run.from, run.home, run.count);
}

/* Sorts count keys, which lie in `scratch` if in_scratch, else in `keys`, into `keys`. */
static void N(sort_keys)(void *keys, void *scratch, int64_t count, bool in_scratch)
{
    uint64_t seed = (uint64_t)count;
    KEY *home = keys, *away = scratch;
    N(sort_run)
    ((N(run)){in_scratch ? away : home, in_scratch ? home : away, home, count, N(SORT_PATIENCE)},
     &seed);
}

/* A pivot that leaves the key of rank `wanted` on the shorter side, most often. */
static KEY N(pivot_near)(const KEY *keys, int64_t count, int64_t wanted, uint64_t *seed)
{
    enum { MARGIN = 3 };
    KEY sample[N(SAMPLE)];
    N(take_sample)(keys, count, seed, sample);
    int at = (int)((double)wanted / (double)count * N(SAMPLE));
    at += wanted < count / 2 ? MARGIN : -MARGIN - 1;
    at = int_clamp(at, 0, N(SAMPLE) - 1);
    return sample[at];
}

static void N(bring_home)(const N(run) * run, const KEY *from, int64_t first, int64_t last)
{
    if (run->home + first != from + first)
        memcpy(run->home + first, from + first, (size_t)(last - first) * sizeof(KEY));
}

static void N(select_run)(N(run) run, int64_t first, int64_t last, uint64_t *seed)
{
    while (run.count > N(SHORT) && run.patience > 0) {
        bool settled;
        int64_t all = run.count;
        int64_t low = N(split_run)(&run, N(pivot_near)(run.from, all, first, seed), &settled);
        run.patience -= 1;
        KEY *split = run.other;
        if (first < low && last > low && !settled) { /* on both sides */
            N(select_run)
            ((N(run)){split + low, run.from + low, run.home + low, all - low, run.patience}, 0,
             last - low, seed);
            last = low;
        } else if (first >= low) {
            N(bring_home)(&run, split, 0, low);
            if (settled)
                return;
            run = (N(run)){split + low, run.from + low, run.home + low, all - low, run.patience};
            first -= low;
            last -= low;
            continue;
        } else if (!settled) {
            N(bring_home)(&run, split, low, all);
        }
        last = int64_min(last, low);
        run = (N(run)){split, run.from, run.home, low, run.patience};
    }
    run.patience = N(SORT_PATIENCE);
    N(sort_run)(run, seed);
}

/* Puts the keys of ranks first to last - 1 where they are in sorted order, no greater ones before
 * and no lesser ones behind them. */
static void N(select_keys)(void *keys, void *scratch, int64_t count, int64_t first, int64_t last)
{
    uint64_t seed = (uint64_t)count;
    if (first < last)
        N(select_run)((N(run)){keys, scratch, keys, count, N(SELECT_PATIENCE)}, first, last, &seed);
}

/* Splits by the middle bound, then both sides by theirs, and so on: as many times as parts can be
 * halved, each time into the other memory. */
static void N(split_parts)(void *keys, void *other, int64_t count, const void *bounds, int parts,
                           int64_t *counts)
{
    const KEY *pivots = bounds;
    KEY *from = keys, *to = other;
    counts[0] = count;
    for (int width = parts; width > 1; width /= 2) {
        int64_t at = 0;
        for (int part = 0; part < parts; part += width) {
            int64_t all = counts[part];
            int64_t low = N(split)(from + at, all, pivots[part + width / 2 - 1], to + at);
            counts[part] = low;
            counts[part + width / 2] = all - low;
            at += all;
        }
        KEY *next = from;
        from = to;
        to = next;
    }
}

#undef ORDER
#undef N
#undef KEY
#undef VECTOR
#undef MASK
#undef LANES
#undef LOWEST
#undef LOWEST_
#undef JOIN
#undef JOIN_
#undef TYPE
#undef TYPE_
#undef LANES_TYPE
#undef LANES_TYPE_
#undef MASK_TYPE
#undef MASK_TYPE_
