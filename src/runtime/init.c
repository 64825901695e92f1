/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that knows everybody: registers devices and tiers when the library is loaded. */
#include "device/device.h"
#include "fuse/fuse.h"
#include "library/library.h"
#include "routine/routine.h"
#include "tile/tile.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static const jg_library library = {.matmul = library_matmul};

/* Runs before any other function of the library can: loading a shared object runs its
 * constructors. */
__attribute__((constructor)) static void init(void)
{
    if (device_register(device_cpu()) != JG_OK)
        __builtin_trap(); /* the table is empty here: only a broken build gets this far */
    fuse_set_tiers(&tile_executor, &library, routine_table);
}

const char *jg_version(void)
{
    return TEXT(JOGGLE_VERSION_MAJOR) "." TEXT(JOGGLE_VERSION_MINOR) "." TEXT(JOGGLE_VERSION_PATCH);
}
