FUNCTION float at_least_f32(float x, float limit) { return x < limit ? limit : x; }
FUNCTION float cut_f32(float x, float limit) { int32_t bits = (int32_t)bits_of_f32(x), most = (int32_t)bits_of_f32(limit); return f32_of_bits((uint32_t)(bits < most ? bits : most)); }
FUNCTION float madd_f32(float x, float y, float z) { return fma_f32(x, y, z); }
FUNCTION float exp_core_f32(float r) { float q = 0x1.6a4b3cp-10f; q = madd_f32(q, r, 0x1.12398ep-7f); q = madd_f32(q, r, 0x1.5558b2p-5f); q = madd_f32(q, r, 0x1.555492p-3f); return madd_f32(q, r, 0x1.fffffcp-2f); }
FUNCTION float exp_near_f32(float r) { return madd_f32(r, madd_f32(r, exp_core_f32(r), 1.0f), 1.0f); }
FUNCTION float reduce_ln2_f32(float x, float n) { return madd_f32(n, 0x1.bd0106p-13f, madd_f32(n, -0x1.63p-1f, x)); }
FUNCTION float scaled_f32(float x, float rounded) { uint32_t half_ = bits_of_f32(rounded) << 22 & 0x7f800000u; uint32_t rest = (bits_of_f32(rounded) << 23) - half_; return x * f32_of_bits(half_) * f32_of_bits(rest); }
FUNCTION float vector_exp_f32(float x) { x = at_least_f32(x, -105.0f); float rounded = madd_f32(x, 0x1.715476p0f, 0x1.8001fcp23f); rounded = cut_f32(rounded, 0x1.8001fcp23f + 130.0f); return scaled_f32(exp_near_f32(reduce_ln2_f32(x, rounded - 0x1.8001fcp23f)), rounded); }
FUNCTION float ADD_FLOAT32(float x, float y) { return (float)(x + y); }
FUNCTION float SUBTRACT_FLOAT32(float x, float y) { return (float)(x - y); }
FUNCTION float DIVIDE_FLOAT32(float x, float y) { return (float)(x / y); }
FUNCTION float MAXIMUM_FLOAT32(float x, float y) { return (float)(x > y || x != x ? x : y); }
FUNCTION double ADD_FLOAT64(double x, double y) { return (double)(x + y); }
FUNCTION double FLOAT32_AS_FLOAT64(float x) { return (double)x; }
FUNCTION float FLOAT64_AS_FLOAT32(double x) { return (float)x; }
FUNCTION float EXP_FLOAT32(float x) { return (float)(vector_exp_f32(x)); }
struct words_0 { uint64_t w[15]; };
KERNEL_OF(1) k0_rows(MEMORY uint8_t *m0, MEMORY uint8_t *m1, const struct words_0 block) {
    int64_t row = GROUP_ID * (int64_t)block.w[2];
    const int64_t end = LESSER(row + (int64_t)block.w[2], (int64_t)block.w[1]);
    for (; row < end; ++row) {
        const int64_t i0 = row;
        MEMORY uint8_t *const b0 = m0 + (int64_t)block.w[9] + i0 * (int64_t)block.w[11];
        MEMORY uint8_t *const b1 = m1 + (int64_t)block.w[10] + i0 * (int64_t)block.w[13];
        float kept3[16384];
        float a1_0[64];
        LANES for (int l = 0; l < 64; ++l) a1_0[l] = -INFINITY;
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            int64_t start = 0;
            for (; start + 64 <= (int64_t)block.w[6]; start += 64) {
                LANES_16 for (int l = 0; l < 64; ++l) {
                    const int64_t j = start + l;
                    const float v0 = AT(const float, c0 + j * 4);
                    a1_0[l] = MAXIMUM_FLOAT32(a1_0[l], v0);
                }
            }
            const int rest = (int)((int64_t)block.w[6] - start);
            LANES for (int l = 0; l < rest; ++l) {
                const int64_t j = start + l;
                const float v0 = AT(const float, c0 + j * 4);
                a1_0[l] = MAXIMUM_FLOAT32(a1_0[l], v0);
            }
        }
        LANES for (int l = 0; l < 32; ++l) {
            a1_0[l] = MAXIMUM_FLOAT32(a1_0[l], a1_0[l + 32]);
        }
        LANES for (int l = 0; l < 16; ++l) {
            a1_0[l] = MAXIMUM_FLOAT32(a1_0[l], a1_0[l + 16]);
        }
        LANES for (int l = 0; l < 8; ++l) {
            a1_0[l] = MAXIMUM_FLOAT32(a1_0[l], a1_0[l + 8]);
        }
        UNROLL for (int l = 0; l < 4; ++l) {
            a1_0[l] = MAXIMUM_FLOAT32(a1_0[l], a1_0[l + 4]);
        }
        UNROLL for (int l = 0; l < 2; ++l) {
            a1_0[l] = MAXIMUM_FLOAT32(a1_0[l], a1_0[l + 2]);
        }
        UNROLL for (int l = 0; l < 1; ++l) {
            a1_0[l] = MAXIMUM_FLOAT32(a1_0[l], a1_0[l + 1]);
        }
        const float v1 = a1_0[0];
        double a4_0[64];
        LANES for (int l = 0; l < 64; ++l) a4_0[l] = 0;
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            int64_t start = 0;
            for (; start + 256 <= (int64_t)block.w[6]; start += 256) {
                for (int first = 0; first < 64; first += 16) {
                    LANES_16 for (int k = 0; k < 16; ++k) {
                        const int l = first + k;
                        float p4 = 0;
                        UNROLL for (int u = 0; u < 4; ++u) {
                            const int64_t j = start + first * 4 + u * 16 + k;
                            const float v0 = AT(const float, c0 + j * 4);
                            const float v2 = SUBTRACT_FLOAT32(v0, v1);
                            const float v3 = EXP_FLOAT32(v2);
                            p4 = ADD_FLOAT32(p4, v3);
                            kept3[j] = v3;
                        }
                        a4_0[l] = ADD_FLOAT64(a4_0[l], FLOAT32_AS_FLOAT64(p4));
                    }
                }
            }
            for (; start + 64 <= (int64_t)block.w[6]; start += 64) {
                LANES_16 for (int l = 0; l < 64; ++l) {
                    const int64_t j = start + l;
                    const float v0 = AT(const float, c0 + j * 4);
                    const float v2 = SUBTRACT_FLOAT32(v0, v1);
                    const float v3 = EXP_FLOAT32(v2);
                    a4_0[l] = ADD_FLOAT64(a4_0[l], FLOAT32_AS_FLOAT64(v3));
                    kept3[j] = v3;
                }
            }
            const int rest = (int)((int64_t)block.w[6] - start);
            LANES for (int l = 0; l < rest; ++l) {
                const int64_t j = start + l;
                const float v0 = AT(const float, c0 + j * 4);
                const float v2 = SUBTRACT_FLOAT32(v0, v1);
                const float v3 = EXP_FLOAT32(v2);
                a4_0[l] = ADD_FLOAT64(a4_0[l], FLOAT32_AS_FLOAT64(v3));
                kept3[j] = v3;
            }
        }
        LANES for (int l = 0; l < 32; ++l) {
            a4_0[l] = ADD_FLOAT64(a4_0[l], a4_0[l + 32]);
        }
        LANES for (int l = 0; l < 16; ++l) {
            a4_0[l] = ADD_FLOAT64(a4_0[l], a4_0[l + 16]);
        }
        LANES for (int l = 0; l < 8; ++l) {
            a4_0[l] = ADD_FLOAT64(a4_0[l], a4_0[l + 8]);
        }
        UNROLL for (int l = 0; l < 4; ++l) {
            a4_0[l] = ADD_FLOAT64(a4_0[l], a4_0[l + 4]);
        }
        UNROLL for (int l = 0; l < 2; ++l) {
            a4_0[l] = ADD_FLOAT64(a4_0[l], a4_0[l + 2]);
        }
        UNROLL for (int l = 0; l < 1; ++l) {
            a4_0[l] = ADD_FLOAT64(a4_0[l], a4_0[l + 1]);
        }
        const float v4 = FLOAT64_AS_FLOAT32(a4_0[0]);
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            LANES for (int64_t j = 0; j < (int64_t)block.w[6]; ++j) {
                const float v3 = kept3[j];
                const float v5 = DIVIDE_FLOAT32(v3, v4);
                AT(float, c1 + j * 4) = v5;
            }
        }
    }
}
