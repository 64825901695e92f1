/* SPDX-License-Identifier: Apache-2.0 */
/* Private to source: a work's layout on a device, the layout of its parameter block, and the text
 * under construction.
 *
 * work.h has the printer's table for a kind of work. The folder program prints flat programs
 * (program.c: which are accepted), the folder work the other works, the folder kernel users'
 * kernels. form.c finds forms and positions of words, value.c prints instructions, index.c
 * addresses, reduce.c accumulators; elements.c and rows.c print kernels of these, and arrange.c
 * makes their launches. product.c and convolve.c (on tile.c, and on mma.c for tensor cores),
 * fourier.c, scatter.c, cumulative.c, sort.c and search.c do both for works that are no programs;
 * rank.c prints the keys that the last two compare. frame.c prints the begin and the end of all
 * kernels, launch.c makes the steps of all launches, and printer.c joins the texts. */
#ifndef JG_SOURCE_DRAFT_H
#define JG_SOURCE_DRAFT_H

#include "source/dialect.h"
#include "source/prelude.h"

/* How a buffer's address goes on in a loop. */
typedef enum source_walk { WALK_STILL, WALK_DENSE, WALK_STRIDED } source_walk;

/* The elements that one item makes. */
typedef enum source_style {
    STYLE_CHUNK,      /* LANES, no reduction: a run of elements, in a loop */
    STYLE_ITEM,       /* GROUP, no reduction: one element, or 16 bytes of them */
    STYLE_ALONG,      /* LANES: rows, elements of a row side by side */
    STYLE_STRIP,      /* LANES: rows that lie side by side */
    STYLE_GROUP,      /* GROUP: a group of items makes a row */
    STYLE_ROW,        /* GROUP: an item makes a row */
    STYLE_TILE,       /* a product */
    STYLE_CUMULATIVE, /* running results */
    STYLE_SCATTER,    /* a scatter */
    STYLE_SORT,       /* lines in order */
    STYLE_SEARCH,     /* where elements belong */
    STYLE_WINDOW,     /* a convolution */
    STYLE_FOURIER,    /* Fourier transforms */
} source_style;

enum {
    ALONG_LANES = 64,     /* enough for several vectors, whose sums do not wait for each other */
    PART_LENGTH = 8,      /* elements of a lane that may be added up in their own dtype */
    DEAR_PART_LENGTH = 4, /* the same of what is dear, which is a long text */
    PART_LANES = 16,
    PART_VALUES = 12,   /* of an element, as the text has each of them PART_LENGTH times */
    STRIP_LANES = 256,  /* pieces of lines that are long enough to be read ahead */
    ITEMS_PER_UNIT = 4, /* of LANES, of what runs at the same time: one may take longer */
    SOURCE_GROUP = 256, /* items of a group; fewer if the device's limit is lower */
    SOURCE_MAX_NDIM = 12,
    SLOT_NBYTES = 16,       /* of scratch memory, for one field of an accumulator */
    QUICK_LENGTH = 1 << 18, /* elements that one item of LANES takes where nothing is dear: to wake
                               a thread, or to run a second kernel, takes longer */
    KEPT_LENGTH = 1 << 14,  /* elements of a row of which values are kept */
    KEPT_NBYTES = 1 << 17,  /* of an item's values that are kept */
    KEPT_NEVER = UINT16_MAX
};

/* The properties that a text depends on besides the program. They are compared as bytes, so no gap
 * is left unset. */
typedef struct source_form {
    uint8_t style; /* source_style */
    uint8_t ndim, nreduced;
    uint8_t is_narrow; /* indices and offsets fit 32 bits */
    uint8_t is_split;  /* several items or groups share a row, through scratch memory */
    uint8_t joins;     /* the part that ends last makes the results: no second kernel */
    uint8_t keeps;     /* STYLE_ALONG: what is dear of an element is kept for later passes */
    uint8_t widens;    /* STYLE_TILE: products of halves are stored as float32 */
    uint8_t per_item;  /* STYLE_ITEM: elements of the wide kernel, 1 if there is none */
    uint8_t walks[PROGRAM_MAX_BUFFERS][SOURCE_MAX_NDIM];
} source_form;

/* The first words of every block. */
enum {
    WORD_FIRST,            /* element or row that the step begins with */
    WORD_COUNT,            /* lines, strips or rows of the whole launch */
    WORD_RUN,              /* how many of these an item takes */
    WORD_ENDED = WORD_RUN, /* where they join: how many items have ended */
    WORD_PIECES,           /* items that share one of them */
    WORD_LENGTH,           /* the elements that each piece takes */
    WORDS_FIXED
};

