FUNCTION float ADD_FLOAT32(float x, float y) { return (float)(x + y); }
FUNCTION double ADD_FLOAT64(double x, double y) { return (double)(x + y); }
FUNCTION double FLOAT32_AS_FLOAT64(float x) { return (double)x; }
FUNCTION float FLOAT64_AS_FLOAT32(double x) { return (float)x; }
struct words_0 { uint64_t w[15]; };
#define REASSOCIATED _Pragma("clang fp reassociate(on)")
#define CAS32(address, old, made) atomic_cmpxchg((volatile __global uint *)(address), (uint)(old), (uint)(made))
#define ADD32(address, x) atomic_add((volatile __global uint *)(address), (uint)(x))
KERNEL_OF(1) k0_pass0(MEMORY uint8_t *m0, MEMORY uint8_t *m1, MEMORY uint8_t *scratch, MEMORY struct words_0 *blocks) {
    const struct words_0 block = *blocks;
    const int64_t number = (int64_t)block.w[0] + (int64_t)GROUP_ID;
     {
        const int64_t row = number / (int64_t)block.w[3];
        const int64_t part = number % (int64_t)block.w[3];
        const int64_t part_first = part * (int64_t)block.w[4];
        const int64_t part_last = LESSER(part_first + (int64_t)block.w[4], (int64_t)block.w[6]);
        const int64_t i0 = row;
        MEMORY uint8_t *const b0 = m0 + (int64_t)block.w[9] + i0 * (int64_t)block.w[11];
        MEMORY uint8_t *const b1 = m1 + (int64_t)block.w[10] + i0 * (int64_t)block.w[13];
        double a1_0[64];
        LANES for (int l = 0; l < 64; ++l) a1_0[l] = 0;
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            int64_t start = part_first;
            for (; start + 512 <= part_last; start += 512) {
                for (int first = 0; first < 64; first += 16) {
                    LANES_16 for (int k = 0; k < 16; ++k) {
                        const int l = first + k;
                        float p1 = 0;
                        UNROLL for (int u = 0; u < 8; ++u) {
                            const int64_t j = start + first * 8 + u * 16 + k;
                            const float v0 = AT(const float, c0 + j * 4);
                            p1 = ADD_FLOAT32(p1, v0);
                        }
                        a1_0[l] = ADD_FLOAT64(a1_0[l], FLOAT32_AS_FLOAT64(p1));
                    }
                }
            }
            for (; start + 64 <= part_last; start += 64) {
                LANES_16 for (int l = 0; l < 64; ++l) {
                    const int64_t j = start + l;
                    const float v0 = AT(const float, c0 + j * 4);
                    a1_0[l] = ADD_FLOAT64(a1_0[l], FLOAT32_AS_FLOAT64(v0));
                }
            }
            const int rest = (int)(part_last - start);
            LANES for (int l = 0; l < rest; ++l) {
                const int64_t j = start + l;
                const float v0 = AT(const float, c0 + j * 4);
                a1_0[l] = ADD_FLOAT64(a1_0[l], FLOAT32_AS_FLOAT64(v0));
            }
        }
        LANES for (int l = 0; l < 32; ++l) {
            a1_0[l] = ADD_FLOAT64(a1_0[l], a1_0[l + 32]);
        }
        LANES for (int l = 0; l < 16; ++l) {
            a1_0[l] = ADD_FLOAT64(a1_0[l], a1_0[l + 16]);
        }
        LANES for (int l = 0; l < 8; ++l) {
            a1_0[l] = ADD_FLOAT64(a1_0[l], a1_0[l + 8]);
        }
        UNROLL for (int l = 0; l < 4; ++l) {
            a1_0[l] = ADD_FLOAT64(a1_0[l], a1_0[l + 4]);
        }
        UNROLL for (int l = 0; l < 2; ++l) {
            a1_0[l] = ADD_FLOAT64(a1_0[l], a1_0[l + 2]);
        }
        UNROLL for (int l = 0; l < 1; ++l) {
            a1_0[l] = ADD_FLOAT64(a1_0[l], a1_0[l + 1]);
        }
        AT(double, scratch + (((int64_t)row * (int64_t)block.w[3] + part) * 1 + 0) * 16) = a1_0[0];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (ADD32(&blocks->w[2], 1) + 1 == (uint32_t)(block.w[1] * block.w[3])) {
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            for (int64_t row = 0; row < (int64_t)block.w[1]; ++row) {
                const int64_t i0 = row;
                MEMORY uint8_t *const b0 = m0 + (int64_t)block.w[9] + i0 * (int64_t)block.w[11];
                MEMORY uint8_t *const b1 = m1 + (int64_t)block.w[10] + i0 * (int64_t)block.w[13];
                double a1_0 = 0;
                for (int64_t other = 0; other < (int64_t)block.w[3]; other += 1) {
                    a1_0 = ADD_FLOAT64(a1_0, AT(double, scratch + (((int64_t)row * (int64_t)block.w[3] + other) * 1 + 0) * 16));
                }
                const float v1 = FLOAT64_AS_FLOAT32(a1_0);
                AT(float, b1) = v1;
            }
        }
    }
}
