/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of passes: a length is cut into factors, and each is one pass over all elements,
 * alternating between two areas of memory. A plan of n = 1 has no passes: its result is its
 * input. */
#include "fft/plans.h"

/* The radices with functions of their own, by their ids; `edge` as in loops.h. */
static const struct {
    int radix;
    bool edge;
} radices[] = {
#define ROW(radix) [FFT_RADIX_##radix] = {radix, true},
    FFT_EDGE_RADICES(ROW)
#undef ROW
#define ROW(radix) [FFT_RADIX_##radix] = {radix, false},
        FFT_INNER_RADICES(ROW)
#undef ROW
};

/* In the order of the passes. */
typedef struct factors {
    int count, radix[LANES_MAX_STEPS];
} factors;

static void add(factors *out, int radix, int times)
{
    for (int i = 0; i < times; ++i)
        out->radix[out->count++] = radix;
}

/* Chooses the fewest passes, and none by 2 unless the length is 2: passes by 8, and one or two by 4
 * for the rest of the exponent. */
static void add_power_of_two(factors *out, int exponent)
{
    int fours = exponent % 3 == 1 && exponent > 1 ? 2 : exponent % 3 == 2;
    add(out, 2, exponent == 1);
    add(out, 8, (exponent - 2 * fours) / 3);
    add(out, 4, fours);
}

/* gives: what is left after the division by all powers of a prime */
static int64_t take_out(int64_t n, int prime, int *times)
{
    for (*times = 0; n % prime == 0; n /= prime)
        *times += 1;
    return n;
}

/* gives: what is left of n, 1 if all its prime factors are small. Odd numbers that are no primes
 * never divide, as their factors have been taken out before. */
static int64_t find_factors(int64_t n, factors *out)
{
    int times;
    out->count = 0;
    n = take_out(n, 2, &times);
    add_power_of_two(out, times);
    for (int prime = 3; prime <= FFT_LARGEST_PRIME && n > 1; prime += 2) {
        n = take_out(n, prime, &times);
        add(out, prime, times);
    }
    return n;
}

bool fft_lanes_can(int64_t n)
{
    factors found;
    return find_factors(n, &found) == 1;
}

static fft_radix id_of(int radix)
{
    for (size_t i = 0; i < JG_COUNT_OF(radices); ++i)
        if (radices[i].radix == radix)
            return (fft_radix)i;
    return FFT_RADIX_PRIME;
}

static bool is_edge(int radix)
{
    fft_radix id = id_of(radix);
    return id != FFT_RADIX_PRIME && radices[id].edge;
}

/* Moves a factor that can write plain numbers to the end, if there are two such at the front. A
 * single one stays first, where it can read plain numbers. Powers of two come before the rest, so
 * an even length always reads plain numbers. */
static void arrange(factors *all)
{
    for (int i = all->count - 1; i > 0; --i)
        if (is_edge(all->radix[i])) {
            int radix = all->radix[i];
            all->radix[i] = all->radix[all->count - 1];
            all->radix[all->count - 1] = radix;
            return;
        }
}

/* The size of all steps' tables together, as fill_step lays them out: m is the product of the
 * radices after a step. */
static int64_t table_reals(const factors *all)
{
    int64_t m = 1, reals = 0;
    for (int i = all->count - 1; i >= 0; --i) {
        reals += 2 * m * (all->radix[i] - 1);
        m *= all->radix[i];
        reals += id_of(all->radix[i]) == FFT_RADIX_PRIME ? 2 * all->radix[i] : 0;
    }
    return reals;
}

/* Fills the tables of a step. gives: the address after them */
static void *fill_step(const fft_loops *loops, lanes_step *step, void *table)
{
    int64_t length = step->m * step->radix, at = 0;
    step->twiddles = table;
    for (int64_t p = 0; p < step->m; ++p)
        for (int64_t k = 1; k < step->radix; ++k)
            fft_put_root(loops, table, at++, p * k, length);
    table = fft_real_at(loops, table, 2 * at);
    if (step->id != FFT_RADIX_PRIME)
        return table;
    step->roots = table;
    for (int k = 0; k < step->radix; ++k)
        fft_put_root(loops, table, k, k, step->radix);
    return fft_real_at(loops, table, 2 * step->radix);
}

jg_status fft_lanes_init(lanes_plan *plan, const fft_loops *loops, int64_t n)
{
    factors all;
    find_factors(n, &all);
    arrange(&all);
    size_t nbytes = (size_t)table_reals(&all) * loops->real_nbytes;
    *plan = (lanes_plan){.loops = loops, .n = n, .nsteps = all.count, .nbytes = nbytes};
    /* One byte more, as a plan without steps has an empty table, and NULL means that there is no
     * memory. */
    plan->table = base_alloc(nbytes + 1);
    if (plan->table == NULL)
        return base_nomem(nbytes, "a transform's factors");
    void *table = plan->table;
    /* s transforms have been merged, m are still to be: m * radix * s is n at every step. */
    int64_t m = n, s = 1;
    for (int i = 0; i < all.count; ++i) {
        int radix = all.radix[i];
        m /= radix;
        plan->steps[i] = (lanes_step){.id = id_of(radix), .radix = radix, .m = m, .s = s};
        table = fill_step(loops, &plan->steps[i], table);
        s *= radix;
    }
    return JG_OK;
}

void fft_lanes_clear(lanes_plan *plan)
{
    base_free(plan->table);
    plan->table = NULL;
}

bool fft_lanes_read_plain(const lanes_plan *plan)
{
    return plan->nsteps > 0 && is_edge(plan->steps[0].radix);
}

bool fft_lanes_write_plain(const lanes_plan *plan)
{
    return plan->nsteps > 0 && is_edge(plan->steps[plan->nsteps - 1].radix);
}

size_t fft_lanes_area(const fft_loops *loops, int64_t n)
{
    return (size_t)((n + 1) * fft_split_reals(loops)) * loops->real_nbytes;
}

/* The last pass writes into the caller's memory, and scales. */
static void aim_at(const lanes_end *to, fft_pass *pass)
{
    pass->to = to->at;
    pass->to_row = to->row;
    pass->re = to->re;
    pass->im = to->im;
}

static void run_step(const lanes_plan *plan, const lanes_step *step, fft_source source,
                     fft_target target, fft_pass *pass)
{
    pass->m = step->m;
    pass->s = step->s;
    pass->twiddles = step->twiddles;
    pass->roots = step->roots;
    pass->radix = step->radix;
    plan->loops->pass[step->id][source][target](pass);
}

void *fft_lanes_run(const lanes_plan *plan, const lanes_end *from, const lanes_end *to, void *work)
{
    char *areas[2] = {work, (char *)work + fft_lanes_area(plan->loops, plan->n)};
    fft_pass pass = {.from = from->at, .from_row = from->row, .sign = from->im, .re = 1, .im = 1};
    /* The area that is written next: never the one that is read. */
    int next = from->at == areas[0];
    pass.to = from->at;
    for (int i = 0; i < plan->nsteps; ++i) {
        bool last = i == plan->nsteps - 1;
        fft_source source = i == 0 && from->plain ? FFT_FROM_PLAIN : FFT_FROM_SPLIT;
        fft_target target = last ? FFT_TO_SPLIT : FFT_TO_TURNED;
        pass.to = areas[next];
        if (last && to != NULL) {
            target = FFT_TO_PLAIN;
            aim_at(to, &pass);
        }
        run_step(plan, &plan->steps[i], source, target, &pass);
        pass.from = pass.to;
        next = !next;
    }
    return pass.to;
}
