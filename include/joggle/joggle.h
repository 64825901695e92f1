/* SPDX-License-Identifier: Apache-2.0 */
/* Everything: include this one. */
#ifndef JOGGLE_JOGGLE_H
#define JOGGLE_JOGGLE_H

#include <joggle/array.h>
#include <joggle/device.h>
#include <joggle/dlpack.h>
#include <joggle/dtype.h>
#include <joggle/exchange.h>
#include <joggle/field.h>
#include <joggle/function.h>
#include <joggle/interrupt.h>
#include <joggle/io.h>
#include <joggle/kernel.h>
#include <joggle/memory.h>
#include <joggle/ops.h>
#include <joggle/option.h>
#include <joggle/random.h>
#include <joggle/status.h>
#include <joggle/stream.h>
#include <joggle/trace.h>
#include <joggle/transform.h>
#include <joggle/version.h>
#include <joggle/view.h>

#endif
