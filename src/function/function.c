/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of files as objects: saved, loaded, and called. A call runs the variant that the
 * arguments fit. */
#include "function/function.h"
#include <stdlib.h>
#include <string.h>

static const char format_key[] = "format";

static bool same_arguments(const jg_function_variant *a, const jg_function_variant *b)
{
    int count = jg_record_count(a->record).arguments;
    if (count != jg_record_count(b->record).arguments || a->nkeywords != b->nkeywords)
        return false;
    for (int i = 0; i < a->nkeywords; ++i)
        if (strcmp(a->keywords[i], b->keywords[i]) != 0)
            return false;
    for (int i = 0; i < count; ++i) {
        const jg_array *x, *y;
        if (jg_record_argument_at(a->record, i, &x) != JG_OK ||
            jg_record_argument_at(b->record, i, &y) != JG_OK || x->dtype != y->dtype ||
            x->ndim != y->ndim || !function_same_shape(x->ndim, x->dims, y->dims))
            return false;
    }
    return true;
}

static jg_status check_keywords(const jg_function_variant *variant)
{
    int count = jg_record_count(variant->record).arguments;
    if (variant->nkeywords < 0 || variant->nkeywords > count)
        return base_fail(JG_ERR_VALUE,
                         "nkeywords: got %d, allowed is 0 to %d, the arguments of the record",
                         variant->nkeywords, count);
    for (int i = 1; i < variant->nkeywords; ++i)
        if (strcmp(variant->keywords[i - 1], variant->keywords[i]) >= 0)
            return base_fail(JG_ERR_VALUE,
                             "keywords: '%.64s' stands behind '%.64s', allowed is the "
                             "order of their bytes, each once",
                             variant->keywords[i], variant->keywords[i - 1]);
    return JG_OK;
}

static jg_status check_variants(int nvariants, const jg_function_variant *variants)
{
    if (nvariants < 1)
        return base_fail(JG_ERR_VALUE, "variants: got %d, allowed is one or more", nvariants);
    for (int i = 0; i < nvariants; ++i) {
        JG_TRY(check_keywords(&variants[i]));
        if (jg_record_is_of_one_call(variants[i].record))
            return base_fail(JG_ERR_UNSUPPORTED,
                             "the function uses an argument of another function that is being "
                             "transformed, which has no values; pass it as an argument");
        for (int j = 0; j < i; ++j)
            if (same_arguments(&variants[i], &variants[j]))
                return base_fail(
                    JG_ERR_VALUE,
                    "variants: numbers %d and %d have arguments of the same names, dtypes "
                    "and shapes, allowed are different ones",
                    j, i);
    }
    return JG_OK;
}

/* A metadatum of copies. */
static jg_status add_text(tensors_builder *builder, const char *key, const char *value)
{
    base_text name = {0};
    char *made = NULL, *copy = NULL, **texts = base_alloc(sizeof *texts);
    jg_status status = texts == NULL ? base_nomem(sizeof *texts, "a list of texts") : JG_OK;
    text_add(&name, "%s", key);
    if (status == JG_OK)
        status = text_finish(&name, &made);
    if (status == JG_OK)
        status = io_text_copy(FUNCTION_FORMAT, "the metadata", value, strlen(value), &copy);
    text_clear(&name);
    if (status != JG_OK) {
        base_free(made);
        base_free(texts);
        return status;
    }
    texts[0] = copy;
    jg_metadatum metadatum = {.key = made, .ntexts = 1, .texts = texts};
    status = tensors_add_metadatum(builder, &metadatum);
    if (status != JG_OK)
        io_metadatum_clear(&metadatum);
    return status;
}

/* safetensors has no complex128: its parts are written one by one. gives: *out, +1 */
static jg_status to_tensor(jg_array *x, jg_array **out)
{
    jg_array *flat;
    if (x->dtype != JG_DTYPE_COMPLEX128) {
        *out = jg_array_retain(x);
        return JG_OK;
    }
    JG_TRY(jg_reshape(x, 1, &x->size, &flat));
    jg_status status = jg_bitcast(flat, JG_DTYPE_FLOAT64, out);
    jg_array_release(flat);
    return status;
}

static jg_status add_constant(tensors_builder *builder, int number, jg_array *x)
{
    base_text text = {0};
    jg_array *tensor;
    char *name;
    text_add(&text, FUNCTION_CONSTANT, number);
    jg_status status = text_finish(&text, &name);
    text_clear(&text);
    JG_TRY(status);
    status = to_tensor(x, &tensor);
    if (status == JG_OK) {
        status = tensors_add(builder, name, tensor);
        jg_array_release(tensor);
    }
    if (status != JG_OK)
        base_free(name);
    return status;
}

static jg_status add_constants(tensors_builder *builder, const function_writer *writer)
{
    jg_array *const *arrays = (jg_array *const *)(void *)writer->constants.data;
    for (size_t i = 0; i < writer->constants.nbytes / sizeof *arrays; ++i)
        JG_TRY(add_constant(builder, (int)i, arrays[i]));
    return JG_OK;
}

