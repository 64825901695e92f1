/* SPDX-License-Identifier: Apache-2.0 */
/* Private to source: what the printer knows of a kind of work. printer.c has the table of all
 * kinds; a new one is a file with a row of its own, and a line in that table. */
#ifndef JG_SOURCE_WORK_H
#define JG_SOURCE_WORK_H

#include "source/draft.h"

/* A printed text that a launch is made for. aligned: all of its buffers' places are. */
typedef struct source_text {
    const device_facts *facts;
    const source_form *form;
    const device_entry *entry;
    bool aligned;
} source_text;

typedef struct source_work {
    /* Whether the device's dialect has all that it needs. gives: else false, and the refusal */
    bool (*takes)(const device_facts *facts, const device_work *work, device_refusal *refusal);

    /* Marks types that its text names without a function of theirs. Optional. */
    void (*reach)(prelude_set *reached, const device_work *work);

    /* Prints all kernels of the work, and fills in their form. */
    void (*print)(source_draft *d, const device_work *work, source_form *form);

    /* Whether the text that has the form is that of the work. */
    bool (*fits)(const device_facts *facts, const source_form *form, const device_work *work);

    /* Cuts the work's space into steps of its kernels. gives: *out, for base_free | raises:
     * NOMEM */
    jg_status (*arrange)(const source_text *text, const device_work *work, device_launch **out);

    /* The words that explain adds after "on the device" about how the work is computed. Optional:
     * no words. gives: a static string */
    const char *(*way)(const device_facts *facts, const device_work *work);
} source_work;

extern const source_work source_work_program, source_work_product, source_work_scatter,
    source_work_cumulative, source_work_sort, source_work_search, source_work_convolution,
    source_work_fourier;

/* program/arrange.c: the slot of programs. gives: *out | raises: NOMEM */
jg_status source_arrange_launch(const source_text *text, const device_work *work,
                                device_launch **out);

#endif
