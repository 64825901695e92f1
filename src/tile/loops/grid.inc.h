/* SPDX-License-Identifier: Apache-2.0 */
/* Moving elements between strided memory and a tile that lies over two loops: rows of columns,
 * dense in the tile. Where memory runs along the rows, blocks are transposed in registers, so that
 * each cache line is read once and in whole. */

/* A block of K x K elements is K vectors of 16 bytes. Zipping vector i with vector i + K/2 into 2i
 * and 2i + 1 moves one bit of an element's row number into its column number; log2 K times
 * transpose. */
#define LOWER_1(a, b)                                                                              \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define UPPER_1(a, b)                                                                              \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOWER_2(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define UPPER_2(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOWER_4(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define UPPER_4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOWER_8(a, b) __builtin_shufflevector(a, b, 0, 2)
#define UPPER_8(a, b) __builtin_shufflevector(a, b, 1, 3)

#if defined __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif
#define LOG(k) ((k) == 16 ? 4 : (k) == 8 ? 3 : (k) == 4 ? 2 : 1)

#define TRANSPOSE(W, T)                                                                            \
    typedef T block_##W __attribute__((vector_size(16)));                                          \
    typedef T block_in_##W __attribute__((vector_size(16), aligned(W), may_alias));                \
    static inline void transpose_block_##W(T *to, int64_t row, const void *from, int64_t column)   \
    {                                                                                              \
        enum { K = 16 / W };                                                                       \
        block_##W x[K], y[K];                                                                      \
        UNROLLED for (int i = 0; i < K; ++i) x[i] =                                                \
            *(const block_in_##W *)step_in(from, i * column);                                      \
        UNROLLED for (int bit = 0; bit < LOG(K); ++bit)                                            \
        {                                                                                          \
            UNROLLED for (int i = 0; i < K / 2; ++i)                                               \
            {                                                                                      \
                y[2 * i] = LOWER_##W(x[i], x[i + K / 2]);                                          \
                y[2 * i + 1] = UPPER_##W(x[i], x[i + K / 2]);                                      \
            }                                                                                      \
            UNROLLED for (int i = 0; i < K; ++i) x[i] = y[i];                                      \
        }                                                                                          \
        UNROLLED for (int i = 0; i < K; ++i) * (block_in_##W *)(void *)(to + i * row) = x[i];      \
    }                                                                                              \
    static void transpose_##W(void *dst, const void *from, const tile_grid *grid)                  \
    {                                                                                              \
        enum { K = 16 / W };                                                                       \
        T *to = dst;                                                                               \
        int64_t rows = grid->rows, columns = grid->columns, c = 0;                                 \
        for (; c + K <= columns; c += K) {                                                         \
            const char *block = step_in(from, c * grid->column_stride);                            \
            int64_t r = 0;                                                                         \
            for (; r + K <= rows; r += K)                                                          \
                transpose_block_##W(to + r * columns + c, columns, block + r * W,                  \
                                    grid->column_stride);                                          \
            for (; r < rows; ++r)                                                                  \
                gather_##W(to + r * columns + c, block + r * W, grid->column_stride, K);           \
        }                                                                                          \
        for (; c < columns; ++c) {                                                                 \
            const T *xs = step_in(from, c * grid->column_stride);                                  \
            for (int64_t r = 0; r < rows; ++r)                                                     \
                to[r * columns + c] = xs[r];                                                       \
        }                                                                                          \
    }
TRANSPOSE(1, uint8_t)
TRANSPOSE(2, uint16_t)
TRANSPOSE(4, uint32_t)
TRANSPOSE(8, uint64_t)
/* Every element is a block. */
static void transpose_16(void *dst, const void *from, const tile_grid *grid)
{
    word128 *to = dst;
    for (int64_t r = 0; r < grid->rows; ++r, to += grid->columns)
        gather_16(to, step_in(from, r * 16), grid->column_stride, grid->columns);
}

/* A short run, for which a call of memcpy would cost more than the copy. */
static inline void copy_run(void *dst, const void *src, int64_t nbytes)
{
    typedef uint8_t run __attribute__((vector_size(64), aligned(1), may_alias));
    int64_t i = 0;
    for (; i + 64 <= nbytes; i += 64)
        *(run *)step_out(dst, i) = *(const run *)step_in(src, i);
    if (i < nbytes)
        memcpy(step_out(dst, i), step_in(src, i), (size_t)(nbytes - i));
}

/* The first row over all others, by doubling. */
static inline void repeat_row(char *to, int64_t row_nbytes, int64_t nrows)
{
    int64_t done = row_nbytes, all = row_nbytes * nrows;
    while (done < all) {
        int64_t count = int64_min(done, all - done);
        memcpy(to + done, to, (size_t)count);
        done += count;
    }
}

/* One element over each row. Of short rows a whole vector is written, whose rest the next rows
 * overwrite, as long as that stays inside. */
#define SPREAD(W, T)                                                                               \
    static inline void spread_##W(T *to, const void *from, const tile_grid *grid)                  \
    {                                                                                              \
        typedef T spread __attribute__((vector_size(32), aligned(W), may_alias));                  \
        int64_t columns = grid->columns, r = 0, short_rows = 32 / W >= columns ? grid->rows : 0;   \
        for (; r < short_rows && (grid->rows - r) * columns >= 32 / W; ++r, to += columns)         \
            *(spread *)(void *)to = (spread){0} + *(const T *)step_in(from, r * grid->row_stride); \
        for (; r < grid->rows; ++r) {                                                              \
            T x = *(const T *)step_in(from, r * grid->row_stride);                                 \
            for (int64_t c = 0; c < columns; ++c)                                                  \
                *to++ = x;                                                                         \
        }                                                                                          \
    }
SPREAD(1, uint8_t)
SPREAD(2, uint16_t)
SPREAD(4, uint32_t)
SPREAD(8, uint64_t)
static inline void spread_16(word128 *to, const void *from, const tile_grid *grid)
{
    for (int64_t r = 0; r < grid->rows; ++r)
        for (int64_t c = 0; c < grid->columns; ++c)
            *to++ = *(const word128 *)step_in(from, r * grid->row_stride);
}

#define GRID(W, T)                                                                                 \
    static void gather_grid_##W(void *dst, const void *from, const tile_grid *grid)                \
    {                                                                                              \
        T *to = dst;                                                                               \
        int64_t columns = grid->columns, row_nbytes = columns * W;                                 \
        if (grid->row_stride == 0) {                                                               \
            gather_##W(to, from, grid->column_stride, columns);                                    \
            repeat_row(dst, row_nbytes, grid->rows);                                               \
        } else if (grid->column_stride == 0) {                                                     \
            spread_##W(to, from, grid);                                                            \
        } else if (grid->row_stride == W && grid->column_stride != W) {                            \
            transpose_##W(dst, from, grid);                                                        \
        } else if (grid->column_stride != W) {                                                     \
            for (int64_t r = 0; r < grid->rows; ++r)                                               \
                gather_##W(to + r * columns, step_in(from, r * grid->row_stride),                  \
                           grid->column_stride, columns);                                          \
        } else if (grid->row_stride == row_nbytes) {                                               \
            memcpy(dst, from, (size_t)(row_nbytes * grid->rows));                                  \
        } else {                                                                                   \
            for (int64_t r = 0; r < grid->rows; ++r)                                               \
                copy_run(to + r * columns, step_in(from, r * grid->row_stride), row_nbytes);       \
        }                                                                                          \
    }                                                                                              \
    static void scatter_grid_##W(void *to, const void *src, const tile_grid *grid, bool streams)   \
    {                                                                                              \
        const T *xs = src;                                                                         \
        int64_t columns = grid->columns, row_nbytes = columns * W;                                 \
        if (grid->column_stride == W && grid->row_stride == row_nbytes) {                          \
            if (streams)                                                                           \
                stream_copy(to, xs, (size_t)(row_nbytes * grid->rows));                            \
            else                                                                                   \
                memcpy(to, xs, (size_t)(row_nbytes * grid->rows));                                 \
            return;                                                                                \
        }                                                                                          \
        for (int64_t r = 0; r < grid->rows; ++r, xs += columns) {                                  \
            void *row = step_out(to, r * grid->row_stride);                                        \
            if (grid->column_stride != W)                                                          \
                scatter_##W(row, xs, grid->column_stride, columns);                                \
            else if (streams)                                                                      \
                stream_copy(row, xs, (size_t)row_nbytes);                                          \
            else                                                                                   \
                copy_run(row, xs, row_nbytes);                                                     \
        }                                                                                          \
    }
GRID(1, uint8_t)
GRID(2, uint16_t)
GRID(4, uint32_t)
GRID(8, uint64_t)
GRID(16, word128)