jg_status jg_function_save(const char *name, int nvariants, const jg_function_variant *variants,
                           const char *metadata, jg_sink *sink, void *context)
{
    tensors_builder builder = {0};
    function_writer writer = {0};
    jg_tensors tensors = {0};
    char *text = NULL;
    jg_status status;
    JG_TRY_DONE(check_variants(nvariants, variants));
    JG_TRY_DONE(function_write(&writer, name, nvariants, variants, &text));
    JG_TRY_DONE(add_text(&builder, format_key, FUNCTION_FORMAT));
    JG_TRY_DONE(add_text(&builder, FUNCTION_KEY, text));
    if (metadata != NULL)
        JG_TRY_DONE(add_text(&builder, FUNCTION_METADATA, metadata));
    JG_TRY_DONE(add_constants(&builder, &writer));
done:
    base_free(text);
    function_writer_clear(&writer);
    status = tensors_finish(&builder, status, &tensors);
    if (status == JG_OK) {
        status = jg_save_safetensors(&tensors, sink, context);
        jg_tensors_clear(&tensors);
    }
    return status;
}

static const char *find_text(const jg_tensors *tensors, const char *key)
{
    for (int i = 0; i < tensors->nmetadata; ++i)
        if (strcmp(tensors->metadata[i].key, key) == 0)
            return tensors->metadata[i].texts[0];
    return NULL;
}

static jg_status load(jg_source *source, jg_exported *function)
{
    JG_TRY(jg_load_safetensors(source, &function->tensors));
    const char *format = find_text(&function->tensors, format_key);
    const char *text = find_text(&function->tensors, FUNCTION_KEY);
    if (format == NULL || text == NULL || strcmp(format, FUNCTION_FORMAT) != 0)
        return base_fail(JG_ERR_VALUE,
                         "[load] function: the file's format is '%.64s', allowed is '%s'",
                         format != NULL ? format : "", FUNCTION_FORMAT);
    return io_source_check(source, function_read(function, text));
}

jg_status jg_function_load(jg_source *source, jg_exported **out)
{
    jg_exported *function = base_alloc_zeroed(sizeof *function);
    if (function == NULL)
        return base_nomem(sizeof *function, "a function");
    atomic_init(&function->refs, 1);
    jg_status status = load(source, function);
    if (status == JG_OK)
        *out = function;
    else
        jg_function_release(function);
    return status;
}

jg_exported *jg_function_retain(jg_exported *function)
{
    atomic_fetch_add_explicit(&function->refs, 1, memory_order_relaxed);
    return function;
}

static void clear_variant(function_variant *variant)
{
    jg_record_release(variant->record);
    for (int i = 0; i < variant->nkeywords; ++i)
        base_free(variant->keywords[i]);
    base_free(variant->keywords);
}

