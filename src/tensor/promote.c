/* SPDX-License-Identifier: Apache-2.0 */
/* The dtype that an op computes in.
 *
 * The rule goes by kind and width, so it has no table of pairs. A kind beats those before it in the
 * order bool, integer, float, complex. The Array API standard's table comes out of that, and so do
 * PyTorch's and MLX's answers where the standard leaves the pair open (an integer with a float
 * gives that float). The result does not depend on the order of the two.
 *
 * Three dtypes need care: uint64 and int64 give float64, but float16 with either of them stays
 * float16. So more than two are promoted as a set, in an order of our own. */
#include "tensor/tensor.h"

static int width(jg_dtype dtype)
{
    return dtype_rows[dtype].bits;
}

/* The computable dtype of that kind and width; there is one for every use below. Where two share a
 * width the table's order decides: float16 stands before bfloat16. */
static jg_dtype of_kind(jg_dtype_kind kind, int bits)
{
    int i = 0;
    while (dtype_rows[i].kind != kind || dtype_rows[i].bits != bits || !dtype_rows[i].computable)
        i++;
    return (jg_dtype)i;
}

/* A signed integer that holds both; no 64-bit one does beside uint64, and then it is float64. */
static jg_dtype promote_mixed_sign(jg_dtype with_sign, jg_dtype without)
{
    if (width(with_sign) > width(without))
        return with_sign;
    if (width(without) < 64)
        return of_kind(JG_KIND_INT, 2 * width(without));
    return JG_DTYPE_FLOAT64;
}

static jg_dtype promote_integers(jg_dtype a, jg_dtype b)
{
    if (dtype_rows[a].kind == dtype_rows[b].kind)
        return width(a) >= width(b) ? a : b;
    return dtype_rows[a].kind == JG_KIND_INT ? promote_mixed_sign(a, b) : promote_mixed_sign(b, a);
}

/* Two different floats of one width (float16, bfloat16) hold each other's values only when
 * doubled. */
static jg_dtype promote_floats(jg_dtype a, jg_dtype b)
{
    if (width(a) == width(b) && a != b)
        return of_kind(JG_KIND_FLOAT, 2 * width(a));
    return width(a) >= width(b) ? a : b;
}

/* At least one is complex. A float widens it to parts of its own width; an integer does not. */
static jg_dtype promote_complex(jg_dtype a, jg_dtype b)
{
    if (!dtype_is_complex(a))
        return promote_complex(b, a);
    int other = dtype_is_complex(b) ? width(b) : dtype_is_floating(b) ? 2 * width(b) : 0;
    return other > width(a) ? of_kind(JG_KIND_COMPLEX, other) : a;
}

static jg_dtype promote_distinct(jg_dtype a, jg_dtype b)
{
    if (dtype_rows[a].kind == JG_KIND_BOOL)
        return b;
    if (dtype_rows[b].kind == JG_KIND_BOOL)
        return a;
    if (dtype_is_complex(a) || dtype_is_complex(b))
        return promote_complex(a, b);
    if (dtype_is_integer(a) && dtype_is_integer(b))
        return promote_integers(a, b);
    if (dtype_is_floating(a) && dtype_is_floating(b))
        return promote_floats(a, b);
    return dtype_is_floating(a) ? a : b;
}

jg_status jg_dtype_promote(jg_dtype a, jg_dtype b, jg_dtype *out)
{
    if (!jg_dtype_is_computable(a) || !jg_dtype_is_computable(b))
        return base_fail(
            JG_ERR_TYPE,
            "dtype: %s and %s cannot be promoted: ops do not compute on %s, allowed are "
            "dtypes that ops compute with",
            jg_dtype_name(a), jg_dtype_name(b), jg_dtype_name(jg_dtype_is_computable(a) ? b : a));
    *out = a == b ? a : promote_distinct(a, b);
    return JG_OK;
}

/* The table has the whole dtypes first. Among those alone, and from the first float on, promotion
 * is associative. */
jg_status jg_dtype_promote_set(uint64_t dtypes, jg_dtype *out)
{
    _Static_assert(JG_DTYPE_COUNT < 64, "a set of dtypes has a bit for each");
    if (dtypes == 0 || dtypes >> JG_DTYPE_COUNT)
        return base_fail(JG_ERR_VALUE,
                         "dtypes: got the set 0x%llx, allowed are bits below %d, one "
                         "at least",
                         (unsigned long long)dtypes, JG_DTYPE_COUNT);
    jg_dtype common = (jg_dtype)__builtin_ctzll(dtypes);
    for (uint64_t rest = dtypes & (dtypes - 1); rest != 0; rest &= rest - 1)
        JG_TRY(jg_dtype_promote(common, (jg_dtype)__builtin_ctzll(rest), &common));
    *out = common;
    return JG_OK;
}

/* A kind that `like` can hold keeps like's dtype; a wider kind takes the default width, or like's
 * own where it is a float beside a complex number. */
jg_dtype jg_dtype_beside(jg_dtype_kind kind, jg_dtype like)
{
    like = (unsigned)like < JG_DTYPE_COUNT ? dtype_on_the_way(like) : DTYPE_DEFAULT_FLOAT;
    switch (kind) {
    case JG_KIND_BOOL: return JG_DTYPE_BOOL;
    case JG_KIND_COMPLEX:
        if (dtype_is_complex(like))
            return like;
        return like == JG_DTYPE_FLOAT64 ? JG_DTYPE_COMPLEX128 : JG_DTYPE_COMPLEX64;
    case JG_KIND_FLOAT: return dtype_with_float(like);
    default: return dtype_rows[like].kind == JG_KIND_BOOL ? DTYPE_DEFAULT_INT : like;
    }
}
