/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of quantiles, by each of NumPy's methods. */
#include "compose/statistics/quantile.h"
#include <math.h>
#include <string.h>

/* The position of a quantile among ranks that count from 0, by Hyndman and Fan's alpha and beta. R.
 * J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50
 * (1996), 361-365; the parameters are those of scipy.stats.mstats.mquantiles. */
static double rank_between(double q, int64_t count, double alpha, double beta)
{
    return (double)count * q + (alpha + q * (1 - alpha - beta)) - 1;
}

static double round_half_even(double x)
{
    double below = floor(x), part = x - below;
    bool up = part > 0.5 || (part == 0.5 && fmod(below, 2) != 0);
    return below + up;
}

#define BETWEEN(name, alpha, beta)                                                                 \
    static double name(double q, int64_t count)                                                    \
    {                                                                                              \
        return rank_between(q, count, alpha, beta);                                                \
    }
/* Hyndman and Fan's definitions 4, 5, 6, 8 and 9. */
BETWEEN(interpolated_inverted_cdf, 0, 1)
BETWEEN(hazen, 0.5, 0.5)
BETWEEN(weibull, 0, 0)
BETWEEN(median_unbiased, 1.0 / 3, 1.0 / 3)
BETWEEN(normal_unbiased, 3.0 / 8, 3.0 / 8)

/* Definition 7, rounded once: q = 0.7 of 11 elements is exactly one of them. */
static double linear(double q, int64_t count)
{
    return (double)(count - 1) * q;
}

static double lower(double q, int64_t count)
{
    return floor(linear(q, count));
}

static double higher(double q, int64_t count)
{
    return ceil(linear(q, count));
}

static double nearest(double q, int64_t count)
{
    return round_half_even(linear(q, count));
}

static double midpoint(double q, int64_t count)
{
    return (lower(q, count) + higher(q, count)) / 2;
}

/* Definitions 1 to 3, which are steps: one element, or the mean of two where q falls on the
 * border. */
static double inverted_cdf(double q, int64_t count)
{
    return ceil((double)count * q) - 1;
}

static double averaged_inverted_cdf(double q, int64_t count)
{
    double at = (double)count * q - 1;
    return at == floor(at) ? at + 0.5 : ceil(at);
}

/* If two ranks are equally close, the one that is even when ranks count from 1 is taken. */
static double closest_observation(double q, int64_t count)
{
    double at = (double)count * q - 1.5, below = floor(at);
    bool stays = at == below && fmod(below, 2) != 0;
    return stays ? below : below + 1;
}

static const struct {
    const char *name;
    quantile_rule *rule;
} methods[] = {
    {"linear", linear},
    {"lower", lower},
    {"higher", higher},
    {"nearest", nearest},
    {"midpoint", midpoint},
    {"inverted_cdf", inverted_cdf},
    {"averaged_inverted_cdf", averaged_inverted_cdf},
    {"closest_observation", closest_observation},
    {"interpolated_inverted_cdf", interpolated_inverted_cdf},
    {"hazen", hazen},
    {"weibull", weibull},
    {"median_unbiased", median_unbiased},
    {"normal_unbiased", normal_unbiased},
};

jg_status quantile_rule_of(jg_op op, const char *method, quantile_rule **out)
{
    for (size_t i = 0; i < JG_COUNT_OF(methods); ++i)
        if (strcmp(methods[i].name, method) == 0) {
            *out = methods[i].rule;
            return JG_OK;
        }
    return base_fail(JG_ERR_VALUE,
                     "[%s] method: got '%s', allowed are 'linear', 'lower', 'higher', "
                     "'nearest', 'midpoint' and the others of NumPy",
                     op_name(op), method);
}

/* Ranks outside, which the definitions give near q = 0 and 1, are those of the ends. */
quantile_cut quantile_cut_at(quantile_rule *rule, double q, int64_t count)
{
    double at = count > 0 ? rule(q, count) : 0, last = count > 0 ? (double)(count - 1) : 0;
    at = at < 0 ? 0 : at > last ? last : at;
    int64_t below = (int64_t)floor(at);
    return (quantile_cut){below, below + (below + 1 < count), at - floor(at)};
}
