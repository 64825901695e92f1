FUNCTION float SELECT_FLOAT32(uint8_t x, float y, float z) { return x != 0 ? y : z; }
FUNCTION uint8_t LESS_FLOAT32(float x, float y) { return (uint8_t)(x < y); }
FUNCTION float SQRT_FLOAT32(float x) { return (float)(sqrt_f32(x)); }
FUNCTION float MULTIPLY_FLOAT32(float x, float y) { return (float)(x *y); }
struct words_0 { uint64_t w[16]; };
KERNEL k0_items(MEMORY uint8_t *m0, MEMORY uint8_t *m1, const struct words_0 block) {
    const float v1 = f32_of_bits((uint32_t)block.w[15]);
    const int32_t number = (int32_t)block.w[0] + ((int32_t)GROUP_ID * GROUP_ITEMS + ITEM_ID) * 1;
    int32_t rest0 = number;
    const int32_t q1 = DIVIDED(rest0, block.w[8]);
    const int32_t i1 = rest0 - q1 * (int32_t)block.w[6];
    rest0 = q1;
    const int32_t i0 = rest0;
    MEMORY uint8_t *const b0 = m0 + (int64_t)block.w[9] + i0 * (int32_t)block.w[11];
    MEMORY uint8_t *const b1 = m1 + (int64_t)block.w[10] + i0 * (int32_t)block.w[13];
    const int32_t j = i1;
    const float v0 = AT(const float, b0 + j * 4);
    const uint8_t v2 = LESS_FLOAT32(v1, v0);
    const float v3 = SQRT_FLOAT32(v0);
    const float v4 = MULTIPLY_FLOAT32(v0, v1);
    const float v5 = SELECT_FLOAT32(v2, v3, v4);
    AT(float, b1 + j * 4) = v5;
}
struct ALIGNED(16) wide_0_0 { float e[4]; };
struct ALIGNED(16) wide_0_1 { float e[4]; };
KERNEL k0_wide(MEMORY uint8_t *m0, MEMORY uint8_t *m1, const struct words_0 block) {
    const float v1 = f32_of_bits((uint32_t)block.w[15]);
    const int32_t number = (int32_t)block.w[0] + ((int32_t)GROUP_ID * GROUP_ITEMS + ITEM_ID) * 4;
    int32_t rest0 = number;
    const int32_t q1 = DIVIDED(rest0, block.w[8]);
    const int32_t i1 = rest0 - q1 * (int32_t)block.w[6];
    rest0 = q1;
    const int32_t i0 = rest0;
    MEMORY uint8_t *const b0 = m0 + (int64_t)block.w[9] + i0 * (int32_t)block.w[11];
    MEMORY uint8_t *const b1 = m1 + (int64_t)block.w[10] + i0 * (int32_t)block.w[13];
    const int32_t j0 = i1;
    const struct wide_0_0 w0 = AT(const struct wide_0_0, b0 + j0 * 4);
    struct wide_0_1 w1;
    UNROLL for (int e = 0; e < 4; ++e) {
        const int32_t j = j0 + e;
        const float v0 = w0.e[e];
        const uint8_t v2 = LESS_FLOAT32(v1, v0);
        const float v3 = SQRT_FLOAT32(v0);
        const float v4 = MULTIPLY_FLOAT32(v0, v1);
        const float v5 = SELECT_FLOAT32(v2, v3, v4);
        w1.e[e] = v5;
        (void)j;
    }
    AT(struct wide_0_1, b1 + j0 * 4) = w1;
}