void jg_function_release(jg_exported *function)
{
    if (function == NULL ||
        atomic_fetch_sub_explicit(&function->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (int i = 0; i < function->nvariants; ++i)
        clear_variant(&function->variants[i]);
    base_free(function->variants);
    base_free(function->name);
    jg_tensors_clear(&function->tensors);
    base_free(function);
}

const char *jg_function_name(const jg_exported *function)
{
    return function->name;
}

int jg_function_nvariants(const jg_exported *function)
{
    return function->nvariants;
}

const char *jg_function_metadata(const jg_exported *function)
{
    return find_text(&function->tensors, FUNCTION_METADATA);
}

jg_status jg_function_variant_at(const jg_exported *function, int variant, jg_function_variant *out)
{
    if (variant < 0 || variant >= function->nvariants)
        return base_fail(JG_ERR_VALUE, "variant: got %d, allowed is 0 to %d", variant,
                         function->nvariants - 1);
    const function_variant *found = &function->variants[variant];
    *out = (jg_function_variant){found->record, found->nkeywords,
                                 (const char *const *)found->keywords};
    return JG_OK;
}

/* The arguments of a call in a variant's order: those by position, then those by name, sorted. */
typedef struct py_call_arguments {
    int count, nnamed;
    jg_array **arrays; /* borrowed */
    const jg_tensor **named;
} py_call_arguments;

static jg_status check_arrays(int ninputs, jg_array *const *inputs, int nnamed,
                              const jg_tensor *named)
{
    JG_TRY(graph_check_arrays("inputs", ninputs, inputs));
    for (int i = 0; i < nnamed; ++i)
        if (named[i].name == NULL || named[i].array == NULL)
            return base_fail(JG_ERR_VALUE,
                             "named: number %d has no name or no array, allowed are both", i);
    return JG_OK;
}

static int compare_names(const void *a, const void *b)
{
    const jg_tensor *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static jg_status sort_arguments(int ninputs, jg_array *const *inputs, int nnamed,
                                const jg_tensor *named, py_call_arguments *out)
{
    size_t nbytes = (size_t)(ninputs + 2 * nnamed + 1) * sizeof(void *);
    void **block = base_alloc(nbytes);
    if (block == NULL)
        return base_nomem(nbytes, "the arguments of a call");
    *out = (py_call_arguments){ninputs + nnamed, nnamed, (jg_array **)block,
                               (const jg_tensor **)(block + ninputs + nnamed)};
    for (int i = 0; i < ninputs; ++i)
        out->arrays[i] = inputs[i];
    for (int i = 0; i < nnamed; ++i)
        out->named[i] = &named[i];
    qsort(out->named, (size_t)nnamed, sizeof *out->named, compare_names);
    for (int i = 0; i < nnamed; ++i)
        out->arrays[ninputs + i] = out->named[i]->array;
    return JG_OK;
}

static bool fits(const function_variant *variant, const py_call_arguments *arguments)
{
    if (jg_record_count(variant->record).arguments != arguments->count ||
        variant->nkeywords != arguments->nnamed)
        return false;
    for (int i = 0; i < arguments->nnamed; ++i)
        if (strcmp(variant->keywords[i], arguments->named[i]->name) != 0)
            return false;
    for (int i = 0; i < arguments->count; ++i) {
        const jg_array *like, *x = arguments->arrays[i];
        if (jg_record_argument_at(variant->record, i, &like) != JG_OK || like->dtype != x->dtype ||
            like->ndim != x->ndim || !function_same_shape(x->ndim, like->dims, x->dims))
            return false;
    }
    return true;
}

static void print_argument(base_text *text, int i, const char *name, const jg_array *x)
{
    text_add(text, i ? ", " : "");
    if (name != NULL)
        text_add(text, "%.64s=", name);
    text_add(text, "%s", dtype_rows[x->dtype].name);
    text_add_extents(text, x->ndim, x->dims);
}

static void print_variant(base_text *text, const function_variant *variant)
{
    int count = jg_record_count(variant->record).arguments, first = count - variant->nkeywords;
    text_add(text, "(");
    for (int i = 0; i < count; ++i) {
        const jg_array *like;
        if (jg_record_argument_at(variant->record, i, &like) == JG_OK)
            print_argument(text, i, i < first ? NULL : variant->keywords[i - first], like);
    }
    text_add(text, ")");
}

/* Lists only the first few variants. */
static jg_status refuse_arguments(const jg_exported *function, const py_call_arguments *arguments)
{
    enum { FEW = 4 };
    base_text text = {0};
    char *words = NULL;
    int first = arguments->count - arguments->nnamed;
    text_add(&text, "arguments: got (");
    for (int i = 0; i < arguments->count; ++i)
        print_argument(&text, i, i < first ? NULL : arguments->named[i - first]->name,
                       arguments->arrays[i]);
    text_add(&text, "), allowed are ");
    for (int i = 0; i < function->nvariants && i < FEW; ++i) {
        text_add(&text, i ? ", or " : "");
        print_variant(&text, &function->variants[i]);
    }
    if (function->nvariants > FEW)
        text_add(&text, ", and those of %d more variants", function->nvariants - FEW);
    jg_status status = text_finish(&text, &words);
    text_clear(&text);
    JG_TRY(status);
    status = base_fail(JG_ERR_VALUE, "[%.64s] %s", function->name, words);
    base_free(words);
    return status;
}

/* Arrays of other strides than the placeholders' are copied; the call's results may share none of
 * their memory then. */
static jg_status call_variant(const function_variant *variant, const py_call_arguments *arguments,
                              jg_array_list *out)
{
    int noutputs = jg_record_count(variant->record).outputs, done = 0;
    size_t nbytes = (size_t)noutputs * sizeof *out->arrays;
    jg_array **outputs = base_alloc(nbytes);
    jg_status status = outputs == NULL ? base_nomem(nbytes, "a list of arrays") : JG_OK;
    for (; done < arguments->count && status == JG_OK; done += status == JG_OK)
        status = graph_contiguous(arguments->arrays[done], &arguments->arrays[done]);
    if (status == JG_OK)
        status = jg_record_call(variant->record, arguments->count, arguments->arrays, outputs);
    while (done > 0)
        jg_array_release(arguments->arrays[--done]);
    if (status == JG_OK)
        *out = (jg_array_list){noutputs, outputs};
    else
        base_free(outputs);
    return status;
}

jg_status jg_function_call(const jg_exported *function, int ninputs, jg_array *const *inputs,
                           int nnamed, const jg_tensor *named, jg_array_list *out)
{
    py_call_arguments arguments = {0};
    JG_TRY(check_arrays(ninputs, inputs, nnamed, named));
    JG_TRY(sort_arguments(ninputs, inputs, nnamed, named, &arguments));
    const function_variant *found = NULL;
    for (int i = 0; i < function->nvariants && found == NULL; ++i)
        if (fits(&function->variants[i], &arguments))
            found = &function->variants[i];
    jg_status status = found != NULL ? call_variant(found, &arguments, out)
                                     : refuse_arguments(function, &arguments);
    base_free(arguments.arrays);
    return status;
}
