/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the readers of files. The first byte chooses the format, the others are the file. What a
 * reader takes for good is evaluated and read, byte by byte, where the sanitizer sees a byte that
 * belongs to nothing. The file is read-only, so an array that may be written has memory of its own;
 * any other one lies over the file, and has to lie within it. */
#include "fuzz_main.h"
#include <joggle/joggle.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct file {
    uint8_t *bytes;
    size_t nbytes;
    jg_source *source;
} file;

/* What is read goes here, so that no compiler leaves the reading out. */
static volatile uint8_t read_bytes;

static void read_all(const void *data, size_t nbytes)
{
    const uint8_t *bytes = data;
    uint8_t all = 0;
    for (size_t i = 0; i < nbytes; ++i)
        all ^= bytes[i];
    read_bytes = all;
}

/* The elements from the first in memory to the last, *first of them before the one at index 0. */
static int64_t count_span(const jg_view *view, int64_t *first)
{
    int64_t span = 1;
    *first = 0;
    for (int i = 0; i < view->ndim; ++i) {
        int64_t reach = (view->shape[i] - 1) * view->strides[i];
        span += llabs(reach);
        *first -= reach < 0 ? reach : 0;
    }
    return span;
}

static void use_elements(const file *from, const jg_view *view)
{
    int64_t before, span = count_span(view, &before);
    size_t bits = (size_t)jg_dtype_bits(view->dtype) * view->lanes;
    const uint8_t *data = (const uint8_t *)view->data + view->byte_offset;
    size_t nbytes = ((size_t)span * bits + 7) / 8;
    data -= (size_t)before * bits / 8;
    if (view->flags & JG_VIEW_READ_ONLY) {
        uintptr_t offset = (uintptr_t)data - (uintptr_t)from->bytes;
        if (offset > from->nbytes || nbytes > from->nbytes - offset)
            abort();
    }
    read_all(data, nbytes);
}

static void use(const file *from, jg_array *x)
{
    jg_view view;
    if (jg_array_view(x, &view) != JG_OK || jg_view_size(&view) != jg_array_size(x))
        abort();
    if (jg_view_size(&view) > 0)
        use_elements(from, &view);
}

static void use_text(const char *text)
{
    read_all(text, strlen(text) + 1);
}

static void use_metadatum(const file *from, const jg_metadatum *metadatum)
{
    use_text(metadatum->key);
    if (metadatum->array != NULL)
        use(from, metadatum->array);
    for (int i = 0; i < metadatum->ntexts; ++i)
        use_text(metadatum->texts[i]);
}

static void load_array(const file *from)
{
    jg_array *x;
    size_t end;
    if (jg_load_npy(from->source, 0, &x, &end) != JG_OK)
        return;
    if (end > from->nbytes)
        abort();
    use(from, x);
    jg_array_release(x);
}

static void load_tensors(const file *from, jg_status (*load)(jg_source *, jg_tensors *))
{
    jg_tensors tensors;
    if (load(from->source, &tensors) != JG_OK)
        return;
    for (int i = 0; i < tensors.count; ++i) {
        use_text(tensors.items[i].name);
        use(from, tensors.items[i].array);
    }
    for (int i = 0; i < tensors.nmetadata; ++i)
        use_metadatum(from, &tensors.metadata[i]);
    jg_tensors_clear(&tensors);
}

static void load(const file *from, uint8_t format)
{
    switch (format % 3) {
    case 0: load_array(from); break;
    case 1: load_tensors(from, jg_load_safetensors); break;
    default: load_tensors(from, jg_load_gguf);
    }
}

/* The file is copied, so that the byte before its first belongs to nothing either. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    if (nbytes == 0)
        return 0;
    file from = {malloc(nbytes - 1), nbytes - 1, NULL};
    if (from.bytes == NULL)
        return 0;
    memcpy(from.bytes, data + 1, from.nbytes);
    if (jg_source_take(from.bytes, from.nbytes, true, free, from.bytes, &from.source) == JG_OK) {
        load(&from, data[0]);
        jg_source_release(from.source);
    } else {
        free(from.bytes);
    }
    return 0;
}
