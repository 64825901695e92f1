/* SPDX-License-Identifier: Apache-2.0 */
/* mdspan, C++'s multidimensional view, as a jg_view: joggle::view(span).
 *
 * Header-only, C++17, optional: nothing else in joggle includes it. It takes std::mdspan where
 * the compiler has one, cuda::std::mdspan and CCCL's host, device and managed mdspans where CCCL
 * is on the include path, and any other class with the same members. CUDA's toolkit adds its
 * element types (__half, __nv_fp8_e4m3, float4, ...) where its headers are found; no CUDA
 * compiler is needed.
 *
 * A jg_view copies extents and strides, so the span may be a temporary; the elements must
 * outlive the view. For a DLTensor give the view a name: joggle::dltensor(joggle::view(span))
 * would dangle and does not compile. */
#ifndef JOGGLE_MDSPAN_HPP
#define JOGGLE_MDSPAN_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <joggle/dlpack.h>
#include <joggle/mdspan_element.hpp>
#include <joggle/view.h>

#if __cplusplus > 202002L && __has_include(<mdspan>)
#include <mdspan>
#endif
#if __has_include(<cuda/std/mdspan>)
#include <cuda/std/mdspan>
#endif
#if __has_include(<cuda/mdspan>)
#include <cuda/mdspan>
#endif
/* From 3.1 on CCCL has accessors that name a device. Were they not found there any more, device
 * memory would pass for the host's; by the version the code below then fails to compile instead. */
#if !defined(CCCL_VERSION)
#define JOGGLE_HAS_CUDA_ACCESSORS 0
#elif CCCL_VERSION >= 3001000 || __has_include(<cuda/__mdspan/host_device_accessor.h>)
#define JOGGLE_HAS_CUDA_ACCESSORS 1
#else
#define JOGGLE_HAS_CUDA_ACCESSORS 0
#endif

