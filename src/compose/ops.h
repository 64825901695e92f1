/* SPDX-License-Identifier: Apache-2.0 */
/* compose_NAME for each op that is spelled in others: calls.c calls it for jg_NAME, with arguments
 * that are not NULL, and puts the op's name into its failures. Effects as in <joggle/ops.h>.
 * Written by tools/optable.py from src/op/op.def. */
#ifndef JG_COMPOSE_OPS_H
#define JG_COMPOSE_OPS_H

#include <joggle/ops.h>

/* clang-format off */
jg_status compose_fmod(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_lcm(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_float_power(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_pow(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_fmax(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_fmin(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_heaviside(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_real(jg_array *x, jg_array **out);
jg_status compose_imag(jg_array *x, jg_array **out);
jg_status compose_angle(jg_array *x, jg_array **out);
jg_status compose_conj(jg_array *x, jg_array **out);
jg_status compose_square(jg_array *x, jg_array **out);
jg_status compose_stop_gradient(jg_array *x, jg_array **out);
jg_status compose_reciprocal(jg_array *x, jg_array **out);
jg_status compose_divmod(jg_array *x1, jg_array *x2, jg_array_list *out);
jg_status compose_spacing(jg_array *x, jg_array **out);
jg_status compose_fabs(jg_array *x, jg_array **out);
jg_status compose_frexp(jg_array *x, jg_array_list *out);
jg_status compose_ldexp(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_modf(jg_array *x, jg_array_list *out);
jg_status compose_clip(jg_array *x, jg_array *min, jg_array *max, jg_array **out);
jg_status compose_nan_to_num(jg_array *x, double nan, const double *posinf, const double *neginf,
                             jg_array **out);
jg_status compose_greater(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_greater_equal(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_isnan(jg_array *x, jg_array **out);
jg_status compose_isinf(jg_array *x, jg_array **out);
jg_status compose_isfinite(jg_array *x, jg_array **out);
jg_status compose_isposinf(jg_array *x, jg_array **out);
jg_status compose_isneginf(jg_array *x, jg_array **out);
jg_status compose_signbit(jg_array *x, jg_array **out);
jg_status compose_isclose(jg_array *x1, jg_array *x2, double rtol, double atol, bool equal_nan,
                          jg_array **out);
jg_status compose_allclose(jg_array *x1, jg_array *x2, double rtol, double atol, bool equal_nan,
                           jg_array **out);
jg_status compose_array_equal(jg_array *x1, jg_array *x2, bool equal_nan, jg_array **out);
jg_status compose_bitwise_count(jg_array *x, jg_array **out);
jg_status compose_logaddexp2(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_cbrt(jg_array *x, jg_array **out);
jg_status compose_rsqrt(jg_array *x, jg_array **out);
jg_status compose_degrees(jg_array *x, jg_array **out);
jg_status compose_radians(jg_array *x, jg_array **out);
jg_status compose_softplus(jg_array *x, jg_array **out);
jg_status compose_silu(jg_array *x, jg_array **out);
jg_status compose_gelu(jg_array *x, jg_array **out);
jg_status compose_gelu_approx(jg_array *x, jg_array **out);
jg_status compose_round(jg_array *x, int64_t decimals, jg_array **out);
jg_status compose_minmax(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         jg_array_list *out);
jg_status compose_ptp(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out);
jg_status compose_count_nonzero(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                jg_array **out);
jg_status compose_mean(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out);
jg_status compose_var(jg_array *x, int naxes, const int64_t *axes, bool keepdims, double correction,
                      jg_array **out);
jg_status compose_std(jg_array *x, int naxes, const int64_t *axes, bool keepdims, double correction,
                      jg_array **out);
jg_status compose_logsumexp(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                            jg_array **out);
jg_status compose_nansum(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         const jg_dtype *dtype, jg_array **out);
jg_status compose_nanprod(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                          const jg_dtype *dtype, jg_array **out);
jg_status compose_nanmax(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         jg_array **out);
jg_status compose_nanmin(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         jg_array **out);
jg_status compose_nanmean(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                          jg_array **out);
jg_status compose_nanvar(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         double correction, jg_array **out);
jg_status compose_nanstd(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         double correction, jg_array **out);
jg_status compose_nanargmax(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out);
jg_status compose_nanargmin(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out);
jg_status compose_nancumsum(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                            const jg_dtype *dtype, jg_array **out);
jg_status compose_nancumprod(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                             const jg_dtype *dtype, jg_array **out);
jg_status compose_argmax(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out);
jg_status compose_argmin(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out);
jg_status compose_cumsum(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                         const jg_dtype *dtype, jg_array **out);
jg_status compose_cumprod(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                          const jg_dtype *dtype, jg_array **out);
jg_status compose_cummax(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                         jg_array **out);
jg_status compose_cummin(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                         jg_array **out);
jg_status compose_logcumsumexp(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                               jg_array **out);
jg_status compose_cumulative_sum(jg_array *x, const int64_t *axis, const jg_dtype *dtype,
                                 bool include_initial, jg_array **out);
jg_status compose_cumulative_prod(jg_array *x, const int64_t *axis, const jg_dtype *dtype,
                                  bool include_initial, jg_array **out);
jg_status compose_diff(jg_array *x, int64_t n, int64_t axis, jg_array *prepend, jg_array *append,
                       jg_array **out);
jg_status compose_softmax(jg_array *x, int naxes, const int64_t *axes, jg_array **out);
jg_status compose_log_softmax(jg_array *x, int naxes, const int64_t *axes, jg_array **out);
jg_status compose_rms_norm(jg_array *x, jg_array *weight, double eps, jg_array **out);
jg_status compose_rope(jg_array *a, int64_t dims, bool traditional, const double *base,
                       double scale, jg_array *offset, jg_array *freqs, jg_array **out);
jg_status compose_cross_entropy(jg_array *logits, jg_array *targets, jg_array **out);
jg_status compose_layer_norm(jg_array *x, jg_array *weight, jg_array *bias, double eps,
                             jg_array **out);
jg_status compose_gather(jg_array *x, int count, jg_array *const *indices, int naxes,
                         const int64_t *axes, jg_array **out);
jg_status compose_take(jg_array *x, jg_array *indices, const int64_t *axis, jg_array **out);
jg_status compose_take_along_axis(jg_array *x, jg_array *indices, const int64_t *axis,
                                  jg_array **out);
jg_status compose_put_along_axis(jg_array *x, jg_array *indices, jg_array *values,
                                 const int64_t *axis, jg_array **out);
jg_status compose_scatter(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                          int naxes, const int64_t *axes, jg_array **out);
jg_status compose_scatter_add(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                              int naxes, const int64_t *axes, jg_array **out);
jg_status compose_scatter_subtract(jg_array *x, int count, jg_array *const *indices,
                                   jg_array *updates, int naxes, const int64_t *axes,
                                   jg_array **out);
jg_status compose_scatter_multiply(jg_array *x, int count, jg_array *const *indices,
                                   jg_array *updates, int naxes, const int64_t *axes,
                                   jg_array **out);
jg_status compose_scatter_divide(jg_array *x, int count, jg_array *const *indices,
                                 jg_array *updates, int naxes, const int64_t *axes, jg_array **out);
jg_status compose_scatter_power(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                                int naxes, const int64_t *axes, jg_array **out);
jg_status compose_scatter_max(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                              int naxes, const int64_t *axes, jg_array **out);
jg_status compose_scatter_min(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                              int naxes, const int64_t *axes, jg_array **out);
jg_status compose_nonzero(jg_array *x, jg_array_list *out);
jg_status compose_argwhere(jg_array *x, jg_array **out);
jg_status compose_flatnonzero(jg_array *x, jg_array **out);
jg_status compose_compress(jg_array *condition, jg_array *x, const int64_t *axis, jg_array **out);
jg_status compose_extract(jg_array *condition, jg_array *x, jg_array **out);
jg_status compose_matmul(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_gather_mm(jg_array *a, jg_array *b, jg_array *lhs_indices, jg_array *rhs_indices,
                            bool sorted_indices, jg_array **out);
jg_status compose_block_masked_mm(jg_array *a, jg_array *b, int64_t block_size, jg_array *mask_out,
                                  jg_array *mask_lhs, jg_array *mask_rhs, jg_array **out);
jg_status compose_segmented_mm(jg_array *a, jg_array *b, jg_array *segments, jg_array **out);
jg_status compose_addmm(jg_array *c, jg_array *a, jg_array *b, double alpha, double beta,
                        jg_array **out);
jg_status compose_outer(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_inner(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_vecdot(jg_array *x1, jg_array *x2, int64_t axis, jg_array **out);
jg_status compose_tensordot(jg_array *x1, jg_array *x2, int naxes, const int64_t *axes1,
                            const int64_t *axes2, jg_array **out);
jg_status compose_einsum(const char *subscripts, int count, jg_array *const *operands,
                         jg_array **out);
jg_status compose_scaled_dot_product_attention(jg_array *q, jg_array *k, jg_array *v, double scale,
                                               jg_array *mask, bool causal, jg_array **out);
jg_status compose_quantize(jg_array *w, const int64_t *group_size, const int64_t *bits,
                           const char *mode, jg_array *global_scale, jg_array_list *out);
jg_status compose_dequantize(jg_array *w, jg_array *scales, jg_array *biases,
                             const int64_t *group_size, const int64_t *bits, const char *mode,
                             jg_array *global_scale, const jg_dtype *dtype, jg_array **out);
jg_status compose_quantized_matmul(jg_array *x, jg_array *w, jg_array *scales, jg_array *biases,
                                   bool transpose, const int64_t *group_size, const int64_t *bits,
                                   const char *mode, jg_array **out);
jg_status compose_gather_qmm(jg_array *x, jg_array *w, jg_array *scales, jg_array *biases,
                             jg_array *lhs_indices, jg_array *rhs_indices, bool transpose,
                             const int64_t *group_size, const int64_t *bits, const char *mode,
                             jg_array *global_scale, bool sorted_indices, jg_array **out);
jg_status compose_qqmm(jg_array *x, jg_array *w, jg_array *scales, const int64_t *group_size,
                       const int64_t *bits, const char *mode, jg_array *global_scale_x,
                       jg_array *global_scale_w, jg_array **out);
jg_status compose_gather_qqmm(jg_array *x, jg_array *w, jg_array *scales, jg_array *lhs_indices,
                              jg_array *rhs_indices, const int64_t *group_size, const int64_t *bits,
                              const char *mode, jg_array *global_scale_x, jg_array *global_scale_w,
                              bool sorted_indices, jg_array **out);
jg_status compose_hadamard_transform(jg_array *a, const double *scale, jg_array **out);
jg_status compose_to_fp8(jg_array *x, jg_array **out);
jg_status compose_from_fp8(jg_array *x, const jg_dtype *dtype, jg_array **out);
jg_status compose_eye(int64_t n_rows, const int64_t *n_cols, int64_t k, const jg_dtype *dtype,
                      jg_array **out);
jg_status compose_identity(int64_t n, const jg_dtype *dtype, jg_array **out);
jg_status compose_tri(int64_t n_rows, const int64_t *n_cols, int64_t k, const jg_dtype *dtype,
                      jg_array **out);
jg_status compose_linspace(double start, double stop, int64_t num, bool endpoint,
                           const jg_dtype *dtype, jg_array **out);
jg_status compose_logspace(double start, double stop, int64_t num, bool endpoint, double base,
                           const jg_dtype *dtype, jg_array **out);
jg_status compose_vander(jg_array *x, const int64_t *N, bool increasing, jg_array **out);
jg_status compose_hanning(int64_t M, jg_array **out);
jg_status compose_hamming(int64_t M, jg_array **out);
jg_status compose_blackman(int64_t M, jg_array **out);
jg_status compose_bartlett(int64_t M, jg_array **out);
jg_status compose_tril(jg_array *x, int64_t k, jg_array **out);
jg_status compose_triu(jg_array *x, int64_t k, jg_array **out);
jg_status compose_diag(jg_array *x, int64_t k, jg_array **out);
jg_status compose_concat(int count, jg_array *const *arrays, const int64_t *axis, jg_array **out);
jg_status compose_stack(int count, jg_array *const *arrays, int64_t axis, jg_array **out);
jg_status compose_hstack(int count, jg_array *const *arrays, jg_array **out);
jg_status compose_vstack(int count, jg_array *const *arrays, jg_array **out);
jg_status compose_pad(jg_array *x, int npad_width, const int64_t *pad_width, const char *mode,
                      jg_array *constant_values, jg_array **out);
jg_status compose_roll(jg_array *x, int nshift, const int64_t *shift, int naxes,
                       const int64_t *axes, jg_array **out);
jg_status compose_tile(jg_array *x, int nrepetitions, const int64_t *repetitions, jg_array **out);
jg_status compose_repeat(jg_array *x, jg_array *repeats, const int64_t *axis, jg_array **out);
jg_status compose_conv1d(jg_array *input, jg_array *weight, int nstride, const int64_t *stride,
                         int npadding, const int64_t *padding_low, const int64_t *padding_high,
                         int ndilation, const int64_t *dilation, int64_t groups,
                         const char *data_format, jg_array **out);
jg_status compose_conv2d(jg_array *input, jg_array *weight, int nstride, const int64_t *stride,
                         int npadding, const int64_t *padding_low, const int64_t *padding_high,
                         int ndilation, const int64_t *dilation, int64_t groups,
                         const char *data_format, jg_array **out);
jg_status compose_conv3d(jg_array *input, jg_array *weight, int nstride, const int64_t *stride,
                         int npadding, const int64_t *padding_low, const int64_t *padding_high,
                         int ndilation, const int64_t *dilation, int64_t groups,
                         const char *data_format, jg_array **out);
jg_status compose_conv_general(jg_array *input, jg_array *weight, int nstride,
                               const int64_t *stride, int npadding, const int64_t *padding_low,
                               const int64_t *padding_high, int nkernel_dilation,
                               const int64_t *kernel_dilation, int ninput_dilation,
                               const int64_t *input_dilation, int64_t groups, bool flip,
                               const char *data_format, jg_array **out);
jg_status compose_conv_transpose1d(jg_array *input, jg_array *weight, int nstride,
                                   const int64_t *stride, int npadding, const int64_t *padding_low,
                                   const int64_t *padding_high, int ndilation,
                                   const int64_t *dilation, int noutput_padding,
                                   const int64_t *output_padding, int64_t groups,
                                   const char *data_format, jg_array **out);
jg_status compose_conv_transpose2d(jg_array *input, jg_array *weight, int nstride,
                                   const int64_t *stride, int npadding, const int64_t *padding_low,
                                   const int64_t *padding_high, int ndilation,
                                   const int64_t *dilation, int noutput_padding,
                                   const int64_t *output_padding, int64_t groups,
                                   const char *data_format, jg_array **out);
jg_status compose_conv_transpose3d(jg_array *input, jg_array *weight, int nstride,
                                   const int64_t *stride, int npadding, const int64_t *padding_low,
                                   const int64_t *padding_high, int ndilation,
                                   const int64_t *dilation, int noutput_padding,
                                   const int64_t *output_padding, int64_t groups,
                                   const char *data_format, jg_array **out);
jg_status compose_convolve(jg_array *a, jg_array *v, const char *mode, jg_array **out);
jg_status compose_max_pool1d(jg_array *input, int nkernel_size, const int64_t *kernel_size,
                             int nstride, const int64_t *stride, int npadding,
                             const int64_t *padding_low, const int64_t *padding_high, int ndilation,
                             const int64_t *dilation, bool ceil_mode, const char *data_format,
                             jg_array **out);
jg_status compose_max_pool2d(jg_array *input, int nkernel_size, const int64_t *kernel_size,
                             int nstride, const int64_t *stride, int npadding,
                             const int64_t *padding_low, const int64_t *padding_high, int ndilation,
                             const int64_t *dilation, bool ceil_mode, const char *data_format,
                             jg_array **out);
jg_status compose_max_pool3d(jg_array *input, int nkernel_size, const int64_t *kernel_size,
                             int nstride, const int64_t *stride, int npadding,
                             const int64_t *padding_low, const int64_t *padding_high, int ndilation,
                             const int64_t *dilation, bool ceil_mode, const char *data_format,
                             jg_array **out);
jg_status compose_avg_pool1d(jg_array *input, int nkernel_size, const int64_t *kernel_size,
                             int nstride, const int64_t *stride, int npadding,
                             const int64_t *padding_low, const int64_t *padding_high,
                             bool ceil_mode, bool count_include_pad,
                             const int64_t *divisor_override, const char *data_format,
                             jg_array **out);
jg_status compose_avg_pool2d(jg_array *input, int nkernel_size, const int64_t *kernel_size,
                             int nstride, const int64_t *stride, int npadding,
                             const int64_t *padding_low, const int64_t *padding_high,
                             bool ceil_mode, bool count_include_pad,
                             const int64_t *divisor_override, const char *data_format,
                             jg_array **out);
jg_status compose_avg_pool3d(jg_array *input, int nkernel_size, const int64_t *kernel_size,
                             int nstride, const int64_t *stride, int npadding,
                             const int64_t *padding_low, const int64_t *padding_high,
                             bool ceil_mode, bool count_include_pad,
                             const int64_t *divisor_override, const char *data_format,
                             jg_array **out);
jg_status compose_reshape(jg_array *x, int ndim, const int64_t *shape, jg_array **out);
jg_status compose_broadcast_to(jg_array *x, int ndim, const int64_t *shape, jg_array **out);
jg_status compose_permute_dims(jg_array *x, int naxes, const int64_t *axes, jg_array **out);
jg_status compose_squeeze(jg_array *x, int naxes, const int64_t *axes, jg_array **out);
jg_status compose_expand_dims(jg_array *x, int naxis, const int64_t *axis, jg_array **out);
jg_status compose_matrix_transpose(jg_array *x, jg_array **out);
jg_status compose_swapaxes(jg_array *x, int64_t axis1, int64_t axis2, jg_array **out);
jg_status compose_moveaxis(jg_array *x, int nsource, const int64_t *source, int ndestination,
                           const int64_t *destination, jg_array **out);
jg_status compose_flip(jg_array *x, int naxes, const int64_t *axes, jg_array **out);
jg_status compose_rot90(jg_array *x, int64_t k, int naxes, const int64_t *axes, jg_array **out);
jg_status compose_flatten(jg_array *x, int64_t start_axis, int64_t end_axis, jg_array **out);
jg_status compose_unflatten(jg_array *x, int64_t axis, int ndim, const int64_t *shape,
                            jg_array **out);
jg_status compose_ravel(jg_array *x, jg_array **out);
jg_status compose_diagonal(jg_array *x, int64_t offset, int64_t axis1, int64_t axis2,
                           jg_array **out);
jg_status compose_trace(jg_array *x, int64_t offset, int64_t axis1, int64_t axis2,
                        const jg_dtype *dtype, jg_array **out);
jg_status compose_as_strided(jg_array *x, int nshape, const int64_t *shape, int nstrides,
                             const int64_t *strides, int64_t offset, jg_array **out);
jg_status compose_bitcast(jg_array *x, jg_dtype dtype, jg_array **out);
jg_status compose_contiguous(jg_array *x, jg_array **out);
jg_status compose_split(jg_array *x, int nindices_or_sections, const int64_t *indices_or_sections,
                        int64_t axis, jg_array_list *out);
jg_status compose_array_split(jg_array *x, int nindices_or_sections,
                              const int64_t *indices_or_sections, int64_t axis, jg_array_list *out);
jg_status compose_unstack(jg_array *x, int64_t axis, jg_array_list *out);
jg_status compose_broadcast_arrays(int count, jg_array *const *arrays, jg_array_list *out);
jg_status compose_atleast_1d(int count, jg_array *const *arrays, jg_array_list *out);
jg_status compose_atleast_2d(int count, jg_array *const *arrays, jg_array_list *out);
jg_status compose_atleast_3d(int count, jg_array *const *arrays, jg_array_list *out);
jg_status compose_meshgrid(int count, jg_array *const *arrays, bool sparse, const char *indexing,
                           jg_array_list *out);
jg_status compose_sort(jg_array *x, const int64_t *axis, bool descending, bool stable,
                       jg_array **out);
jg_status compose_argsort(jg_array *x, const int64_t *axis, bool descending, bool stable,
                          jg_array **out);
jg_status compose_partition(jg_array *x, int64_t kth, const int64_t *axis, jg_array **out);
jg_status compose_argpartition(jg_array *x, int64_t kth, const int64_t *axis, jg_array **out);
jg_status compose_topk(jg_array *x, int64_t k, const int64_t *axis, jg_array **out);
jg_status compose_argtopk(jg_array *x, int64_t k, const int64_t *axis, jg_array **out);
jg_status compose_searchsorted(jg_array *x1, jg_array *x2, const char *side, jg_array *sorter,
                               jg_array **out);
jg_status compose_isin(jg_array *x1, jg_array *x2, bool invert, jg_array **out);
jg_status compose_unique_all(jg_array *x, jg_array_list *out);
jg_status compose_unique_counts(jg_array *x, jg_array_list *out);
jg_status compose_unique_inverse(jg_array *x, jg_array_list *out);
jg_status compose_unique_values(jg_array *x, jg_array **out);
jg_status compose_median(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         jg_array **out);
jg_status compose_quantile(jg_array *x, jg_array *q, int naxes, const int64_t *axes, bool keepdims,
                           const char *method, jg_array **out);
jg_status compose_percentile(jg_array *x, jg_array *q, int naxes, const int64_t *axes,
                             bool keepdims, const char *method, jg_array **out);
jg_status compose_nanmedian(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                            jg_array **out);
jg_status compose_nanquantile(jg_array *x, jg_array *q, int naxes, const int64_t *axes,
                              bool keepdims, const char *method, jg_array **out);
jg_status compose_nanpercentile(jg_array *x, jg_array *q, int naxes, const int64_t *axes,
                                bool keepdims, const char *method, jg_array **out);
jg_status compose_random_key(int64_t seed, jg_array **out);
jg_status compose_random_split(jg_array *key, int64_t num, jg_array **out);
jg_status compose_random_uniform(jg_array *key, jg_array *low, jg_array *high, int ndim,
                                 const int64_t *shape, jg_dtype dtype, jg_array **out);
jg_status compose_random_randint(jg_array *key, jg_array *low, jg_array *high, int ndim,
                                 const int64_t *shape, jg_dtype dtype, jg_array **out);
jg_status compose_random_normal(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                                jg_array **out);
jg_status compose_random_truncated_normal(jg_array *key, jg_array *low, jg_array *high, int ndim,
                                          const int64_t *shape, jg_dtype dtype, jg_array **out);
jg_status compose_random_laplace(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                                 jg_array **out);
jg_status compose_random_gumbel(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                                jg_array **out);
jg_status compose_random_categorical(jg_array *key, jg_array *logits, int64_t axis,
                                     const int64_t *num_samples, jg_array **out);
jg_status compose_random_bernoulli(jg_array *key, jg_array *p, int ndim, const int64_t *shape,
                                   jg_array **out);
jg_status compose_kron(jg_array *x1, jg_array *x2, jg_array **out);
jg_status compose_cross(jg_array *x1, jg_array *x2, int64_t axis, jg_array **out);
jg_status compose_linalg_cholesky(jg_array *a, bool upper, jg_array **out);
jg_status compose_linalg_cholesky_inv(jg_array *a, bool upper, jg_array **out);
jg_status compose_linalg_tri_inv(jg_array *a, bool upper, jg_array **out);
jg_status compose_linalg_inv(jg_array *a, bool quiet, jg_array **out);
jg_status compose_linalg_solve(jg_array *a, jg_array *b, jg_array **out);
jg_status compose_linalg_solve_triangular(jg_array *a, jg_array *b, bool upper, bool unit_diagonal,
                                          jg_array **out);
jg_status compose_linalg_det(jg_array *a, jg_array **out);
jg_status compose_linalg_slogdet(jg_array *a, jg_array_list *out);
jg_status compose_linalg_lu(jg_array *a, jg_array_list *out);
jg_status compose_linalg_lu_factor(jg_array *a, jg_array_list *out);
jg_status compose_linalg_qr(jg_array *a, bool complete, jg_array_list *out);
jg_status compose_linalg_svd(jg_array *a, bool full_matrices, jg_array_list *out);
jg_status compose_linalg_svdvals(jg_array *a, jg_array **out);
jg_status compose_linalg_eigh(jg_array *a, bool upper, jg_array_list *out);
jg_status compose_linalg_eigvalsh(jg_array *a, bool upper, jg_array **out);
jg_status compose_linalg_eig(jg_array *a, jg_array_list *out);
jg_status compose_linalg_eigvals(jg_array *a, jg_array **out);
jg_status compose_linalg_cholesky_solve(jg_array *b, jg_array *a, bool upper, jg_array **out);
jg_status compose_linalg_pinv(jg_array *a, jg_array *rtol, jg_array **out);
jg_status compose_linalg_lstsq(jg_array *a, jg_array *b, jg_array *rcond, jg_array_list *out);
jg_status compose_linalg_matrix_rank(jg_array *a, jg_array *tol, jg_array *rtol, jg_array **out);
jg_status compose_linalg_cond(jg_array *a, const char *p, jg_array **out);
jg_status compose_linalg_vector_norm(jg_array *a, int naxes, const int64_t *axes, bool keepdims,
                                     double ord, jg_array **out);
jg_status compose_linalg_matrix_norm(jg_array *a, bool keepdims, const char *ord, jg_array **out);
jg_status compose_linalg_matrix_power(jg_array *a, int64_t n, jg_array **out);
jg_status compose_linalg_multi_dot(int count, jg_array *const *arrays, jg_array **out);
jg_status compose_fft_fft(jg_array *a, const int64_t *n, int64_t axis, const char *norm,
                          jg_array **out);
jg_status compose_fft_ifft(jg_array *a, const int64_t *n, int64_t axis, const char *norm,
                           jg_array **out);
jg_status compose_fft_rfft(jg_array *a, const int64_t *n, int64_t axis, const char *norm,
                           jg_array **out);
jg_status compose_fft_irfft(jg_array *a, const int64_t *n, int64_t axis, const char *norm,
                            jg_array **out);
jg_status compose_fft_hfft(jg_array *a, const int64_t *n, int64_t axis, const char *norm,
                           jg_array **out);
jg_status compose_fft_ihfft(jg_array *a, const int64_t *n, int64_t axis, const char *norm,
                            jg_array **out);
jg_status compose_fft_fftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                           const char *norm, jg_array **out);
jg_status compose_fft_ifftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                            const char *norm, jg_array **out);
jg_status compose_fft_rfftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                            const char *norm, jg_array **out);
jg_status compose_fft_irfftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                             const char *norm, jg_array **out);
jg_status compose_fft_fftshift(jg_array *a, int naxes, const int64_t *axes, jg_array **out);
jg_status compose_fft_ifftshift(jg_array *a, int naxes, const int64_t *axes, jg_array **out);
jg_status compose_fft_fftfreq(int64_t n, double d, const jg_dtype *dtype, jg_array **out);
jg_status compose_fft_rfftfreq(int64_t n, double d, const jg_dtype *dtype, jg_array **out);
/* clang-format on */
#endif
