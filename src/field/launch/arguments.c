/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a launch, checked against the kernel's declarations and written in the form that
 * the code reads. Nothing has run when one of them is refused. */
#include "base/divisor.h"
#include "field/kernel.h"
#include <inttypes.h>
#include <stdlib.h>

/* Addresses, low and high ends, a word for each array; extents and strides, a word for each axis;
 * scalars and results; and layouts, a byte for each array. field_launch_init cuts the block in this
 * order. */
size_t field_launch_nwords(const jg_kernel *kernel)
{
    const kernel_program *program = &kernel->program;
    return 3 * (size_t)program->narrays + 2 * (size_t)kernel->naxes + program->nscalars +
           program->nresults + (program->narrays + 7) / 8;
}

void field_launch_init(jg_kernel *kernel, uint64_t *words, field_launch *out)
{
    const kernel_program *program = &kernel->program;
    out->kernel = kernel;
    out->addresses = (void **)words;
    out->low = (const char **)(words += program->narrays);
    out->high = (const char **)(words += program->narrays);
    out->extents = (int64_t *)(words += program->narrays);
    out->strides = (int64_t *)(words += kernel->naxes);
    out->scalars = words += kernel->naxes;
    out->results = words += program->nscalars;
    out->layouts = (uint8_t *)(words + program->nresults);
}

static const char *array_name(const field_launch *launch, const kernel_array *array)
{
    return kernel_text(&launch->kernel->program, array->name);
}

#define FAIL_ARRAY(status, format, ...)                                                            \
    base_fail(status, "[%s] array %s: " format, jg_kernel_name(launch->kernel),                    \
              array_name(launch, array), __VA_ARGS__)

JG_COLD static jg_status refuse_type(const field_launch *launch, const kernel_array *array,
                                     const jg_view *view)
{
    if (view->lanes != 1)
        return FAIL_ARRAY(JG_ERR_TYPE, "got %d lanes, it has 1", view->lanes);
    if (view->dtype != array->dtype)
        return FAIL_ARRAY(JG_ERR_TYPE, "got %s, it is %s", jg_dtype_name(view->dtype),
                          jg_dtype_name((jg_dtype)array->dtype));
    return FAIL_ARRAY(JG_ERR_VALUE, "got %d axes, it has %d", view->ndim, array->ndim);
}

JG_COLD static jg_status refuse_memory(const field_launch *launch, const kernel_array *array,
                                       const jg_view *view)
{
    if (array->write && (view->flags & JG_VIEW_READ_ONLY))
        return FAIL_ARRAY(JG_ERR_BUFFER, "the memory is read-only, and the kernel writes it%s", "");
    return FAIL_ARRAY(JG_ERR_BUFFER, "its address is no multiple of the %s element's size",
                      jg_dtype_name(view->dtype));
}

/* Itemsizes of the types of kernels are powers of two. */
static bool is_aligned(const void *address, size_t itemsize)
{
    return ((uintptr_t)address & (itemsize - 1)) == 0;
}

/* The address of an empty view may be any number: no memory is read, and other libraries export
 * NULL for it. */
static jg_status take_memory(field_launch *launch, uint32_t index, const kernel_array *array,
                             const jg_view *view)
{
    char *address = (char *)view->data + view->byte_offset;
    bool refused = (array->write && (view->flags & JG_VIEW_READ_ONLY)) ||
                   !is_aligned(address, dtype_itemsize(view->dtype));
    if (JG_UNLIKELY(refused && jg_view_size(view) > 0))
        return refuse_memory(launch, array, view);
    launch->addresses[index] = address;
    return JG_OK;
}

/* Extents and strides, those that are declared compared; and the span between the lowest and the
 * highest byte. A view's extents and strides fit int64_t and its addresses, so nothing
 * overflows. */