namespace joggle
{
namespace mdspan_detail
{

/* Which device an accessor vouches for; a plain one is taken to mean host memory. */
enum class memory { plain, host, device, managed };

template <class Accessor> constexpr memory memory_of() noexcept
{
#if JOGGLE_HAS_CUDA_ACCESSORS
    if (cuda::is_host_accessor_v<Accessor>)
        return memory::host;
    if (cuda::is_device_accessor_v<Accessor>)
        return memory::device;
    if (cuda::is_managed_accessor_v<Accessor>)
        return memory::managed;
#endif
    return memory::plain;
}

/* std::is_pointer says no to a restrict-qualified pointer. */
template <class T> struct is_pointer : std::is_pointer<T> {
};
template <class T> struct is_pointer<T *__restrict> : std::true_type {
};

/* Whether an element is read and written by a plain reference to it. A scaling or conjugating
 * accessor gives a value instead, and the memory then does not hold what the span says. */
template <class Reference, class Element>
constexpr bool is_plain_reference = std::is_lvalue_reference_v<Reference> &&
    std::is_same_v<std::remove_cv_t<std::remove_reference_t<Reference>>, std::remove_cv_t<Element>>;

template <class Span, class = void> struct is_mdspan : std::false_type {
};
template <class Span>
struct is_mdspan<Span, std::void_t<typename Span::element_type, typename Span::extents_type,
                                   typename Span::layout_type, typename Span::accessor_type,
                                   typename Span::data_handle_type, typename Span::mapping_type>>
    : std::true_type {
};

/* Whether index (i, j, ...) lies at a constant plus i times a stride plus j times a stride.
 * CCCL's layout_stride_relaxed does although it does not count as strided, for its strides may
 * be negative. */
template <class Mapping, class = void> struct is_affine : std::false_type {
};
template <class Mapping>
struct is_affine<Mapping, std::enable_if_t<Mapping::is_always_strided()>> : std::true_type {
};
template <class Mapping>
struct is_affine<Mapping, std::enable_if_t<!Mapping::is_always_strided() &&
                                           (sizeof(typename Mapping::strides_type) > 0) &&
                                           (sizeof(typename Mapping::offset_type) > 0)>>
    : std::true_type {
};

/* A value of any integer type as int64_t. raises: std::invalid_argument, naming the axis */
template <class Integer> std::int64_t to_int64(Integer value, const char *what, std::size_t axis)
{
    static_assert(sizeof(Integer) <= 8, "the index type has at most 64 bits");
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if (std::is_unsigned_v<Integer> && static_cast<std::uint64_t>(value) > std::uint64_t{most})
        throw std::invalid_argument(std::string(what) + "(" + std::to_string(axis) + "): got " +
                                    std::to_string(value) + ", allowed 0 to " +
                                    std::to_string(most));
    return static_cast<std::int64_t>(value);
}

template <class Span> bool is_empty(const Span &span)
{
    bool empty = false;
    for (std::size_t i = 0; i < Span::extents_type::rank(); i++)
        empty |= span.extent(static_cast<typename Span::rank_type>(i)) == 0;
    return empty;
}

/* Where index (0, 0, ...) lies: not at the handle itself for layouts with an offset. */
template <class Span, std::size_t... Axes>
auto first_element(const Span &span, std::index_sequence<Axes...>)
{
    using index = typename Span::index_type;
    return span.data_handle() + span.mapping()((static_cast<void>(Axes), index{0})...);
}

/* The static conditions on a span, each with the words that the compiler prints. */
template <class Span> constexpr element checked_element()
{
    using type = typename Span::element_type;
    constexpr element described = element_of<std::remove_cv_t<type>>::value;
    static_assert(is_pointer<typename Span::data_handle_type>::value,
                  "joggle::view: the accessor's data_handle_type must be a pointer");
    static_assert(is_plain_reference<typename Span::accessor_type::reference, type>,
                  "joggle::view: the accessor must give plain references to the elements");
    static_assert(!std::is_volatile_v<type>, "joggle::view: volatile elements cannot be viewed");
    static_assert(is_affine<typename Span::mapping_type>::value,
                  "joggle::view: the layout must have strides");
    static_assert(Span::extents_type::rank() <= JG_MAX_NDIM,
                  "joggle::view: rank above JG_MAX_NDIM");
    static_assert(described.lanes != 0, "joggle::view: no dtype describes the element type");
    return described;
}

template <class Span> jg_view make(const Span &span, jg_device_id device)
{
    using type = typename Span::element_type;
    constexpr element described = checked_element<Span>();
    constexpr std::size_t rank = Span::extents_type::rank();
    std::array<std::int64_t, rank + 1> shape{}, strides{}; /* one more, as rank may be 0 */
    using axis = typename Span::rank_type;
    for (std::size_t i = 0; i < rank; i++)
        shape[i] = to_int64(span.extent(static_cast<axis>(i)), "extent", i);
    if constexpr (rank > 0) /* else there is no stride() to compile */
        for (std::size_t i = 0; i < rank; i++)
            strides[i] = to_int64(span.mapping().stride(static_cast<axis>(i)), "stride", i);
    void *data = nullptr;
    if (!is_empty(span))
        data = const_cast<std::remove_cv_t<type> *>(
            first_element(span, std::make_index_sequence<rank>()));
    constexpr unsigned flags = described.flags | (std::is_const_v<type> ? JG_VIEW_READ_ONLY : 0u);
    jg_view view;
    jg_status status = jg_view_init(&view, data, device, described.dtype, described.lanes,
                                    static_cast<int>(rank), shape.data(), strides.data(), flags);
    if (status != JG_OK)
        throw std::invalid_argument(jg_error_message());
    return view;
}

template <class Span> using if_mdspan = std::enable_if_t<is_mdspan<Span>::value, memory>;

} // namespace mdspan_detail

/* The span's memory: CUDA's for a device_mdspan, managed for a managed_mdspan, else the CPU's.
 * device is CUDA's ordinal of the device that a device_mdspan's memory lies on. Const elements
 * make the view read-only; vector types such as float4 become lanes. A span without elements
 * gives NULL data.
 * keeps: the span's data | gives: the view | raises: std::invalid_argument for an extent or
 * stride beyond int64_t, naming the axis, and for what jg_view_init refuses | waits: never */
template <class Span, mdspan_detail::if_mdspan<Span> * = nullptr>
[[nodiscard]] jg_view view(const Span &span)
{
    constexpr auto memory = mdspan_detail::memory_of<typename Span::accessor_type>();
    constexpr std::int32_t type = memory == mdspan_detail::memory::device ? JG_DEVICE_CUDA
                                  : memory == mdspan_detail::memory::managed
                                      ? JG_DEVICE_CUDA_MANAGED
                                      : JG_DEVICE_CPU;
    return mdspan_detail::make(span, jg_device_id{type, 0});
}

template <class Span, mdspan_detail::if_mdspan<Span> * = nullptr>
[[nodiscard]] jg_view view(const Span &span, int device)
{
    static_assert(mdspan_detail::memory_of<typename Span::accessor_type>() ==
                      mdspan_detail::memory::device,
                  "joggle::view: only a device_mdspan lies on a numbered device");
    return mdspan_detail::make(span, jg_device_id{JG_DEVICE_CUDA, device});
}

/* The same on a device of the caller's choice, such as ROCm, for spans that do not name one.
 * keeps, gives, raises: as above */
template <class Span, mdspan_detail::if_mdspan<Span> * = nullptr>
[[nodiscard]] jg_view view(const Span &span, jg_device_id device)
{
    static_assert(mdspan_detail::memory_of<typename Span::accessor_type>() ==
                      mdspan_detail::memory::plain,
                  "joggle::view: the span's accessor already says where its memory lies");
    return mdspan_detail::make(span, device);
}

} // namespace joggle

#endif
