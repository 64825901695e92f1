/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the subscripts of einsum. The first byte tells how many operands there are, two more for
 * each its axes and their extents, which are 0 to 3; what follows is the subscripts. A refusal must
 * name the op. What is accepted has a path, and where it is small its elements must be the sums
 * that a reader and loops of this file's own make: operands are whole numbers, so these are
 * exact. */
#include "fuzz_main.h"
#include <joggle/joggle.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 4, AXES = 4, LETTERS = 52, LABELS = LETTERS + AXES, MOST_SIZE = 81 };
enum { SMALL = 1 << 12, MOST_TERMS = 1 << 14, TEXT = 256 };

typedef struct operand {
    jg_array *array;
    int ndim;
    int64_t extents[AXES];
    double values[MOST_SIZE];
    int labels[AXES];
} operand;

typedef struct summation {
    int count, noutput;
    operand operands[OPERANDS];
    int output[LABELS];
    int64_t extents[LABELS]; /* 0 labels that do not occur, too */
    int uses[LABELS];
} summation;

static void require(bool holds, const char *what, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "violated: %s; \"%s\"; last message: %s\n", what, text, jg_error_message());
    abort();
}

static void make_operand(operand *x, uint8_t ndim, uint8_t extents)
{
    int64_t size = 1;
    x->ndim = ndim % (AXES + 1);
    for (int i = 0; i < x->ndim; ++i)
        size *= x->extents[i] = extents >> (2 * i) & 3;
    for (int64_t k = 0; k < size; ++k)
        x->values[k] = (double)((k * 7 + ndim + extents) % 5 - 2);
    if (jg_array_from_data(x->values, JG_DTYPE_FLOAT64, x->ndim, x->extents, &x->array) != JG_OK)
        abort();
}

static int label_of(char letter)
{
    return letter <= 'Z' ? letter - 'A' : letter - 'a' + 26;
}

/* Labels of a term, whose ellipsis has so many axes; the last one of any ellipsis is the last
 * label. gives: how many */
static int read_term(const char **at, int hidden, int *labels)
{
    int count = 0;
    for (; **at != '\0' && **at != ',' && **at != '-'; *at += 1) {
        if (**at == ' ')
            continue;
        if (**at != '.') {
            labels[count++] = label_of(**at);
            continue;
        }
        *at += 2;
        for (int i = 0; i < hidden; ++i)
            labels[count++] = LABELS - hidden + i;
    }
    return count;
}

static int count_letters(const char *at)
{
    int count = 0;
    for (; *at != '\0' && *at != ',' && *at != '-'; ++at)
        count += *at != ' ' && *at != '.';
    return count;
}

/* Without "->": the ellipsis, then what occurs once. */
static void imply_output(summation *sum)
{
    for (int i = LETTERS; i < LABELS; ++i)
        if (sum->uses[i] > 0)
            sum->output[sum->noutput++] = i;
    for (int i = 0; i < LETTERS; ++i)
        if (sum->uses[i] == 1)
            sum->output[sum->noutput++] = i;
}

/* Reads subscripts that were accepted. */
static void read_accepted(summation *sum, const char *text)
{
    int most_hidden = 0;
    for (int i = 0; i < sum->count; ++i) {
        operand *x = &sum->operands[i];
        int hidden = x->ndim - count_letters(text);
        most_hidden = hidden > most_hidden ? hidden : most_hidden;
        (void)read_term(&text, hidden, x->labels);
        text += *text == ',';
        for (int axis = 0; axis < x->ndim; ++axis) {
            int64_t *extent = &sum->extents[x->labels[axis]];
            if (sum->uses[x->labels[axis]]++ == 0 || *extent == 1)
                *extent = x->extents[axis];
        }
    }
    if (*text == '-') {
        text += 2;
        sum->noutput = read_term(&text, most_hidden, sum->output);
    } else {
        imply_output(sum);
    }
}