static jg_status take_axes(field_launch *launch, uint32_t index, const kernel_array *array,
                           const jg_view *view, int axis)
{
    int64_t itemsize = (int64_t)dtype_itemsize(view->dtype), below = 0, above = itemsize;
    bool empty = false;
    for (int d = 0; d < view->ndim; ++d) {
        int64_t extent = view->shape[d], stride = extent > 1 ? view->strides[d] * itemsize : 0;
        if (JG_UNLIKELY(array->extents[d] != KERNEL_GIVEN && array->extents[d] != extent))
            return FAIL_ARRAY(JG_ERR_VALUE, "axis %d: got %" PRId64 " elements, it has %" PRId64, d,
                              extent, array->extents[d]);
        if (JG_UNLIKELY(!array->dense && array->strides[d] != KERNEL_GIVEN &&
                        array->strides[d] != stride && extent > 1))
            return FAIL_ARRAY(JG_ERR_VALUE,
                              "axis %d: got a stride of %" PRId64 " bytes, it has %" PRId64, d,
                              stride, array->strides[d]);
        launch->extents[axis + d] = extent;
        launch->strides[axis + d] = stride;
        empty |= extent == 0;
        *(stride < 0 ? &below : &above) += empty ? 0 : (extent - 1) * stride;
    }
    launch->low[index] = (const char *)launch->addresses[index] + (empty ? 0 : below);
    launch->high[index] = (const char *)launch->addresses[index] + (empty ? 0 : above);
    return JG_OK;
}

/* Whether the kernel leaves all strides of the array to the launch. */
static bool strides_are_free(const kernel_array *array)
{
    for (int d = 0; d < array->ndim; ++d)
        if (array->strides[d] != KERNEL_GIVEN)
            return false;
    return true;
}

/* The layout that the code may be specialised for. If the kernel itself declares strides, the
 * general code knows them already. A view that is not contiguous has an axis. */
static jg_status take_layout(field_launch *launch, uint32_t index, const kernel_array *array,
                             const jg_view *view)
{
    bool contiguous = jg_view_is_contiguous(view);
    if (array->dense && !contiguous)
        return FAIL_ARRAY(JG_ERR_VALUE, "got strides, it is row-major without gaps%s", "");
    if (array->dense || !strides_are_free(array))
        launch->layouts[index] = LAYOUT_GENERAL;
    else if (contiguous)
        launch->layouts[index] = LAYOUT_DENSE;
    else
        launch->layouts[index] = view->strides[view->ndim - 1] == 1 ? LAYOUT_UNIT : LAYOUT_GENERAL;
    return JG_OK;
}

jg_status field_launch_take_array(field_launch *launch, uint32_t array, const jg_view *view)
{
    const kernel_program *program = &launch->kernel->program;
    const kernel_array *declared = kernel_array_at(program, array);
    if (JG_UNLIKELY(view->dtype != declared->dtype || view->ndim != declared->ndim ||
                    view->lanes != 1))
        return refuse_type(launch, declared, view);
    JG_TRY(take_memory(launch, array, declared, view));
    JG_TRY(take_axes(launch, array, declared, view, launch->kernel->first_axes[array]));
    return take_layout(launch, array, declared, view);
}

/* The greatest common divisor of `divisor` and the strides that the array steps along; 0 where both
 * have none. */
static int64_t divide_strides(const field_launch *launch, uint32_t array, int64_t divisor)
{
    const kernel_program *program = &launch->kernel->program;
    int axis = launch->kernel->first_axes[array], ndim = kernel_array_at(program, array)->ndim;
    for (int d = axis; d < axis + ndim; ++d)
        if (launch->extents[d] > 1)
            divisor = base_common_divisor(divisor, launch->strides[d]);
    return divisor;
}

/* How many bytes from its first on the array may touch of every `length`: steps along an axis are
 * either multiples of that or stay inside. gives: more than length if neither. The division keeps
 * steps * stride from overflowing. */
static int64_t count_touched(const field_launch *launch, uint32_t array, int64_t length)
{
    const kernel_array *row = kernel_array_at(&launch->kernel->program, array);
    int axis = launch->kernel->first_axes[array];
    int64_t nbytes = (int64_t)dtype_itemsize((jg_dtype)row->dtype);
    for (int d = axis; d < axis + row->ndim && nbytes <= length; ++d) {
        int64_t stride = launch->strides[d], steps = launch->extents[d] - 1;
        if (steps <= 0 || stride % length == 0)
            continue;
        if (stride < 0 || steps > length / stride)
            return length + 1;
        nbytes += steps * stride;
    }
    return nbytes;
}

/* Whether the two touch different bytes of every `length`: modulo it, a touches the bytes 0 to
 * first, b those from `distance` on. Ranges that cross the end of the length count as
 * overlapping. */
static bool keep_apart(const field_launch *launch, uint32_t a, uint32_t b, int64_t length)
{
    int64_t distance = (const char *)launch->addresses[b] - (const char *)launch->addresses[a];
    int64_t first = count_touched(launch, a, length), second = count_touched(launch, b, length);
    distance = (distance % length + length) % length;
    return distance >= first && distance + second <= length;
}

