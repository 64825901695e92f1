/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the offsets and scalars of a run into the words of a launch. */
#include "device/printer.h"

void device_launch_bind(device_launch *launch, const device_entry *entry, const int64_t *offsets,
                        const jg_scalar *scalars)
{
    for (int i = 0; i < launch->nsteps; ++i) {
        uint64_t *words = launch->steps[i].words;
        for (int b = 0; b < entry->nbuffers; ++b)
            words[entry->offset_words[b]] = (uint64_t)offsets[b];
        for (int s = 0; s < entry->nscalars; ++s)
            for (int part = 0; part < entry->scalar_nwords[s]; ++part)
                words[entry->scalar_words[s] + part] = scalars[s].bits[part];
    }
}
