/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for everything that was started. */
#include "run/run.h"

jg_status jg_synchronize(void)
{
    unsigned begun = interrupt_begin();
    JG_TRY(stream_synchronize_all_interruptibly(begun));
    jg_status status = memory_works_wait(NULL);
    if (status == JG_OK)
        return memory_drain(&begun);
    jg_error first;
    error_capture(&first, status);
    (void)memory_drain(&begun);
    return error_raise(&first);
}
