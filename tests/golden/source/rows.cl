FUNCTION float SUBTRACT_FLOAT32(float x, float y) { return (float)(x - y); }
FUNCTION float MAXIMUM_FLOAT32(float x, float y) { return (float)(x > y || x != x ? x : y); }
FUNCTION double ADD_FLOAT64(double x, double y) { return (double)(x + y); }
FUNCTION double FLOAT32_AS_FLOAT64(float x) { return (double)x; }
FUNCTION float FLOAT64_AS_FLOAT32(double x) { return (float)x; }
struct words_0 { uint64_t w[18]; };
KERNEL_OF(256) k0_rows(MEMORY uint8_t *m0, MEMORY uint8_t *m1, MEMORY uint8_t *m2, const struct words_0 block) {
    LOCAL float t_float_0[256];
    LOCAL double t_double_0[256];
    const int32_t number = (int32_t)block.w[0] + (int32_t)GROUP_ID;
     {
        const int32_t row = number;
        const int32_t i0 = row;
        MEMORY uint8_t *const b0 = m0 + (int64_t)block.w[9] + i0 * (int32_t)block.w[12];
        MEMORY uint8_t *const b1 = m1 + (int64_t)block.w[10] + i0 * (int32_t)block.w[14];
        MEMORY uint8_t *const b2 = m2 + (int64_t)block.w[11] + i0 * (int32_t)block.w[16];
        float a1_0 = -INFINITY;
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            MEMORY uint8_t *const c2 = b2;
            for (int32_t j = 0 + ITEM_ID; j < (int32_t)block.w[6]; j += 256) {
                const float v0 = AT(const float, c0 + j * 4);
                a1_0 = MAXIMUM_FLOAT32(a1_0, v0);
            }
        }
        t_float_0[ITEM_ID] = a1_0;
        BARRIER;
        for (int s = 128; s > 0; s /= 2) {
            if (ITEM_ID < s) {
                a1_0 = MAXIMUM_FLOAT32(a1_0, t_float_0[ITEM_ID + s]);
                t_float_0[ITEM_ID] = a1_0;
            }
            BARRIER;
        }
        a1_0 = t_float_0[0];
        BARRIER;
        const float v1 = a1_0;
        double a4_0 = 0;
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            MEMORY uint8_t *const c2 = b2;
            for (int32_t j = 0 + ITEM_ID; j < (int32_t)block.w[6]; j += 256) {
                const float v0 = AT(const float, c0 + j * 4);
                const float v2 = SUBTRACT_FLOAT32(v0, v1);
                a4_0 = ADD_FLOAT64(a4_0, FLOAT32_AS_FLOAT64(v2));
            }
        }
        t_double_0[ITEM_ID] = a4_0;
        BARRIER;
        for (int s = 128; s > 0; s /= 2) {
            if (ITEM_ID < s) {
                a4_0 = ADD_FLOAT64(a4_0, t_double_0[ITEM_ID + s]);
                t_double_0[ITEM_ID] = a4_0;
            }
            BARRIER;
        }
        a4_0 = t_double_0[0];
        BARRIER;
        const float v4 = FLOAT64_AS_FLOAT32(a4_0);
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            MEMORY uint8_t *const c2 = b2;
            for (int32_t j = 0 + ITEM_ID; j < (int32_t)block.w[6]; j += 256) {
                const float v0 = AT(const float, c0 + j * 4);
                const float v2 = SUBTRACT_FLOAT32(v0, v1);
                AT(float, c1 + j * 4) = v2;
            }
        }
        BARRIER;
        if (ITEM_ID == 0) {
            AT(float, b2) = v4;
        }
    }
}
