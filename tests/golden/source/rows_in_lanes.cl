FUNCTION float ADD_FLOAT32(float x, float y) { return (float)(x + y); }
FUNCTION float SUBTRACT_FLOAT32(float x, float y) { return (float)(x - y); }
FUNCTION float MAXIMUM_FLOAT32(float x, float y) { return (float)(x > y || x != x ? x : y); }
FUNCTION double ADD_FLOAT64(double x, double y) { return (double)(x + y); }
FUNCTION double FLOAT32_AS_FLOAT64(float x) { return (double)x; }
FUNCTION float FLOAT64_AS_FLOAT32(double x) { return (float)x; }
struct words_0 { uint64_t w[18]; };
KERNEL_OF(1) k0_rows(MEMORY uint8_t *m0, MEMORY uint8_t *m1, MEMORY uint8_t *m2, const struct words_0 block) {
    int64_t row = GROUP_ID * (int64_t)block.w[2];
    const int64_t end = LESSER(row + (int64_t)block.w[2], (int64_t)block.w[1]);
    for (; row < end; ++row) {
        const int64_t i0 = row;
        MEMORY uint8_t *const b0 = m0 + (int64_t)block.w[9] + i0 * (int64_t)block.w[12];
        MEMORY uint8_t *const b1 = m1 + (int64_t)block.w[10] + i0 * (int64_t)block.w[14];
        MEMORY uint8_t *const b2 = m2 + (int64_t)block.w[11] + i0 * (int64_t)block.w[16];
        float a1_0[64];
        LANES for (int l = 0; l < 64; ++l) a1_0[l] = -INFINITY;
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            MEMORY uint8_t *const c2 = b2;
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
            MEMORY uint8_t *const c2 = b2;
            int64_t start = 0;
            for (; start + 512 <= (int64_t)block.w[6]; start += 512) {
                for (int first = 0; first < 64; first += 16) {
                    LANES_16 for (int k = 0; k < 16; ++k) {
                        const int l = first + k;
                        float p4 = 0;
                        UNROLL for (int u = 0; u < 8; ++u) {
                            const int64_t j = start + first * 8 + u * 16 + k;
                            const float v0 = AT(const float, c0 + j * 4);
                            const float v2 = SUBTRACT_FLOAT32(v0, v1);
                            p4 = ADD_FLOAT32(p4, v2);
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
                    a4_0[l] = ADD_FLOAT64(a4_0[l], FLOAT32_AS_FLOAT64(v2));
                }
            }
            const int rest = (int)((int64_t)block.w[6] - start);
            LANES for (int l = 0; l < rest; ++l) {
                const int64_t j = start + l;
                const float v0 = AT(const float, c0 + j * 4);
                const float v2 = SUBTRACT_FLOAT32(v0, v1);
                a4_0[l] = ADD_FLOAT64(a4_0[l], FLOAT32_AS_FLOAT64(v2));
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
            MEMORY uint8_t *const c2 = b2;
            LANES for (int64_t j = 0; j < (int64_t)block.w[6]; ++j) {
                const float v0 = AT(const float, c0 + j * 4);
                const float v2 = SUBTRACT_FLOAT32(v0, v1);
                AT(float, c1 + j * 4) = v2;
            }
        }
        AT(float, b2) = v4;
    }
}
