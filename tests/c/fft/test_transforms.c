/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of lines against the sum that defines them: each way that a length goes, alone and
 * beside others; and what plans leave behind. */
#include "../support.h"
#include "fft/fft.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = 1100, GAP = 3 };

static double numbers[2 * MOST * FFT_MAX_LANES * GAP], results[2 * MOST * FFT_MAX_LANES * GAP];

static void fill(int64_t count)
{
    uint64_t state = 7;
    for (int64_t i = 0; i < count; ++i)
        numbers[i] = (double)random_between(&state, -1000, 1000) / 1000;
}

/* Complex number at of line of a layout where lines begin `apart` numbers from each other. */
static const double *number_at(const double *base, int64_t line, int64_t apart, int64_t at,
                               int64_t step)
{
    return base + 2 * (line * apart + at * step);
}

static void sum_up(const double *line, int64_t step, int64_t n, int64_t k, double *out)
{
    const double turn = 6.283185307179586477;
    out[0] = out[1] = 0;
    for (int64_t j = 0; j < n; ++j) {
        const double *x = number_at(line, 0, 0, j, step);
        double angle = turn * (double)(j * k % n) / (double)n, c = cos(angle), s = -sin(angle);
        out[0] += x[0] * c - x[1] * s;
        out[1] += x[0] * s + x[1] * c;
    }
}

/* Transforms count lines of n numbers in double precision and compares some results of each. */
static void check_lines(int64_t n, int count, int64_t apart, int64_t step)
{
    const fft_transform transform = {.kind = FFT_COMPLEX, .n = n, .scale = 1};
    fft_lines lines = {.count = count, .from_step = step, .to_step = step};
    fill(2 * (n * step + count * apart));
    for (int i = 0; i < count; ++i) {
        lines.from[i] = numbers + 2 * i * apart;
        lines.to[i] = results + 2 * i * apart;
    }
    fft_session session = fft_begin(&transform, NULL);
    assert_ok(fft_run(&session, &lines));
    fft_end(&session);
    for (int i = 0; i < count; ++i)
        for (int64_t k = 0; k < n; k += n / 5 + 1) {
            double expected[2];
            const double *found = number_at(results, i, apart, k, step);
            sum_up(numbers + 2 * i * apart, step, n, k, expected);
            assert_true(hypot(found[0] - expected[0], found[1] - expected[1]) <
                        1e-12 * sqrt((double)n));
        }
}

TEST(every_length_of_one_line_is_its_sum)
{
    for (int64_t n = 1; n <= 300; ++n) {
        check_lines(n, 1, n, 1);
        check_lines(n, 1, n, GAP);
    }
    for (int64_t n = 301; n <= MOST; n += 47)
        check_lines(n, 1, n, 1);
}

TEST(lines_beside_each_other_are_their_sums)
{
    for (int64_t n = 1; n <= 300; ++n) {
        fft_transform transform = {.kind = FFT_COMPLEX, .n = n, .scale = 1};
        fft_lines columns = {.from_step = 100, .to_step = 100};
        int group = (int)fft_group(&transform, &columns, 100);
        for (int count = 2; count <= group; count += group > 2 ? group - 2 : 1) {
            check_lines(n, count, n, 1);
            check_lines(n, count, 1, FFT_MAX_LANES);
        }
    }
}

TEST(plans_are_kept_and_can_be_dropped)
{
    fft_drop_plans();
    int64_t before = base_live_blocks();
    check_lines(1024, 1, 0, 1);
    int64_t kept = base_live_blocks();
    check_lines(1024, 1, 0, 1);
    assert_int_equal(base_live_blocks(), kept);
    for (int64_t n = 500; n < 700; ++n)
        check_lines(n, 1, 0, 1);
    fft_drop_plans();
    assert_int_equal(base_live_blocks(), before);
}

/* Each allocation fails once: nothing leaks, and the next attempt succeeds. */
static void check_without_memory(fft_kind kind, int64_t n)
{
    const fft_transform transform = {.kind = kind, .n = n, .scale = 1};
    const fft_lines lines = {
        .count = 1, .from = {numbers}, .to = {results}, .from_step = 1, .to_step = 1};
    jg_status status = JG_ERR_NOMEM;
    fft_drop_plans();
    int64_t before = base_live_blocks();
    for (int64_t nth = 1; status != JG_OK; ++nth) {
        base_fail_nth(nth);
        fft_session session = fft_begin(&transform, NULL);
        status = fft_run(&session, &lines);
        fft_end(&session);
        base_fail_nth(0);
        assert_true(status == JG_OK || status == JG_ERR_NOMEM);
        fft_drop_plans();
        assert_int_equal(base_live_blocks(), before);
        assert_true(nth < 100);
    }
}

TEST(a_transform_without_memory_fails_and_leaves_nothing)
{
    static const int64_t lengths[] = {8, 256, 1000, 127, 1009};
    for (size_t i = 0; i < JG_COUNT_OF(lengths); ++i)
        for (fft_kind kind = FFT_COMPLEX; kind <= FFT_TO_REAL; ++kind)
            check_without_memory(kind, lengths[i]);
}
