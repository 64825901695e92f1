/* SPDX-License-Identifier: Apache-2.0 */
/* tensor: dtypes, promotion, shapes and strides. Pure arithmetic: no heap, no device.
 *
 * A jg_layout places a shape in memory: extents, strides and the offset of the first element,
 * all in elements. Every view is a function from layout to layout; each checks for overflow, so
 * a layout that exists can be walked without further checks. Only the first ndim entries of the
 * arrays are set. */
#ifndef JG_TENSOR_H
#define JG_TENSOR_H

#include "base/base.h"
#include <joggle/dtype.h>
#include <joggle/view.h>

/* dtype.c */

/* A row of dtype.def. Arrays of dtypes other than the computable ones can be stored, cast where
 * dtype_is_castable says so, and exchanged. */
typedef struct dtype_row {
    const char *name;
    uint8_t kind; /* jg_dtype_kind */
    uint8_t bits; /* of one lane */
    uint8_t lanes;
    uint8_t dlpack_code;
    bool computable;
} dtype_row;

extern const dtype_row dtype_rows[JG_DTYPE_COUNT];

/* Bytes of one stored element; 0 for sub-byte dtypes, whose storage is dtype_nbytes. */
size_t dtype_itemsize(jg_dtype dtype);

/* Bytes that count packed values of that many bits take, the last one rounded up. Neither is
 * negative. gives: *out; false where ptrdiff_t is too small for it | raises: never */
bool dtype_packed_nbytes(int64_t count, int64_t bits, int64_t *out);

/* Bytes that count elements take when packed without gaps. raises: VALUE on overflow */
jg_status dtype_nbytes(jg_dtype dtype, int64_t count, size_t *out);

/* The dtype whose row is exactly a DLPack (code, bits, lanes) triple; the packed pair of FP4 is
 * the one with two lanes. Any other number of lanes gives the dtype of one lane, and what the
 * lanes mean is left to the caller. raises: BUFFER if there is none */
jg_status dtype_from_dlpack(unsigned code, unsigned bits, unsigned lanes, jg_dtype *out);

/* For the type rules: one dtype derived from another. */
jg_dtype dtype_real_part(jg_dtype dtype);    /* complex64 -> float32; others unchanged */
jg_dtype dtype_with_float(jg_dtype dtype);   /* bool and integers -> the default float */
#define DTYPE_DEFAULT_FLOAT JG_DTYPE_FLOAT32 /* as in PyTorch and MLX */
#define DTYPE_DEFAULT_INT JG_DTYPE_INT64

/* Whether wide has every value of narrow; of computable dtypes only, for others false. */
bool dtype_holds(jg_dtype wide, jg_dtype narrow);

/* Whether elements are numbers of whole bytes each: what can be loaded, moved and cast, if not
 * computed with. The computable dtypes stand before the others in the table. */
static inline bool dtype_is_castable(jg_dtype dtype)
{
    const dtype_row *row = &dtype_rows[dtype];
    return row->kind != JG_KIND_OPAQUE && row->bits % 8 == 0 && row->lanes == 1;
}
/* The dtype through which casts from and to a dtype that is only stored go; a computable dtype
 * itself. */
jg_dtype dtype_on_the_way(jg_dtype dtype);

static inline bool dtype_is_integer(jg_dtype dtype)
{
    return dtype_rows[dtype].kind == JG_KIND_INT || dtype_rows[dtype].kind == JG_KIND_UINT;
}
/* Whether it is an integer that is computed with: only such elements may be indices. */
static inline bool dtype_is_index(jg_dtype dtype)
{
    return dtype_is_integer(dtype) && dtype_rows[dtype].computable;
}
static inline bool dtype_is_floating(jg_dtype dtype)
{
    return dtype_rows[dtype].kind == JG_KIND_FLOAT;
}
/* Whether it is float16 or bfloat16, which are computed in float32. */
static inline bool dtype_is_half(jg_dtype dtype)
{
    return dtype_is_floating(dtype) && dtype_rows[dtype].bits == 16;
}
static inline bool dtype_is_single_or_half(jg_dtype dtype)
{
    return dtype == JG_DTYPE_FLOAT32 || dtype_is_half(dtype);
}
/* Whether it is a float that processors compute with as it is. */
static inline bool dtype_is_single_or_double(jg_dtype dtype)
{
    return dtype == JG_DTYPE_FLOAT32 || dtype == JG_DTYPE_FLOAT64;
}
static inline bool dtype_is_complex(jg_dtype dtype)
{
    return dtype_rows[dtype].kind == JG_KIND_COMPLEX;
}

/* Whether BLAS and LAPACK have it: float32, float64 and the complex dtypes of such parts. */
static inline bool dtype_is_lapack(jg_dtype dtype)
{
    return dtype_is_single_or_double(dtype_real_part(dtype));
}

/* number.c */

/* The bits of a float's significand, the one that is not written down included. */
int dtype_significand_bits(jg_dtype dtype);

/* float.c */

/* float16 and bfloat16 by their bits, from and to float; rounding is to nearest even. */
float float_from_half(uint16_t bits);
uint16_t float_to_half(float value);
float float_from_bfloat(uint16_t bits);
uint16_t float_to_bfloat(float value);

