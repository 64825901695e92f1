// SPDX-License-Identifier: Apache-2.0
// Views of mdspans. tests/python/exchange/test_mdspan.py compiles and runs this against the CCCL it finds;
// each function is named as the behaviour it checks, and main prints that name.
#include <cuda/mdspan>
#include <cuda/std/mdspan>
#include <joggle/mdspan.hpp>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

namespace
{

namespace cs = cuda::std;
template <class T, std::size_t Rank> using spans = cs::mdspan<T, cs::dextents<std::size_t, Rank>>;

bool same(const std::int64_t *values, std::vector<std::int64_t> expected)
{
    return std::memcmp(values, expected.data(), expected.size() * sizeof(std::int64_t)) == 0;
}

// The type that a view of T has.
template <class T> bool is(jg_dtype dtype, int lanes = 1, unsigned flags = 0)
{
    alignas(64) static unsigned char bytes[64];
    spans<T, 1> span(reinterpret_cast<T *>(bytes), 1);
    jg_view view = joggle::view(span);
    bool fits = view.flags & JG_VIEW_SUBBYTE_PADDED ||
                sizeof(T) * CHAR_BIT == std::size_t(jg_dtype_bits(view.dtype)) * view.lanes;
    return fits && view.dtype == dtype && view.lanes == lanes && view.flags == flags;
}

template <class Action> bool throws(Action action, const char *words)
{
    try {
        (void)action();
    } catch (const std::invalid_argument &error) {
        if (std::strstr(error.what(), words) == nullptr)
            std::fprintf(stderr, "'%s' is not in '%s'\n", words, error.what());
        return std::strstr(error.what(), words) != nullptr;
    }
    return false;
}

void a_span_becomes_a_view_of_its_memory()
{
    float data[6] = {};
    spans<float, 2> span(data, 2, 3);
    jg_view view = joggle::view(span);
    REQUIRE(view.data == data && view.byte_offset == 0);
    REQUIRE(view.ndim == 2 && same(view.shape, {2, 3}) && same(view.strides, {3, 1}));
    REQUIRE(view.device.type == JG_DEVICE_CPU && view.device.id == 0);
    REQUIRE(view.dtype == JG_DTYPE_FLOAT32 && view.lanes == 1 && view.flags == 0);
}

void a_temporary_span_is_fine()
{
    float data[6] = {};
    jg_view view = joggle::view(spans<float, 2>(data, 2, 3));
    DLTensor tensor = joggle::dltensor(view);
    REQUIRE(tensor.data == data && tensor.shape == view.shape && tensor.strides == view.strides);
}

void layouts_keep_their_strides()
{
    float data[24] = {};
    using extents = cs::extents<int, 2, 3>;
    cs::mdspan<float, extents, cs::layout_left> left(data);
    REQUIRE(same(joggle::view(left).strides, {1, 2}));
    cs::layout_stride::mapping<extents> mapping(extents{}, cs::array<int, 2>{10, 3});
    cs::mdspan<float, extents, cs::layout_stride> strided(data, mapping);
    REQUIRE(same(joggle::view(strided).strides, {10, 3}));
    REQUIRE(joggle::view(strided).data == data);
}

void const_elements_are_read_only()
{
    REQUIRE(is<const double>(JG_DTYPE_FLOAT64, 1, JG_VIEW_READ_ONLY));
    REQUIRE(is<double>(JG_DTYPE_FLOAT64));
}

void a_scalar_span_has_rank_zero()
{
    double value = 1;
    cs::mdspan<double, cs::extents<int>> span(&value);
    jg_view view = joggle::view(span);
    REQUIRE(view.ndim == 0 && view.data == &value && jg_view_size(&view) == 1);
}

void an_empty_span_has_no_data()
{
    float data[1] = {};
    spans<float, 3> span(data, 2, 0, 3);
    jg_view view = joggle::view(span);
    REQUIRE(view.data == nullptr && jg_view_size(&view) == 0 && same(view.shape, {2, 0, 3}));
    REQUIRE(joggle::dltensor(view).data == nullptr);
}

// A span in no memory: extents and strides are numbers and nothing is read through it.
void what_int64_cannot_hold_is_refused_by_axis()
{
    char data[1] = {};
    std::size_t huge = std::size_t(1) << 63;
    spans<char, 2> large(data, 1, huge);
    REQUIRE(throws([&] { return joggle::view(large); },
                   "extent(1): got 9223372036854775808, allowed 0 to 9223372036854775807"));
    using extents = cs::dextents<std::size_t, 2>;
    cs::layout_stride::mapping<extents> mapping(extents(2, 1), cs::array<std::size_t, 2>{huge, 1});
    cs::mdspan<char, extents, cs::layout_stride> far(data, mapping);
    REQUIRE(throws([&] { return joggle::view(far); }, "stride(0): got 9223372036854775808"));
}

void what_memory_cannot_hold_is_refused_with_the_librarys_words()
{
    double data[1] = {};
    spans<double, 1> large(data, std::size_t(1) << 61);
    REQUIRE(throws([&] { return joggle::view(large); }, "shape: 2305843009213693952 elements"));
}

void standard_types_have_their_dtypes()
{
    REQUIRE(is<bool>(JG_DTYPE_BOOL));
    REQUIRE(is<signed char>(JG_DTYPE_INT8) && is<unsigned char>(JG_DTYPE_UINT8));
    REQUIRE(is<char>(CHAR_MIN < 0 ? JG_DTYPE_INT8 : JG_DTYPE_UINT8));
    REQUIRE(is<std::int16_t>(JG_DTYPE_INT16) && is<std::uint16_t>(JG_DTYPE_UINT16));
    REQUIRE(is<std::int32_t>(JG_DTYPE_INT32) && is<std::uint32_t>(JG_DTYPE_UINT32));
    REQUIRE(is<std::int64_t>(JG_DTYPE_INT64) && is<std::uint64_t>(JG_DTYPE_UINT64));
    REQUIRE(is<long long>(JG_DTYPE_INT64) && is<unsigned long long>(JG_DTYPE_UINT64));
    REQUIRE(is<float>(JG_DTYPE_FLOAT32) && is<double>(JG_DTYPE_FLOAT64));
    REQUIRE(is<std::complex<float>>(JG_DTYPE_COMPLEX64));
    REQUIRE(is<cs::complex<double>>(JG_DTYPE_COMPLEX128));
    REQUIRE(is<const cs::complex<float>>(JG_DTYPE_COMPLEX64, 1, JG_VIEW_READ_ONLY));
#if defined(__SIZEOF_FLOAT128__)
    __extension__ typedef __float128 quad;
    REQUIRE(is<quad>(JG_DTYPE_FLOAT128));
#endif
}

void a_restricted_pointer_is_a_pointer()
{
    float data[6] = {};
    cuda::restrict_mdspan<float, cs::extents<int, 2, 3>> span(data);
    REQUIRE(joggle::view(span).data == data);
}

void memory_of_other_kinds_is_named_by_the_caller()
{
    float data[2] = {};
    spans<float, 1> span(data, 2);
    jg_view view = joggle::view(span, jg_device_id{JG_DEVICE_ROCM, 2});
    REQUIRE(view.device.type == JG_DEVICE_ROCM && view.device.id == 2);
    REQUIRE(throws([&] { return joggle::view(span, jg_device_id{6, 0}); }, "device_type: got 6"));
}

#if JOGGLE_HAS_CUDA_ACCESSORS
void accessors_name_the_device()
{
    static float data[6];
    using extents = cs::extents<int, 2, 3>;
    cuda::host_mdspan<float, extents> host(data);
    cuda::device_mdspan<const float, extents> device(data);
    cuda::managed_mdspan<float, extents, cs::layout_left> managed(data);
    REQUIRE(joggle::view(host).device.type == JG_DEVICE_CPU);
    REQUIRE(joggle::view(device).device.type == JG_DEVICE_CUDA);
    REQUIRE(joggle::view(device).device.id == 0 && joggle::view(device, 3).device.id == 3);
    REQUIRE(joggle::view(device).flags == JG_VIEW_READ_ONLY);
    REQUIRE(joggle::view(managed).device.type == JG_DEVICE_CUDA_MANAGED);
    REQUIRE(same(joggle::view(managed).strides, {1, 2}));
    REQUIRE(throws([&] { return joggle::view(device, -1); }, "device_id: got -1 on cuda"));
}

// CCCL's relaxed layout places index 0 away from the handle, with strides of either sign.
void a_relaxed_layout_starts_at_its_offset()
{
    static float data[6];
    using extents = cs::extents<int, 6>;
    using mapping = cuda::layout_stride_relaxed::mapping<extents>;
    mapping reversed(extents{}, mapping::strides_type(cs::array<cs::ptrdiff_t, 1>{-1}), 5);
    cs::mdspan<float, extents, cuda::layout_stride_relaxed> span(data, reversed);
    jg_view view = joggle::view(span);
    REQUIRE(view.data == data + 5 && view.strides[0] == -1);
}
#endif

#if __has_include(<cuda_fp16.h>)
void narrow_floats_have_their_dtypes()
{
    const unsigned padded = JG_VIEW_SUBBYTE_PADDED;
    REQUIRE(is<__half>(JG_DTYPE_FLOAT16) && is<__half2>(JG_DTYPE_FLOAT16, 2));
    REQUIRE(is<__nv_bfloat16>(JG_DTYPE_BFLOAT16) && is<__nv_bfloat162>(JG_DTYPE_BFLOAT16, 2));
    REQUIRE(is<cs::complex<__half>>(JG_DTYPE_COMPLEX32));
    REQUIRE(is<__nv_fp8_e4m3>(JG_DTYPE_FLOAT8_E4M3FN));
    REQUIRE(is<__nv_fp8x4_e4m3>(JG_DTYPE_FLOAT8_E4M3FN, 4));
    REQUIRE(is<const __nv_fp8x2_e5m2>(JG_DTYPE_FLOAT8_E5M2, 2, JG_VIEW_READ_ONLY));
    REQUIRE(is<__nv_fp8_e8m0>(JG_DTYPE_FLOAT8_E8M0FNU));
    REQUIRE(is<__nv_fp6_e2m3>(JG_DTYPE_FLOAT6_E2M3FN, 1, padded));
    REQUIRE(is<__nv_fp6x4_e3m2>(JG_DTYPE_FLOAT6_E3M2FN, 4, padded));
    REQUIRE(is<__nv_fp4_e2m1>(JG_DTYPE_FLOAT4_E2M1FN, 1, padded));
    REQUIRE(is<__nv_fp4x2_e2m1>(JG_DTYPE_FLOAT4_E2M1FN, 2));
    REQUIRE(is<__nv_fp4x4_e2m1>(JG_DTYPE_FLOAT4_E2M1FN, 4));
}

void vectors_become_lanes()
{
    REQUIRE(is<float4>(JG_DTYPE_FLOAT32, 4) && is<float3>(JG_DTYPE_FLOAT32, 3));
    REQUIRE(is<char1>(JG_DTYPE_INT8, 1) && is<uchar4>(JG_DTYPE_UINT8, 4));
    REQUIRE(is<short2>(JG_DTYPE_INT16, 2) && is<uint3>(JG_DTYPE_UINT32, 3));
    REQUIRE(is<longlong2>(JG_DTYPE_INT64, 2) && is<ulong1>(JG_DTYPE_UINT64, 1));
    REQUIRE(is<const double2>(JG_DTYPE_FLOAT64, 2, JG_VIEW_READ_ONLY));
#if defined(__VECTOR_TYPE_DEPRECATED__)
    REQUIRE(is<double4_32a>(JG_DTYPE_FLOAT64, 4) && is<long4_16a>(JG_DTYPE_INT64, 4));
#endif
}
#else
void without_a_toolkit_there_are_no_cuda_types()
{
}
#endif

} // namespace

#define RUN(function) (function(), std::puts(#function))

int main()
{
    RUN(a_span_becomes_a_view_of_its_memory);
    RUN(a_temporary_span_is_fine);
    RUN(layouts_keep_their_strides);
    RUN(const_elements_are_read_only);
    RUN(a_scalar_span_has_rank_zero);
    RUN(an_empty_span_has_no_data);
    RUN(what_int64_cannot_hold_is_refused_by_axis);
    RUN(what_memory_cannot_hold_is_refused_with_the_librarys_words);
    RUN(standard_types_have_their_dtypes);
    RUN(a_restricted_pointer_is_a_pointer);
    RUN(memory_of_other_kinds_is_named_by_the_caller);
#if JOGGLE_HAS_CUDA_ACCESSORS
    RUN(accessors_name_the_device);
    RUN(a_relaxed_layout_starts_at_its_offset);
#endif
#if __has_include(<cuda_fp16.h>)
    RUN(narrow_floats_have_their_dtypes);
    RUN(vectors_become_lanes);
#else
    RUN(without_a_toolkit_there_are_no_cuda_types);
#endif
    return 0;
}
