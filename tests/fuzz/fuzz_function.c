/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes files of functions. The input is the text with the nodes, a NUL, and the bytes of the
 * constants; it is put into a file. What is loaded for good is called, and its results are
 * evaluated where they are small: each node must have been found to stay inside its operands'
 * memory. */
#include "fuzz_main.h"
#include <joggle/joggle.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 1 << 16, NODES = 64, CONSTANTS = 8, MOST_AXES = 4 };

typedef struct file_bytes {
    char *bytes;
    size_t nbytes;
} file_bytes;

static jg_status append(void *context, const void *bytes, size_t nbytes)
{
    file_bytes *file = context;
    char *grown = realloc(file->bytes, file->nbytes + nbytes + 1);
    if (grown == NULL)
        abort();
    memcpy(grown + file->nbytes, bytes, nbytes);
    file->bytes = grown;
    file->nbytes += nbytes;
    return JG_OK;
}

/* What the text says of a constant, as far as it needs to be understood here. */
typedef struct constant {
    jg_dtype dtype;
    int ndim;
    int64_t shape[MOST_AXES];
} constant;

static bool read_constant(const char **at, constant *out)
{
    char name[24];
    int used = 0;
    *out = (constant){.ndim = 0};
    if (sscanf(*at, "{\"dtype\":\"%23[a-z0-9_]\",\"shape\":[%n", name, &used) != 1 || used == 0)
        return false;
    if (jg_dtype_from_name(name, &out->dtype) != JG_OK)
        return false;
    for (*at += used; **at >= '0' && **at <= '9'; *at += **at == ',') {
        char *end;
        if (out->ndim == MOST_AXES)
            return false;
        out->shape[out->ndim++] = strtoll(*at, &end, 10);
        *at = end;
    }
    if (strncmp(*at, "]}", 2) != 0)
        return false;
    *at += 2;
    *at += **at == ',';
    return true;
}

static bool is_small_shape(const constant *c)
{
    int64_t size = 1;
    for (int i = 0; i < c->ndim; ++i)
        if (c->shape[i] < 0 || c->shape[i] > 4096 || (size *= c->shape[i]) > 4096)
            return false;
    return true;
}

/* The constants that the text has, with the bytes behind it. gives: how many */
static int make_constants(const char *text, const uint8_t *data, size_t nbytes, jg_tensor *out)
{
    static char names[CONSTANTS][16];
    static const char key[] = "\"constants\":[";
    const char *at = strstr(text, key);
    int count = 0;
    constant c;
    if (at == NULL)
        return 0;
    at += strlen(key);
    while (count < CONSTANTS && read_constant(&at, &c) && is_small_shape(&c)) {
        static char zeros[4096 * 16];
        memset(zeros, 0, sizeof zeros);
        if (jg_array_from_data(zeros, c.dtype, c.ndim, c.shape, &out[count].array) != JG_OK)
            break;
        size_t wanted = jg_array_nbytes(out[count].array),
               there = wanted < nbytes ? wanted : nbytes;
        jg_array_release(out[count].array);
        memcpy(zeros, data, there);
        data += there;
        nbytes -= there;
        if (jg_array_from_data(zeros, c.dtype, c.ndim, c.shape, &out[count].array) != JG_OK)
            abort();
        snprintf(names[count], sizeof names[count], "constant.%d", count);
        out[count].name = names[count];
        count += 1;
    }
    return count;
}

/* text: NUL-terminated; data: what follows it */
static file_bytes make_file(char *text, const uint8_t *data, size_t nbytes)
{
    static char format[] = "joggle function 1", keys[][9] = {"format", "function"};
    char *format_texts[] = {format}, *texts[] = {text};
    jg_metadatum metadata[] = {{.key = keys[0], .ntexts = 1, .texts = format_texts},
                               {.key = keys[1], .ntexts = 1, .texts = texts}};
    jg_tensor items[CONSTANTS];
    const jg_tensors tensors = {make_constants(text, data, nbytes, items), 2, items, metadata};
    file_bytes file = {0};
    if (jg_save_safetensors(&tensors, append, &file) != JG_OK)
        file.nbytes = 0; /* a dtype that the format does not have */
    for (int i = 0; i < tensors.count; ++i)
        jg_array_release(items[i].array);
    return file;
}

static bool is_small(const jg_record *record)
{
    jg_record_counts counts = jg_record_count(record);
    bool small = counts.nodes <= NODES && counts.arguments <= 8;
    for (int i = 0; small && i < counts.arguments; ++i) {
        const jg_array *like;
        small = jg_record_argument_at(record, i, &like) == JG_OK && jg_array_nbytes(like) <= SMALL;
    }
    for (int i = 0; small && i < counts.nodes; ++i) {
        jg_record_node node;
        small = jg_record_node_at(record, i, &node) == JG_OK && jg_array_nbytes(node.like) <= SMALL;
    }
    return small;
}

static jg_array *argument(const jg_array *like)
{
    jg_array *x;
    jg_number value = {.kind = JG_KIND_INT, .i64 = 1};
    if (jg_full(jg_array_dtype(like), jg_array_ndim(like), jg_array_shape(like), value, &x) !=
        JG_OK)
        return NULL;
    if (jg_eval(1, &x) != JG_OK)
        abort();
    return x;
}

static void call(const jg_exported *function, int variant)
{
    jg_function_variant found;
    jg_array *inputs[8];
    jg_tensor named[8];
    jg_array_list outputs;
    if (jg_function_variant_at(function, variant, &found) != JG_OK)
        abort();
    if (!is_small(found.record))
        return;
    int count = jg_record_count(found.record).arguments, made = 0;
    int first = count - found.nkeywords;
    for (; made < count; ++made) {
        const jg_array *like;
        if (jg_record_argument_at(found.record, made, &like) != JG_OK ||
            (inputs[made] = argument(like)) == NULL)
            break;
        if (made >= first)
            named[made - first] =
                (jg_tensor){(char *)(uintptr_t)found.keywords[made - first], inputs[made]};
    }
    if (made == count &&
        jg_function_call(function, first, inputs, found.nkeywords, named, &outputs) == JG_OK) {
        for (int i = 0; i < outputs.count; ++i)
            if (jg_array_nbytes(outputs.arrays[i]) <= SMALL)
                (void)!jg_eval(1, &outputs.arrays[i]);
        jg_array_list_clear(&outputs);
    }
    while (made > 0)
        jg_array_release(inputs[--made]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    jg_source *source;
    jg_exported *function;
    char *text = malloc(nbytes + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, nbytes);
    text[nbytes] = '\0';
    size_t length = strlen(text), rest = length < nbytes ? nbytes - length - 1 : 0;
    file_bytes file = make_file(text, data + (nbytes - rest), rest);
    free(text);
    if (jg_source_take(file.bytes, file.nbytes, true, NULL, NULL, &source) != JG_OK)
        abort();
    if (jg_function_load(source, &function) == JG_OK) {
        for (int i = 0; i < jg_function_nvariants(function) && i < 4; ++i)
            call(function, i);
        jg_function_release(function);
    }
    jg_source_release(source);
    free(file.bytes);
    return 0;
}
