/* SPDX-License-Identifier: Apache-2.0 */
/* The subscripts of an einsum: terms between commas, then perhaps "->" and the result's labels. */
#include "compose/linalg/einsum.h"
#include <string.h>

/* at moves through all, the string as given; error messages count characters in that. */
typedef struct reader {
    const char *all, *at;
} reader;

static jg_status fail_at(const reader *read, const char *why)
{
    return base_fail(JG_ERR_VALUE, "[einsum] subscripts \"%.100s\", character %d: %s", read->all,
                     (int)(read->at - read->all) + 1, why);
}

static char peek(reader *read)
{
    while (*read->at == ' ')
        read->at += 1;
    return *read->at;
}

/* Spaces in front of the token are read in any case. */
static bool skip(reader *read, const char *token)
{
    (void)peek(read);
    size_t length = strlen(token);
    if (strncmp(read->at, token, length) != 0)
        return false;
    read->at += length;
    return true;
}

/* isalpha is not used: in some locales it accepts more letters than there are labels. */
static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static uint8_t letter_label(char letter)
{
    return (uint8_t)(letter <= 'Z' ? letter - 'A' : letter - 'a' + 26);
}

/* Letters up to the end of the term; *ellipsis is how many stood before "...", -1 if there is
 * none. */
static jg_status read_letters(reader *read, uint8_t *labels, int *count, int *ellipsis)
{
    *count = 0;
    *ellipsis = -1;
    for (;;) {
        if (is_letter(peek(read))) {
            if (*count == JG_MAX_NDIM)
                return fail_at(read, "more labels than the 64 axes that an array can have");
            labels[(*count)++] = letter_label(*read->at++);
        } else if (*ellipsis < 0 && skip(read, "...")) {
            *ellipsis = *count;
        } else {
            return JG_OK;
        }
    }
}

/* Puts the labels of an ellipsis of `hidden` axes among the letters. labels can hold count +
 * hidden: callers check it against JG_MAX_NDIM. */
static void insert_ellipsis(uint8_t *labels, int count, int position, int hidden)
{
    memmove(labels + position + hidden, labels + position, (size_t)(count - position));
    for (int i = 0; i < hidden; ++i)
        labels[position + i] = (uint8_t)(EINSUM_LABELS - hidden + i);
}

static jg_status read_term(reader *read, einsum_term *term, int number)
{
    int count, ellipsis;
    JG_TRY(read_letters(read, term->labels, &count, &ellipsis));
    if (*read->at != '\0' && *read->at != ',' && *read->at != '-')
        return fail_at(read, "allowed are letters, one ellipsis in each term, ',' and \"->\"");
    int ndim = term->array->ndim, hidden = ndim - count;
    /* count <= ndim from here on, so that letters and hidden axes fill term->labels, at most
     * JG_MAX_NDIM. */
    if (hidden < 0 || (hidden > 0 && ellipsis < 0))
        return base_fail(JG_ERR_VALUE,
                         "[einsum] operand %d has %d axes, its subscripts in \"%.100s\" name %d; "
                         "allowed are as many, or fewer and an ellipsis",
                         number, ndim, read->all, count);
    if (hidden > 0)
        insert_ellipsis(term->labels, count, ellipsis, hidden);
    term->ndim = ndim;
    return JG_OK;
}

/* An operand that has a label twice has its diagonal: the extents are equal. */
static jg_status check_diagonal(const einsum_term *term, int axis, int number)
{
    for (int other = 0; other < axis; ++other) {
        int64_t extent = term->array->dims[axis], first = term->array->dims[other];
        if (term->labels[other] == term->labels[axis] && extent != first)
            return base_fail(
                JG_ERR_VALUE,
                "[einsum] operand %d, axis %d: has extent %lld, allowed is %lld, as axis %d "
                "has the same label",
                number, axis, (long long)extent, (long long)first, other);
    }
    return JG_OK;
}

/* Extents of 1 broadcast, as in NumPy: any other extent replaces 1, whichever operand comes
 * first. */
