FUNCTION int32_t ADD_INT32(int32_t x, int32_t y) { return (int32_t)((uint32_t) x +(uint32_t) y); }
FUNCTION uint8_t LESS_FLOAT32(float x, float y) { return (uint8_t)(x < y); }
FUNCTION float ADD_FLOAT32(float x, float y) { return (float)(x + y); }
FUNCTION float MULTIPLY_FLOAT32(float x, float y) { return (float)(x *y); }
FUNCTION int32_t FLOAT32_to_INT32(float x) { float inside = x >= (float)((-2147483647 - 1)) && x < (float)(0x1p31) ? x : (float)0; int32_t whole = (int32_t)inside; whole = x < (float)((-2147483647 - 1)) ? (int32_t)((-2147483647 - 1)) : whole; return x >= (float)(0x1p31) ? (int32_t)(2147483647) : whole; }
FUNCTION int32_t INT64_AS_INT32(int64_t x) { return (int32_t)x; }
FUNCTION int32_t FLOAT32_AS_INT32(float x) { return FLOAT32_to_INT32(x); }
#define REASSOCIATED
static inline uint CAS32(device uint8_t *address, uint old, uint made)
{
    const uint expected = old;
    while (old == expected && !atomic_compare_exchange_weak_explicit(
               (device atomic_uint *)address, &old, made, memory_order_relaxed,
               memory_order_relaxed)) {}
    return old;
}
#define ADD32(address, x) atomic_fetch_add_explicit((device atomic_uint *)(address), (uint)(x), memory_order_relaxed)
struct words_0 { uint64_t w[16]; };
FUNCTION int fails_first(MEMORY uint8_t *frame, uint32_t position)
{
    if (CAS32(frame, 0u, 1u) != 0u) return 0;
    AT(uint32_t, frame + 4) = position;
    return 1;
}
FUNCTION void fail_index(MEMORY uint8_t *frame, uint32_t position, int64_t axis, int64_t index, int64_t extent)
{
    if (fails_first(frame, position)) {
        AT(int64_t, frame + 64) = axis;
        AT(int64_t, frame + 72) = index;
        AT(int64_t, frame + 80) = extent;
    }
}
KERNEL_OF(1) k0_p0(MEMORY uint8_t *m3 [[buffer(0)]], constant struct words_0 &block [[buffer(1)]], uint group_id [[threadgroup_position_in_grid]], uint item_id [[thread_position_in_threadgroup]], uint group_items [[threads_per_threadgroup]]) {
    MEMORY uint8_t *const frame = m3;
    if (AT(uint32_t, frame) != 0u) return;
    for (int64_t i = 0; i < 1; ++i) AT(int32_t, frame + 192 + i * 4) = 0;
    const int32_t v1 = (int32_t)(0x0u);
    const int32_t v2 = (int32_t)(0x1u);
    const int32_t v3 = (int32_t)(0x2u);
    const int64_t v4 = (int64_t)block.w[3];
    const int32_t v5 = INT64_AS_INT32(v4);
    AT(int32_t, frame + 256) = v5;
}
KERNEL_OF(256) k0_p1(MEMORY uint8_t *m0 [[buffer(0)]], MEMORY uint8_t *m1 [[buffer(1)]], MEMORY uint8_t *m2 [[buffer(2)]], MEMORY uint8_t *m3 [[buffer(3)]], constant struct words_0 &block [[buffer(4)]], uint group_id [[threadgroup_position_in_grid]], uint item_id [[thread_position_in_threadgroup]], uint group_items [[threads_per_threadgroup]]) {
    MEMORY uint8_t *const frame = m3;
    if (AT(uint32_t, frame) != 0u) return;
    const int32_t v1 = (int32_t)(0x0u);
    const int32_t v5 = AT(int32_t, frame + 256);
    const int32_t v3 = (int32_t)(0x2u);
    const float v0 = f32_of_bits((uint32_t)(block.w[2]));
    const int32_t v2 = (int32_t)(0x1u);
    const int64_t items = (int64_t)block.w[0];
    const int64_t low0 = (int64_t)v1;
    const int64_t length0 = (int64_t)v1 < (int64_t)v5 ? (int64_t)((uint64_t)v5 - (uint64_t)v1) : 0;
    const int64_t low1 = (int64_t)v1;
    const int64_t length1 = (int64_t)v1 < (int64_t)v3 ? (int64_t)((uint64_t)v3 - (uint64_t)v1) : 0;
    const int64_t count = length0 * length1;
     {
        const int64_t least = ((int64_t)0), greatest = ((int64_t)-1 + (int64_t)1 * (int64_t)(int32_t)((int64_t)block.w[3]));
        const int none = 0 || ((int64_t)0) >= ((int64_t)2) || ((int64_t)0) >= ((int64_t)0 + (int64_t)1 * (int64_t)(int32_t)((int64_t)block.w[3]));
        if (!none && ((uint64_t)least >= (uint64_t)((int64_t)block.w[5]) || (uint64_t)greatest >= (uint64_t)((int64_t)block.w[5]))) {
            fail_index(frame, 8u, 0, (uint64_t)least < (uint64_t)((int64_t)block.w[5]) ? greatest : least, (int64_t)block.w[5]);
            return;
        }
    }
    int32_t g16 = 0; int t16 = 0;
    for (int64_t n = GROUP_ID * GROUP_ITEMS + ITEM_ID; n < count; n += items) {
        int64_t rest = n;
        const int64_t digit1 = rest % length1;
        rest /= length1;
        const int32_t v7 = (int32_t)(low1 + digit1);
        const int64_t digit0 = rest;
        const int32_t v6 = (int32_t)(low0 + digit0);
        MEMORY uint8_t *const a7 = m0 + (int64_t)block.w[13] + (int64_t)v6 * 8 + (int64_t)v7 * 4;
        const float v8 = AT(const float, a7);
        MEMORY uint8_t *const a8 = m1 + (int64_t)block.w[14] + (int64_t)v6 * 8 + (int64_t)v7 * 4;
        const float v9 = AT(const float, a8);
        const float v10 = MULTIPLY_FLOAT32(v9, v0);
        const float v11 = ADD_FLOAT32(v8, v10);
        MEMORY uint8_t *const a11 = m0 + (int64_t)block.w[13] + (int64_t)v6 * 8 + (int64_t)v7 * 4;
        AT(float, a11) = v11;
        const int32_t v12 = FLOAT32_AS_INT32(v11);
        if ((uint64_t)((int64_t)v12) >= (uint64_t)((int64_t)16)) {
            fail_index(frame, 13u, 0, (int64_t)v12, (int64_t)16);
            return;
        }
        MEMORY uint8_t *const a13 = m2 + (int64_t)block.w[15] + (int64_t)v12 * 4;
        const int32_t v13 = (int32_t)ADD32(a13, (uint32_t)v2);
        const uint8_t v14 = LESS_FLOAT32(v0, v10);
        if (v14 != 0) {
            g16 = ADD_INT32(g16, v2);
            t16 = 1;
        }
    }
    if (t16) {
        int32_t found;
        MEMORY uint8_t *const a16 = frame + 192;
        MEMORY uint8_t *const word = a16;
        uint32_t was = AT(uint32_t, word);
        for (;;) {
            const int32_t x = (int32_t)(was);
            const int32_t next = ADD_INT32(x, g16);
            const uint32_t want = (uint32_t)next;
            const uint32_t seen = CAS32(word, was, want);
            if (seen == was) {
                found = x;
                break;
            }
            was = seen;
        }
        (void)found;
    }
}
KERNEL_OF(1) k0_p2(MEMORY uint8_t *m3 [[buffer(0)]], constant struct words_0 &block [[buffer(1)]], uint group_id [[threadgroup_position_in_grid]], uint item_id [[thread_position_in_threadgroup]], uint group_items [[threads_per_threadgroup]]) {
    MEMORY uint8_t *const frame = m3;
    if (AT(uint32_t, frame) != 0u) return;
    MEMORY uint8_t *const a19 = frame + 192;
    const int32_t v16 = AT(int32_t, a19);
    AT(int32_t, frame + 88) = v16;
}