/* Lays out a block word by word: the place of the next `count` words. */
static inline int source_take_words(int *next, int count)
{
    int place = *next;
    *next += count;
    return place;
}

/* The positions of words in a block. */
typedef struct source_words {
    int extents, divisors, offsets, strides, count;
    uint16_t scalars[PROGRAM_MAX_SCALARS];
} source_words;

typedef struct source_draft {
    const device_facts *facts;
    const source_dialect *dialect;
    const jg_program *program;
    const source_form *form;
    source_words words;
    device_entry *entry;
    prelude_set *reached;
    base_text *out;
    int number;  /* of the work, in names */
    int at_once; /* groups of the next kernel for which a processor has registers; 0: any number */
    int depth;   /* of braces */
    const uint8_t *taken; /* of each buffer whether the kernel takes it; NULL: all but an INDEX */
    const char *lane;     /* the text after the name of a value per row: "[l]", or "" */
    uint8_t ranks[PROGRAM_MAX_INSTS];
    uint16_t levels[PROGRAM_MAX_INSTS];  /* how many nested reductions precede it */
    uint16_t kept_in[PROGRAM_MAX_INSTS]; /* the pass that keeps the value, or KEPT_NEVER */
    int last_level, store_pass;          /* in which pass elements are stored */
    int pass;                            /* the one at hand */
    bool wanted[PROGRAM_MAX_INSTS];      /* of the pass at hand */
} source_draft;

/* printer.c */

/* Prints the text before the kernels: the dialect's header, and the functions that the kernels
 * use. */
void source_print_shared(const device_facts *facts, const prelude_set *reached, base_text *out);
void source_print_flags(const device_facts *facts, base_text *out); /* with a NUL */

/* form.c */

/* The form of a program over a space. gives: false if there is none: too many loops */
bool source_form_of(const device_facts *facts, const jg_program *program,
                    const program_space *space, source_form *out);

/* The loop whose elements lie side by side in an item's lanes, or are one after the other. */
int source_form_lane_loop(const source_form *form);

/* Items of a group. */
int source_group(const device_facts *facts);

/* form.c, too: where the words of a block are. */

/* The positions of the program's words in that form. */
source_words source_words_of(const jg_program *program, const source_form *form);

static inline int source_word_of_stride(const source_words *words, const source_form *form,
                                        int buffer, int loop)
{
    return words->strides + buffer * form->ndim + loop;
}

/* write.c */

const source_dialect *source_dialect_of(const device_facts *facts); /* borrowed, forever */