static jg_status take_extent(einsum *sum, const einsum_term *term, int axis, int number)
{
    int64_t *extent = &sum->extents[term->labels[axis]], own = term->array->dims[axis];
    if (*extent < 0 || *extent == 1)
        *extent = own;
    else if (own != *extent && own != 1)
        return base_fail(
            JG_ERR_VALUE,
            "[einsum] operand %d, axis %d: has extent %lld, allowed are %lld, which its "
            "label has, and 1",
            number, axis, (long long)own, (long long)*extent);
    return JG_OK;
}

static jg_status find_extents(einsum *sum)
{
    memset(sum->extents, -1, sizeof sum->extents);
    for (int i = 0; i < sum->count; ++i)
        for (int axis = 0; axis < sum->terms[i].ndim; ++axis) {
            JG_TRY(check_diagonal(&sum->terms[i], axis, i));
            JG_TRY(take_extent(sum, &sum->terms[i], axis, i));
        }
    return JG_OK;
}

/* Without "->": the ellipsis, then the letters that occur once, in the order of the alphabet. */
static jg_status implied_output(einsum *sum, const reader *read)
{
    int uses[EINSUM_LABELS] = {0}, count = 0;
    for (int i = 0; i < sum->count; ++i)
        for (int axis = 0; axis < sum->terms[i].ndim; ++axis)
            uses[sum->terms[i].labels[axis]] += 1;
    for (int i = 0; i < EINSUM_LABELS; ++i) {
        int label = (i + EINSUM_LETTERS) % EINSUM_LABELS;
        bool wanted = label >= EINSUM_LETTERS ? uses[label] > 0 : uses[label] == 1;
        if (wanted && count == JG_MAX_NDIM)
            return fail_at(read, "the result would have more axes than an array can have");
        if (wanted)
            sum->output[count++] = (uint8_t)label;
    }
    sum->noutput = count;
    return JG_OK;
}

/* The longest ellipsis: shorter ones are aligned at its end, so their labels are among its. */
static int count_hidden(const einsum *sum)
{
    int hidden = 0;
    for (int label = EINSUM_LETTERS; label < EINSUM_LABELS; ++label)
        hidden += sum->extents[label] >= 0;
    return hidden;
}

static jg_status check_output(const einsum *sum, const reader *read)
{
    bool seen[EINSUM_LABELS] = {false};
    for (int i = 0; i < sum->noutput; ++i) {
        int label = sum->output[i];
        if (sum->extents[label] < 0)
            return fail_at(read, "the result has a label that no operand has");
        if (seen[label])
            return fail_at(read, "the result has a label twice");
        seen[label] = true;
    }
    return JG_OK;
}

/* An ellipsis without axes may be left out or written. */
static jg_status read_output(einsum *sum, reader *read)
{
    int count, ellipsis, hidden = count_hidden(sum);
    JG_TRY(read_letters(read, sum->output, &count, &ellipsis));
    if (*read->at != '\0')
        return fail_at(read, "allowed are letters and one ellipsis");
    if (ellipsis < 0 && hidden > 0)
        return fail_at(read, "the operands have an ellipsis, so the result must have one");
    if (count + hidden > JG_MAX_NDIM)
        return fail_at(read, "the result would have more axes than an array can have");
    if (hidden > 0)
        insert_ellipsis(sum->output, count, ellipsis, hidden);
    sum->noutput = count + hidden;
    return check_output(sum, read);
}

jg_status einsum_parse(einsum *sum, const char *subscripts)
{
    reader read = {subscripts, subscripts};
    for (int i = 0; i < sum->count; ++i) {
        if (i > 0 && !skip(&read, ","))
            return fail_at(&read, "there are more operands than terms");
        JG_TRY(read_term(&read, &sum->terms[i], i));
    }
    /* Before the result's labels are read, which must be labels of operands. */
    JG_TRY(find_extents(sum));
    if (skip(&read, "->"))
        return read_output(sum, &read);
    if (*read.at == ',')
        return fail_at(&read, "there are more terms than operands");
    if (*read.at != '\0')
        return fail_at(&read, "allowed are letters, one ellipsis in each term, ',' and \"->\"");
    return implied_output(sum, &read);
}