/* scalar.c */

/* One element of any computable dtype, as a constant of a graph or an argument of a program. */
typedef union jg_scalar {
    uint64_t bits[2];
    int64_t i64;
    uint64_t u64;
    double f64;
    double complex_parts[2];
} jg_scalar;

/* The bytes of value in dtype, little-endian in *out; the caller checks that it is in range. kind
 * says which member of the union holds the value: INT, UINT, FLOAT, COMPLEX or BOOL (i64). */
void scalar_store(jg_scalar value, jg_dtype_kind kind, jg_dtype dtype, void *out);

/* Whether the range of an integer dtype has the real number, a float once it is truncated; NaN is
 * in none. True of all other dtypes, which round. value and kind are as above. */
bool scalar_fits(jg_scalar value, jg_dtype_kind kind, jg_dtype dtype);

/* Reads one element. gives: the value in the member that the returned kind names */
jg_dtype_kind scalar_load(const void *element, jg_dtype dtype, jg_scalar *out);

/* A number of the host in the member that its kind names, and an element as one. The double that is
 * next to a value of such a kind; of a complex one the real part. */
jg_scalar scalar_of_number(const jg_number *number);
jg_number scalar_number(const void *element, jg_dtype dtype);
double scalar_real(jg_scalar value, jg_dtype_kind kind);

/* shape.c */

/* The product of extents. raises: VALUE for a negative extent or a product beyond int64, naming
 * it */
jg_status shape_size(int ndim, const int64_t *shape, int64_t *out);

/* Broadcasts two shapes by NumPy's rule. gives: *ndim, shape | raises: VALUE, printing both */
jg_status shape_broadcast(int andim, const int64_t *a, int bndim, const int64_t *b, int *ndim,
                          int64_t *shape);

/* axis counted from the front. raises: AXIS, naming the argument, for one outside -ndim..ndim-1 */
jg_status shape_axis(const char *argument, int64_t axis, int ndim, int *out);

/* Axes as a bit set; naxes < 0 means all. raises: AXIS as above, VALUE for one named twice */
jg_status shape_axes(const char *argument, int naxes, const int64_t *axes, int ndim, uint64_t *out);

/* layout.c */

typedef struct jg_layout {
    int ndim;
    int64_t size;   /* product of the extents */
    int64_t offset; /* of the first element */
    int64_t shape[JG_MAX_NDIM];
    int64_t strides[JG_MAX_NDIM];
} jg_layout;

/* Row-major without gaps. raises: VALUE for ndim, a negative extent, a size beyond int64 */
jg_status layout_init(jg_layout *out, int ndim, const int64_t *shape);

/* The strides of a row-major array; empty axes count as 1, so that they stay defined. */
void layout_row_major(int ndim, const int64_t *shape, int64_t *strides);

/* Copies the entries that are set, and no more: JG_MAX_NDIM of them would be a kilobyte. */
void layout_copy(jg_layout *to, const jg_layout *from);

bool layout_is_contiguous(const jg_layout *layout); /* row-major, no gaps; empty is contiguous */

/* The lowest and highest element index that the layout touches, offset included. Empty gives 0, -1.
 * raises: VALUE if either leaves int64 */
jg_status layout_bounds(const jg_layout *layout, int64_t *lowest, int64_t *highest);

/* Whether two indices can meet in one element (zero strides, overlapping windows); true if that is
 * unknown. */
bool layout_may_overlap(const jg_layout *layout);

/* The same elements with another shape; one extent may be -1. *fits is false, and *to unset, where
 * strides cannot express it. raises: VALUE for extents that do not multiply to the size */
jg_status layout_reshape(const jg_layout *from, int ndim, const int64_t *shape, jg_layout *to,
                         bool *fits);
/* The extents that a reshape asks for with its -1 worked out. raises: VALUE */
jg_status layout_reshape_extents(int64_t size, int ndim, const int64_t *shape, int64_t *out);

/* Each of the following is a view of *from. `to` must be another layout than `from`, but for
 * layout_slice, which may work in place. raises: VALUE or AXIS, naming the argument */
jg_status layout_permute(const jg_layout *from, int naxes, const int64_t *axes, jg_layout *to);
jg_status layout_broadcast(const jg_layout *from, int ndim, const int64_t *shape, jg_layout *to);
jg_status layout_expand(const jg_layout *from, int64_t axis, jg_layout *to);
jg_status layout_squeeze(const jg_layout *from, int naxes, const int64_t *axes, jg_layout *to);

/* Along one axis: count elements from start, step apart. start and count are already clipped to the
 * axis. keep is false for an integer index, which drops the axis. raises: VALUE, INDEX */
jg_status layout_slice(const jg_layout *from, int axis, int64_t start, int64_t count, int64_t step,
                       bool keep, jg_layout *to);

/* Maps the indices of view, a window onto a row-major array of shape `shape`, to indices of that
 * array: view index i is root index origin[k] + sum over d of i[d] * steps[d * ndim + k]. *affine
 * is false if no such map exists (a reshape that crosses rows). */
void layout_decompose(const jg_layout *view, int ndim, const int64_t *shape, int64_t *origin,
                      int64_t *steps, bool *affine);

#endif
