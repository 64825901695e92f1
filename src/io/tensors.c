/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the tensors and metadata of a file, and frees them. */
#include "io/io.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void io_metadatum_clear(jg_metadatum *metadatum)
{
    for (int i = 0; i < metadatum->ntexts; ++i)
        base_free(metadatum->texts[i]);
    base_free(metadatum->texts);
    base_free(metadatum->key);
    jg_array_release(metadatum->array);
    *metadatum = (jg_metadatum){0};
}

void jg_tensors_clear(jg_tensors *tensors)
{
    for (int i = 0; i < tensors->count; ++i) {
        base_free(tensors->items[i].name);
        jg_array_release(tensors->items[i].array);
    }
    for (int i = 0; i < tensors->nmetadata; ++i)
        io_metadatum_clear(&tensors->metadata[i]);
    base_free(tensors->items);
    base_free(tensors->metadata);
    *tensors = (jg_tensors){0};
}

/* Counts are ints in jg_tensors. */
static jg_status append(base_vec *list, const void *item, size_t nbytes, const char *what)
{
    if (list->nbytes / nbytes == INT_MAX)
        return base_fail(JG_ERR_VALUE, "[load] the file has more %s, allowed are %d", what,
                         INT_MAX);
    return vec_append(list, item, nbytes);
}

jg_status tensors_add(tensors_builder *builder, char *name, jg_array *array)
{
    const jg_tensor tensor = {name, array};
    JG_TRY(append(&builder->items, &tensor, sizeof tensor, "tensors"));
    (void)jg_array_retain(array);
    return JG_OK;
}

jg_status tensors_add_metadatum(tensors_builder *builder, jg_metadatum *metadatum)
{
    return append(&builder->metadata, metadatum, sizeof *metadatum, "metadata");
}

jg_status tensors_finish(tensors_builder *builder, jg_status status, jg_tensors *out)
{
    jg_tensors tensors = {
        .count = (int)(builder->items.nbytes / sizeof(jg_tensor)),
        .nmetadata = (int)(builder->metadata.nbytes / sizeof(jg_metadatum)),
        .items = (void *)builder->items.data,
        .metadata = (void *)builder->metadata.data,
    };
    if (status == JG_OK)
        *out = tensors;
    else
        jg_tensors_clear(&tensors);
    *builder = (tensors_builder){0};
    return status;
}

jg_status io_text_copy(const char *format, const char *what, const void *bytes, size_t nbytes,
                       char **out)
{
    if (memchr(bytes, '\0', nbytes) != NULL) {
        size_t at = (size_t)((const char *)memchr(bytes, '\0', nbytes) - (const char *)bytes);
        return base_fail(JG_ERR_VALUE,
                         "[load] %s: %s has a NUL at its byte %zu, allowed are others", format,
                         what, at);
    }
    char *text = base_alloc(nbytes + 1);
    if (text == NULL)
        return base_nomem(nbytes, "a text");
    memcpy(text, bytes, nbytes);
    text[nbytes] = '\0';
    *out = text;
    return JG_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The first text that the sorted list has twice; NULL for none. */
static const char *find_twice(const char **texts, int count)
{
    qsort(texts, (size_t)count, sizeof *texts, compare_texts);
    for (int i = 1; i < count; ++i)
        if (strcmp(texts[i - 1], texts[i]) == 0)
            return texts[i];
    return NULL;
}

static jg_status check_names(const char *function, const jg_tensors *tensors)
{
    int most = tensors->count > tensors->nmetadata ? tensors->count : tensors->nmetadata;
    size_t nbytes = (size_t)most * sizeof(char *);
    const char **texts = base_alloc(nbytes + 1);
    if (texts == NULL)
        return base_nomem(nbytes, "a list of names");
    for (int i = 0; i < tensors->count; ++i)
        texts[i] = tensors->items[i].name;
    const char *what = "a tensor", *twice = find_twice(texts, tensors->count);
    if (twice == NULL) {
        for (int i = 0; i < tensors->nmetadata; ++i)
            texts[i] = tensors->metadata[i].key;
        what = "a metadatum";
        twice = find_twice(texts, tensors->nmetadata);
    }
    base_free(texts);
    if (twice != NULL)
        return base_fail(JG_ERR_VALUE, "[%s] '%.64s': names %s twice, allowed is once", function,
                         twice, what);
    return JG_OK;
}

/* A text alone is one; only of a list does the file tell how many there are. */
static jg_status check_texts(const char *function, const jg_metadatum *metadatum)
{
    int count = metadatum->ntexts;
    if (metadatum->array != NULL || (metadatum->is_list ? count >= 0 : count == 1))
        return JG_OK;
    return base_fail(
        JG_ERR_VALUE, "[%s] metadata '%.64s': got %d texts, allowed %s", function, metadatum->key,
        count, metadatum->is_list ? "are 0 or more in a list" : "is 1 where is_list is false");
}

jg_status tensors_check(const char *function, const jg_tensors *tensors)
{
    for (int i = 0; i < tensors->nmetadata; ++i)
        JG_TRY(check_texts(function, &tensors->metadata[i]));
    return check_names(function, tensors);
}
