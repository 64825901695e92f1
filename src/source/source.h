/* SPDX-License-Identifier: Apache-2.0 */
/* source: prints flat programs, products, updates by index, running results, sorting and searching
 * as source text for devices, in OpenCL C, CUDA, HIP or Metal, and arranges their launches. It
 * knows no driver; device/printer.h says what it gives.
 *
 * Elements have the bits of the tiles: kernels call the functions of the room math, cut out as text
 * when the library is built. The device must divide float32 correctly rounded and keep subnormals.
 * Other bits may come from sin, cos and tan of |x| above 10^6 in float64, from powers of complex
 * numbers, from NaNs, and from reductions of floats, whose error is at most that of pairwise
 * summation and whose order depends on nothing but the launch. */
#ifndef JG_SOURCE_H
#define JG_SOURCE_H

#include "device/printer.h"

extern const device_printer source_printer;

/* Users' kernels (kernel/printer.h). */
extern const struct kernel_printer source_kernel_printer;

#endif
