/* SPDX-License-Identifier: Apache-2.0 */
/* The common parts of the kernels of all works, so that a work prints its own body only: the block
 * of words, the number of an item and the run of an item of LANES, pieces of lines, and addresses
 * that are moved by the indices of loops. */
#include "source/draft.h"
#include <stdarg.h>
#include <stdio.h>

static const char *index_type(const source_draft *d)
{
    return d->form->is_narrow ? "int32_t" : "int64_t";
}

void source_frame_declare_words(source_draft *d)
{
    text_add(d->out, "struct words_%d { uint64_t w[%d]; };\n", d->number, d->words.count);
}

void source_frame_begin(source_draft *d, source_form *form, const source_frame *frame)
{
    form->style = (uint8_t)frame->style;
    form->ndim = (uint8_t)frame->ndim;
    form->is_narrow = frame->is_narrow && d->facts->shape == DEVICE_GROUP;
    d->words = (source_words){.extents = frame->extents,
                              .divisors = frame->divisors,
                              .offsets = frame->offsets,
                              .count = frame->nwords};
    d->entry->nwords = frame->nwords;
    d->entry->nbuffers = frame->nbuffers;
    for (int b = 0; b < frame->nbuffers; ++b)
        d->entry->offset_words[b] = (uint16_t)(frame->offsets + b);
    source_frame_declare_words(d);
}

void source_frame_word(source_draft *d, const char *name, int word)
{
    source_write_line(d, "const int64_t %s = (int64_t)block.w[%d];", name, word);
}

void source_frame_number(source_draft *d)
{
    const char *type = index_type(d);
    source_write_line(d,
                      "const %s number = (%s)block.w[%d] + (%s)GROUP_ID * GROUP_ITEMS + ITEM_ID;",
                      type, type, WORD_FIRST, type);
}

void source_frame_open_run(source_draft *d, const char *number, const char *run, const char *end)
{
    source_write_line(d, "int64_t %s = %s * (int64_t)block.w[%d];", number, run, WORD_RUN);
    source_write_line(d,
                      "const int64_t %s = LESSER(%s + (int64_t)block.w[%d], (int64_t)block.w[%d]);",
                      end, number, WORD_RUN, WORD_COUNT);
    source_write_open(d, "for (; %s < %s; ++%s)", number, end, number);
}

void source_frame_open_items(source_draft *d)
{
    if (d->facts->shape == DEVICE_GROUP)
        source_frame_number(d);
    else
        source_frame_open_run(d, "number", "GROUP_ID", "past");
}

void source_frame_chunk(source_draft *d, int extent)
{
    source_write_line(d, "const int64_t piece = GROUP_ID %% (int64_t)block.w[%d];", WORD_PIECES);
    source_write_line(d, "const int64_t first = piece * (int64_t)block.w[%d];", WORD_LENGTH);
    source_write_line(
        d, "const int64_t last = LESSER(first + (int64_t)block.w[%d], (int64_t)block.w[%d]);",
        WORD_LENGTH, extent);
}

void source_frame_open_lines(source_draft *d, int nloops)
{
    char run[64];
    snprintf(run, sizeof run, "GROUP_ID / (int64_t)block.w[%d]", WORD_PIECES);
    source_frame_open_run(d, "line", run, "end");
    source_index_decompose(d, "line", 0, nloops);
}

void source_frame_open_pieces(source_draft *d, int divisor, int extent)
{
    const char *type = index_type(d);
    if (d->facts->shape == DEVICE_LANES) {
        source_frame_open_run(d, "number", "GROUP_ID", "past");
    } else {
        source_write_line(d, "const %s number = (%s)GROUP_ID * GROUP_ITEMS + ITEM_ID;", type, type);
        source_write_open(d, "if (number < (%s)block.w[%d])", type, WORD_COUNT);
    }
    source_frame_pieces(d, divisor, extent);
}

void source_frame_pieces(source_draft *d, int divisor, int extent)
{
    const char *type = index_type(d);
    if (d->form->is_narrow)
        source_write_line(d, "const int32_t line = DIVIDED(number, block.w[%d]);", divisor);
    else
        source_write_line(d, "const int64_t line = number / (int64_t)block.w[%d];", WORD_PIECES);
    source_write_line(d,
                      "const int64_t start = (int64_t)(number - line * (%s)block.w[%d]) * "
                      "(int64_t)block.w[%d];",
                      type, WORD_PIECES, WORD_LENGTH);
    source_write_line(
        d, "const int64_t end = LESSER(start + (int64_t)block.w[%d], (int64_t)block.w[%d]);",
        WORD_LENGTH, extent);
}

void source_frame_buffer(const source_draft *d, int buffer, char *out, size_t nbytes)
{
    snprintf(out, nbytes, "m%d + (int64_t)block.w[%d]", buffer, d->words.offsets + buffer);
}

void source_frame_address(source_draft *d, const char *declared, const char *from,
                          const source_steps *steps)
{
    text_add(d->out, "%*s%s = %s", 4 * d->depth, "", declared, from);
    for (int loop = 0; loop < steps->count; ++loop)
        text_add(d->out, " + (int64_t)%s%d * (int64_t)block.w[%d]", steps->index,
                 steps->first + loop, steps->word + loop);
    text_add(d->out, ";\n");
}

void source_frame_close(source_draft *d)
{
    while (d->depth > 0)
        source_write_close(d);
}

bool source_refuse(device_refusal *refusal, int position, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal->message, sizeof refusal->message, format, arguments);
    va_end(arguments);
    refusal->position = position;
    return false;
}
