/* SPDX-License-Identifier: Apache-2.0 */
/* Everything: include this one. array.hpp, mdspan.hpp and python.h are apart.
 *
 * The comment at a declaration ends with a line of these words:
 *
 *     keeps   what the result or the library goes on using: it takes a reference of its own, or
 *             the comment says how long the memory must stay
 *     takes   the argument's reference passes to the callee where the call succeeds; the caller
 *             must not release it then
 *     gives   what comes out; "+1" is a reference that the caller releases, by the function of its
 *             type, as jg_array_release
 *     raises  the failures, as names of jg_status without JG_ERR_; jg_error_message tells more.
 *             Results are set, and references pass, only on JG_OK
 *     waits   whether the call can block until something has been computed
 *
 * A missing word means "nothing", a missing `waits` "never". The first call of a process that needs
 * a device opens the device's driver, which may take a second; only the functions of device.h name
 * that as a wait. A function that makes an array where no other is given puts it on the default
 * device, and raises what jg_device_get_default raises. docs/ownership.md has all rules. */
#ifndef JOGGLE_JOGGLE_H
#define JOGGLE_JOGGLE_H

#include <joggle/array.h>
#include <joggle/device.h>
#include <joggle/distributed.h>
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
