/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the readers of files. The first byte chooses the format, the others are the file. What a
 * reader takes for good is evaluated, and must be what it claims: as many bytes as its shape
 * says. */
#include "fuzz_main.h"
#include <joggle/joggle.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVALUATED_NBYTES = 1 << 20 };

static void use(jg_array *x)
{
    jg_view view;
    if (jg_array_nbytes(x) <= EVALUATED_NBYTES && jg_array_view(x, &view) == JG_OK &&
        jg_view_size(&view) != jg_array_size(x))
        abort();
}

static void load_array(jg_source *source)
{
    jg_array *x;
    size_t end;
    if (jg_load_npy(source, 0, &x, &end) != JG_OK)
        return;
    if (end > jg_source_nbytes(source))
        abort();
    use(x);
    jg_array_release(x);
}

static void load_tensors(jg_source *source, jg_status (*load)(jg_source *, jg_tensors *))
{
    jg_tensors tensors;
    if (load(source, &tensors) != JG_OK)
        return;
    for (int i = 0; i < tensors.count; ++i)
        use(tensors.items[i].array);
    jg_tensors_clear(&tensors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    jg_source *source;
    if (nbytes == 0 || jg_source_take(data + 1, nbytes - 1, true, NULL, NULL, &source) != JG_OK)
        return 0;
    switch (data[0] % 3) {
    case 0: load_array(source); break;
    case 1: load_tensors(source, jg_load_safetensors); break;
    default: load_tensors(source, jg_load_gguf);
    }
    jg_source_release(source);
    return 0;
}