/* Appends a line; OPEN ends it with a brace and indents what follows. raises: never; text_status */
void source_write_line(source_draft *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void source_write_open(source_draft *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void source_write_close(source_draft *d);

/* The head of a kernel of the work with the brace that opens it; marks what it takes. group: how
 * many items each of its groups has, 0 if that varies. */
void source_write_kernel(source_draft *d, const char *name, int nbuffers, bool has_scratch,
                         int group);

/* frame.c */

/* Says why a work is not taken. position: of the instruction, -1 where it is none's fault. gives:
 * false */
bool source_refuse(device_refusal *refusal, int position, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The frame of a work that is no program: its loops, whose extents and divisors are in the block,
 * and the offsets of its buffers. is_narrow: indices of GROUP are 32 bits. */
typedef struct source_frame {
    source_style style;
    int ndim, nbuffers;
    bool is_narrow;
    int extents, divisors, offsets, nwords;
} source_frame;

/* Fills in the form, the entry and where the words are; declares the block. */
void source_frame_begin(source_draft *d, source_form *form, const source_frame *frame);
void source_frame_declare_words(source_draft *d); /* the last of these alone */

/* Closes all that is open, and with that the kernel. */
void source_frame_close(source_draft *d);

/* Declares a word as an int64_t. */
void source_frame_word(source_draft *d, const char *name, int word);

/* Declares `number`, that of the item, from WORD_FIRST on. Its launches are exact: no item is too
 * many. */
void source_frame_number(source_draft *d);

/* Opens a loop over the WORD_RUN units that an item of LANES takes of the launch's WORD_COUNT.
 * number, end: the names of the loop's counter and of its end; run: which of the runs */
void source_frame_open_run(source_draft *d, const char *number, const char *run, const char *end);

/* For each `number` of an item: all of LANES' run, or the one of GROUP. */
void source_frame_open_items(source_draft *d);

/* Opens the chunk that source_launch_add_chunks cuts for an item: elements first to last - 1 of
 * lines, whose extent is a word; and the loop over the item's lines, with the indices of their
 * loops. */
void source_frame_chunk(source_draft *d, int extent);
void source_frame_open_lines(source_draft *d, int nloops);

/* Opens what an item does for its pieces of lines, each WORD_LENGTH elements or the rest of the
 * line: number, line, start and end. Lines have WORD_PIECES of them; divisor: the word of that
 * count. extent: the word of a line's. LANES have a run of pieces, GROUP one or none. */
void source_frame_open_pieces(source_draft *d, int divisor, int extent);
void source_frame_pieces(source_draft *d, int divisor, int extent); /* of a number that is there */

/* Indices of count loops by name, index<first> and on, and the word of the first one's step. */
typedef struct source_steps {
    const char *index;
    int first, count, word;
} source_steps;

/* The address of a buffer's begin; and a declaration of the address that is the steps' offsets
 * after `from`. */
void source_frame_buffer(const source_draft *d, int buffer, char *out, size_t nbytes);
void source_frame_address(source_draft *d, const char *declared, const char *from,
                          const source_steps *steps);

/* value.c */

/* Marks a type of elements that no function reached may name. */
void source_reach_type(prelude_set *reached, jg_dtype dtype);

/* The name of a dtype in C, a static string that is borrowed; and of an instruction's function:
 * ADD_FLOAT32. */
const char *source_value_type(jg_dtype dtype);
void source_value_function(const program_inst *inst, char *out, size_t nbytes);

/* The entry of the prelude that computes the instruction; -1 where there is none, or none that the
 * device can run. */
int source_value_entry(const device_facts *facts, const program_inst *inst);

/* The name of the function that casts, which the text then has; empty where it is none. And whether
 * the device has it. */
void source_value_cast(source_draft *d, jg_dtype from, jg_dtype to, char *out, size_t nbytes);
bool source_value_has_cast(const device_facts *facts, jg_dtype from, jg_dtype to);

/* A function of the prelude by name, which is known to be there. */
void source_value_needs(source_draft *d, const char *name);

/* The name of a value where it is used: v3, or v3[l]. */
void source_value_name(const source_draft *d, int position, char *out, size_t nbytes);

/* Whether the value of an instruction is read at an address, or is one. */
static inline bool source_has_address(program_op op)
{
    return op == PROGRAM_LOAD || op == PROGRAM_LOAD_AT || op == PROGRAM_INDEX;
}

/* Whether a value is not worth making twice for an element. */
bool source_value_is_dear(const program_inst *inst);
bool source_value_has_dear(const jg_program *program); /* whether any of its values is that */

/* Declares the value of an instruction that is neither a store nor a reduction; of a LOAD, whose
 * element is at the address; of a LOAD_AT, at a distance from it. */
void source_value_print(source_draft *d, int position, const char *address);

/* Prints SCALARs, and values that are computed from them alone. */
void source_value_print_uniform(source_draft *d);

/* Whether dtypes of the program are ones that the device has. */
bool source_value_has_type(const device_facts *facts, jg_dtype dtype);

/* Ranks, levels, and which values of elements a pass needs. gives of find_wanted: whether there is
 * anything to do in it */
void source_value_find_levels(source_draft *d);
bool source_value_find_wanted(source_draft *d, int pass);
bool source_value_is_reduced_in(const source_draft *d, int position, int pass);

/* Values that a pass keeps for later passes, in arrays kept<position>: their declarations; the
 * stores of the current pass, at index j; and whether the current pass finds the value there. */
void source_value_declare_kept(source_draft *d);
void source_value_keep(source_draft *d);
bool source_value_is_left(const source_draft *d, int position);

/* The text before a loop over adjacent elements. gives: a static string */
const char *source_value_lanes(const source_draft *d);

/* index.c */

/* Takes a number apart into indices i<loop> of the loops first to last - 1. */
void source_index_decompose(source_draft *d, const char *number, int first, int last);

/* Declares addresses to<b> of all buffers that move: from<b> and the part of loops first to last -
 * 1. from is NULL for the buffers' own. */
void source_index_bases(source_draft *d, const char *from, const char *to, int first, int last);

/* The address of a buffer's element where index j is that of the lane loop. */
void source_index_address(const source_draft *d, int buffer, const char *base, char *out,
                          size_t nbytes);

/* The body of one element: values that are wanted, and stores of elements if it stores. */
void source_index_body(source_draft *d, const char *base, bool stores);

/* reduce.c */

/* How a reduction is accumulated: in one field of the dtype, or, EXACT, in a sum and its rounding
 * errors for each part of a number. */
typedef struct reduction_kind {
    int nfields; /* 0 for a reduction that is not taken */
    bool is_exact;
    jg_dtype dtype; /* of each field */
} reduction_kind;

/* How the device reduces by a REDUCE_ instruction. */
reduction_kind source_reduction_of(const device_facts *facts, const program_inst *inst);

/* Names of the fields: a<position>_<field>, and what follows them. */
typedef struct reduction_fields {
    char names[4][160];
} reduction_fields;

/* The fields of an item's own, at a lane: what follows the names in text. */
reduction_fields source_reduction_private(int position, const char *lane);

/* Declares the fields, with the value that changes nothing; as arrays of nlanes if that is not 0.
 */
void source_reduction_declare(source_draft *d, int position, int nlanes);

/* The element's value joins; so do fields of another accumulator; the result declares the value, or
 * sets the entry of its array. */
void source_reduction_step(source_draft *d, int position, const char *lane);
void source_reduction_merge(source_draft *d, int position, const char *lane,
                            const reduction_fields *from);
void source_reduction_finish(source_draft *d, int position, const char *lane);

/* Whether PART_LENGTH elements may be added up in float32 first, in p<position>; that sum with
 * nothing in it, with the element's value, and joined with the fields at a lane. */
bool source_reduction_has_parts(const device_facts *facts, const program_inst *inst);
void source_reduction_part_declare(source_draft *d, int position);
void source_reduction_part_step(source_draft *d, int position);
void source_reduction_part_join(source_draft *d, int position, const char *lane);

/* Memory of a group, and the sum over its items in every item. */
void source_reduction_declare_tree(source_draft *d, int group);
void source_reduction_tree(source_draft *d, int position, int group);

/* Fields of all reductions of the program, those of the ones before the position. */
int source_reduction_slots(const device_facts *facts, const jg_program *program, int position);

/* elements.c, rows.c: print all kernels of the program. */
void source_elements_print(source_draft *d);
void source_rows_print(source_draft *d);

/* rank.c */

/* The key by which elements are compared: a number of 32 or of 64 bits, or two numbers of 64. */
typedef enum source_rank { KEY_NARROW, KEY_WIDE, KEY_DOUBLE } source_rank;

source_rank source_rank_of(jg_dtype dtype);
/* Whether its elements can be compared. gives: the refusal where they cannot */
bool source_rank_is_taken(jg_dtype dtype, device_refusal *refusal);

/* With the work's number behind each name: the type rank, rank_of(address), is_less(x, y); where
 * there is one number, also the type bits and rank_of_bits(x) of an element as those. */
void source_rank_print(source_draft *d, jg_dtype dtype);

/* launch.c */

/* A launch with memory for `limit` steps. launch->words are nwords words, zeros at first; the words
 * of each new step begin as a copy of them. gives: *out, for base_free | raises: NOMEM */
jg_status source_launch_begin(int limit, int nwords, device_launch **out);

/* Adds a step. gives: it, with words of its own */
device_step *source_launch_add(device_launch *launch, int nwords, int kernel, int64_t groups,
                               int items);

/* Adds steps of GROUP for exactly `items` items: whole groups, and a smaller last one. first: the
 * number of the first item; each: the difference between the numbers of neighbours */
void source_launch_add_exact(const device_facts *facts, device_launch *launch, int nwords,
                             int kernel, int64_t first, int64_t items, int64_t each);

/* How many items of LANES there are for work of that size, of which `worth` is enough for one. */
int64_t source_lane_items(const device_facts *facts, int64_t size, int64_t worth);

/* Adds a step of LANES of kernel 0: items take whole lines of `inner` elements, or pieces where
 * lines are few. */
void source_launch_add_chunks(device_launch *launch, int nwords, int64_t lines, int64_t inner,
                              int64_t items);

/* Lines in pieces of a length, as source_frame_open_pieces opens them. divisor: its word; worth:
 * pieces that are enough for an item of LANES */
typedef struct source_pieces {
    int64_t lines, extent, length, worth;
    int divisor;
} source_pieces;
/* Adds the step of a kernel whose items each take a piece. gives: the step, which is the
 * launch's */
device_step *source_launch_add_pieces(const device_facts *facts, device_launch *launch, int nwords,
                                      int kernel, const source_pieces *of);

/* The word of a block that DIVIDED takes for the extent. */
uint64_t source_divisor_word(int64_t extent);

/* Extents of loops and what divides by them, from these words on; and numbers as they are. */
void source_fill_loops(uint64_t *words, int extents, int divisors, int count, const int64_t *loops);
void source_fill_words(uint64_t *words, int count, const int64_t *numbers);

#endif