/* The product of the operands' elements at an index of each label. */
static double term_at(const summation *sum, const int64_t *index)
{
    double product = 1;
    for (int i = 0; i < sum->count; ++i) {
        const operand *x = &sum->operands[i];
        int64_t at = 0;
        for (int axis = 0; axis < x->ndim; ++axis)
            at = at * x->extents[axis] + (x->extents[axis] == 1 ? 0 : index[x->labels[axis]]);
        product *= x->values[at];
    }
    return product;
}

/* All terms, added to where they belong in out, which is zeros. */
static void add_terms(const summation *sum, int64_t nterms, double *out)
{
    for (int64_t term = 0; term < nterms; ++term) {
        int64_t index[LABELS] = {0}, rest = term, at = 0;
        for (int i = 0; i < LABELS; ++i) {
            if (sum->uses[i] == 0)
                continue;
            index[i] = rest % sum->extents[i];
            rest /= sum->extents[i];
        }
        for (int i = 0; i < sum->noutput; ++i)
            at = at * sum->extents[sum->output[i]] + index[sum->output[i]];
        out[at] += term_at(sum, index);
    }
}

static void check_result(summation *sum, const char *text, jg_array *result)
{
    static double wanted[SMALL], got[SMALL];
    int64_t nterms = 1, size = jg_array_size(result);
    read_accepted(sum, text);
    require(jg_array_ndim(result) == sum->noutput, "the result's axes are the labels", text);
    for (int i = 0; i < sum->noutput; ++i)
        require(jg_array_shape(result)[i] == sum->extents[sum->output[i]],
                "the result's extents are the labels'", text);
    for (int i = 0; i < LABELS && nterms <= MOST_TERMS; ++i)
        nterms *= sum->uses[i] > 0 ? sum->extents[i] : 1;
    if (size > SMALL || nterms > MOST_TERMS)
        return;
    memset(wanted, 0, sizeof wanted);
    add_terms(sum, nterms, wanted);
    require(jg_array_copy_to(result, got, (size_t)size * sizeof *got) == JG_OK,
            "what is accepted is computed", text);
    for (int64_t i = 0; i < size; ++i)
        require(got[i] == wanted[i], "elements are the sums", text);
}

/* A step names two of those that are left. */
static void check_path(const summation *sum, const char *text, jg_array *const *arrays)
{
    int path[2 * OPERANDS];
    require(jg_einsum_path(text, sum->count, arrays, path) == JG_OK, "there is a path", text);
    for (int step = 0; step < sum->count - 1; ++step)
        require(path[2 * step] >= 0 && path[2 * step] < path[2 * step + 1] &&
                    path[2 * step + 1] < sum->count - step,
                "a step is of two operands", text);
}

static void fuzz(summation *sum, const char *text)
{
    jg_array *arrays[OPERANDS], *result;
    for (int i = 0; i < sum->count; ++i)
        arrays[i] = sum->operands[i].array;
    if (jg_einsum(text, sum->count, arrays, &result) != JG_OK) {
        require(strncmp(jg_error_message(), "[einsum] ", 9) == 0, "a refusal names the op", text);
        return;
    }
    check_path(sum, text, arrays);
    check_result(sum, text, result);
    jg_array_release(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes)
{
    summation sum = {.count = nbytes > 0 ? bytes[0] % OPERANDS + 1 : 0};
    size_t head = 1 + 2 * (size_t)sum.count;
    char text[TEXT];
    if (sum.count == 0 || nbytes < head || nbytes - head >= sizeof text)
        return 0;
    memcpy(text, bytes + head, nbytes - head);
    text[nbytes - head] = '\0';
    for (int i = 0; i < sum.count; ++i)
        make_operand(&sum.operands[i], bytes[1 + 2 * i], bytes[2 + 2 * i]);
    fuzz(&sum, text);
    for (int i = 0; i < sum.count; ++i)
        jg_array_release(sum.operands[i].array);
    return 0;
}
