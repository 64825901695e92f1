/* SPDX-License-Identifier: Apache-2.0 */
/* Codes in words and back for devices, as shifts of whole blocks: the fewest words that hold whole
 * codes. Words and codes are shifted in 64 bits, where what belongs to other codes or words leaves
 * at either end. */
#include "compose/quantized/quantize.h"

enum { WORD_BITS = 32, AWAY = 64 /* a shift that leaves nothing */ };

/* The words and codes of a block. */
typedef struct bit_block {
    int words, codes;
} bit_block;

static bit_block block_of(int bits)
{
    bit_block block = {bits, WORD_BITS};
    while (block.words % 2 == 0 && block.codes > 1) {
        block.words /= 2;
        block.codes /= 2;
    }
    return block;
}

/* How far to the right each word, whose bits are from 32 on, goes for each code; or each code for
 * each word. */
static jg_array *make_shifts(compose_scope *scope, bit_block block, int bits, bool back)
{
    uint64_t shifts[WORD_BITS * WORD_BITS];
    const int64_t shape[] = {back ? block.codes : block.words, back ? block.words : block.codes};
    jg_array *made = NULL;
    for (int row = 0; row < (int)shape[0]; ++row)
        for (int column = 0; column < (int)shape[1]; ++column) {
            int code = back ? row : column, word = back ? column : row;
            int distance = code * bits - WORD_BITS * word;
            int shift = WORD_BITS + (back ? distance : -distance);
            shifts[row * shape[1] + column] = (uint64_t)(shift < 0 ? AWAY : shift);
        }
    jg_status status = graph_from_data(shifts, JG_DTYPE_UINT64, 2, shape, &made);
    return scope_take(scope, status, made);
}

jg_array *quantization_bits(compose_scope *scope, const quantization *scheme, jg_array *x,
                            bool back)
{
    const bit_block block = block_of(scheme->bits);
    const int64_t last = -1, each = back ? block.words : block.codes;
    jg_array *wide = scope_cast(scope, x, JG_DTYPE_UINT64);
    if (wide == NULL)
        return NULL;
    const int64_t blocks[] = {x->size / each, 1, each};
    wide = scope_shaped(scope, jg_reshape, wide, 3, blocks);
    if (wide == NULL)
        return NULL;
    wide = scope_binary(scope, jg_bitwise_left_shift, wide, scope_whole(scope, wide, WORD_BITS));
    if (wide == NULL)
        return NULL;
    jg_array *moved = scope_binary(scope, jg_bitwise_right_shift, wide,
                                   make_shifts(scope, block, scheme->bits, back));
    jg_array *sum = scope_reduce(scope, compose_sum, moved, 1, &last, false);
    if (sum == NULL)
        return NULL;
    int64_t mask = back ? (INT64_C(1) << scheme->bits) - 1 : UINT32_MAX;
    sum = scope_binary(scope, jg_bitwise_and, sum, scope_whole(scope, sum, mask));
    return scope_cast(scope, sum, back ? JG_DTYPE_UINT8 : JG_DTYPE_UINT32);
}
