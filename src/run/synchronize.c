/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for everything that was started. */
#include "run/run.h"

jg_status jg_synchronize(void)
{
    JG_TRY(stream_synchronize_all_interruptibly(interrupt_begin()));
    jg_status status = memory_works_wait(NULL);
    memory_drain();
    return status;
}