/* Members of structs are interleaved. The period is an axis' step, or divides all steps. Only a few
 * lengths are tried, which is enough for cells and rows of cells; a wrong false costs only
 * speed. */
static bool interleave(const field_launch *launch, uint32_t a, uint32_t b)
{
    const kernel_program *program = &launch->kernel->program;
    int axis = launch->kernel->first_axes[a], ndim = kernel_array_at(program, a)->ndim;
    int64_t length = divide_strides(launch, b, divide_strides(launch, a, 0));
    if (length != 0 && keep_apart(launch, a, b, length))
        return true;
    for (int d = axis; d < axis + ndim; ++d)
        if (launch->extents[d] > 1 && launch->strides[d] > 0 &&
            keep_apart(launch, a, b, launch->strides[d]))
            return true;
    return false;
}

/* An empty array spans nothing, low == high, and so overlaps none. */
static bool meet(const field_launch *launch, uint32_t a, uint32_t b)
{
    return launch->low[a] < launch->high[b] && launch->low[b] < launch->high[a] &&
           !interleave(launch, a, b);
}

/* The bytes that the axes with smaller steps than this one span; of equal ones, those before it. */
static int64_t span_below(const field_launch *launch, int axis, int first, int end)
{
    int64_t step = llabs(launch->strides[axis]), nbytes = 0;
    for (int d = first; d < end; ++d) {
        int64_t other = llabs(launch->strides[d]);
        if (launch->extents[d] > 1 && (other < step || (other == step && d < axis)))
            nbytes += (launch->extents[d] - 1) * other;
    }
    return nbytes;
}

/* Whether two indices may be the same element, as with a stride of 0. True also for some arrays
 * whose axes are interlaced without sharing an element. */
static bool meets_itself(const field_launch *launch, uint32_t array)
{
    const kernel_array *row = kernel_array_at(&launch->kernel->program, array);
    int first = launch->kernel->first_axes[array], end = first + row->ndim;
    int64_t itemsize = (int64_t)dtype_itemsize((jg_dtype)row->dtype);
    if (launch->low[array] == launch->high[array]) /* empty: its strides may be any */
        return false;
    for (int d = first; d < end; ++d)
        if (launch->extents[d] > 1 &&
            llabs(launch->strides[d]) < itemsize + span_below(launch, d, first, end))
            return true;
    return false;
}

bool field_launch_overlaps(const field_launch *launch)
{
    const kernel_program *program = &launch->kernel->program;
    for (uint32_t a = 0; a < program->narrays; ++a) {
        if (kernel_array_at(program, a)->write && meets_itself(launch, a))
            return true;
        for (uint32_t b = 0; b < a; ++b)
            if ((kernel_array_at(program, a)->write || kernel_array_at(program, b)->write) &&
                meet(launch, a, b))
                return true;
    }
    return false;
}

static jg_status refuse_scalar(jg_status status, const field_launch *launch,
                               const kernel_value *declared, const jg_number *number)
{
    char text[64];
    return base_fail(
        status, "[%s] scalar %s: got %s %s, allowed are numbers for %s",
        jg_kernel_name(launch->kernel), kernel_text(&launch->kernel->program, declared->name),
        number->kind == JG_KIND_COMPLEX ? "the complex number"
        : number->kind == JG_KIND_FLOAT ? "the float"
                                        : "the integer",
        graph_number_text(text, sizeof text, number), jg_dtype_name((jg_dtype)declared->type));
}

jg_status field_launch_take_scalar(field_launch *launch, uint32_t scalar, const jg_number *number)
{
    const kernel_value *declared = kernel_value_at(&launch->kernel->program, scalar);
    jg_dtype type = (jg_dtype)declared->type;
    uint64_t bits = 0;
    if (number->kind == JG_KIND_COMPLEX ||
        (number->kind == JG_KIND_FLOAT && !dtype_is_floating(type)))
        return refuse_scalar(JG_ERR_TYPE, launch, declared, number);
    jg_scalar value = scalar_of_number(number);
    if (!scalar_fits(value, number->kind, type))
        return refuse_scalar(JG_ERR_VALUE, launch, declared, number);
    scalar_store(value, number->kind, type, &bits);
    launch->scalars[scalar] = bits;
    return JG_OK;
}
