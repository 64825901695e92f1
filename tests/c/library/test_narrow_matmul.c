/* SPDX-License-Identifier: Apache-2.0 */
/* Products with small extents, and of integers, against the definition: operands and results end
 * where memory ends, so that what is read or written beyond them is found. */
#include "../openblas.h"
#include "../support.h"
#include "library/narrow.h"
#include <sys/mman.h>
#include <unistd.h>

static const jg_dtype dtypes[] = {JG_DTYPE_INT8,  JG_DTYPE_UINT16,  JG_DTYPE_INT32,
                                  JG_DTYPE_INT64, JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT64};

/* Memory of which the last byte is the last of a page, before one that may not be touched. */
typedef struct fenced {
    char *pages, *start;
    size_t nbytes;
} fenced;

static fenced fence(size_t nbytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (nbytes / page + 1) * page;
    char *pages =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + whole, page, PROT_NONE), 0);
    return (fenced){pages, pages + whole - nbytes, whole + page};
}

static void release(fenced x)
{
    munmap(x.pages, x.nbytes);
}

/* Small whole numbers, whose sums are exact in every dtype but int8, where they wrap. */
static int64_t number_at(int64_t index, int salt)
{
    return (index * 7 + salt) % 11 - 5;
}

static fenced fill(jg_dtype dtype, int64_t count, int salt)
{
    size_t itemsize = dtype_itemsize(dtype);
    fenced x = fence((size_t)count * itemsize);
    jg_dtype_kind kind = dtype_is_floating(dtype) ? JG_KIND_FLOAT : JG_KIND_INT;
    for (int64_t i = 0; i < count; ++i) {
        jg_scalar value = {.i64 = number_at(i, salt)};
        if (kind == JG_KIND_FLOAT)
            value.f64 = (double)number_at(i, salt);
        scalar_store(value, kind, dtype, x.start + (size_t)i * itemsize);
    }
    return x;
}

/* The number in the dtype's bytes, of which an integer's low bits count. */
static void check(const matmul_call *c, int64_t index, int64_t wanted)
{
    char bytes[8];
    size_t itemsize = dtype_itemsize(c->dtype);
    jg_scalar value = {.i64 = wanted};
    jg_dtype_kind kind = dtype_is_floating(c->dtype) ? JG_KIND_FLOAT : JG_KIND_INT;
    if (kind == JG_KIND_FLOAT)
        value.f64 = (double)wanted;
    scalar_store(value, kind, c->dtype, bytes);
    if (memcmp(bytes, (const char *)c->c + (size_t)index * itemsize, itemsize) != 0)
        fail_msg("%s %ld x %ld x %ld: element %ld is not %ld", jg_dtype_name(c->dtype), (long)c->m,
                 (long)c->n, (long)c->k, (long)index, (long)wanted);
}

static int64_t sum_of(const matmul_call *c, int64_t i, int64_t j, int64_t a_at, int64_t b_at)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < c->k; ++k)
        sum += number_at(a_at + i * c->a_row + k * c->a_column, 1) *
               number_at(b_at + k * c->b_row + j * c->b_column, 2);
    return sum;
}

/* Both operands dense or transposed, by the bits of `ways`; b's second matrix is its first where
 * there is one more bit. */
static void check_product(jg_dtype dtype, int64_t m, int64_t n, int64_t k, int64_t count, int ways)
{
    int64_t b_step = ways & 4 ? 0 : k * n;
    fenced a = fill(dtype, count * m * k, 1),
           b = fill(dtype, b_step == 0 ? k * n : count * k * n, 2);
    fenced c = fence((size_t)(count * m * n) * dtype_itemsize(dtype));
    matmul_call call = {.dtype = dtype,
                        .m = m,
                        .n = n,
                        .k = k,
                        .a = a.start,
                        .b = b.start,
                        .c = c.start,
                        .a_row = ways & 1 ? 1 : k,
                        .a_column = ways & 1 ? m : 1,
                        .b_row = ways & 2 ? 1 : n,
                        .b_column = ways & 2 ? k : 1,
                        .c_row = n};
    bool is_done = count == 1;
    if (is_done)
        assert_ok(library_matmul(&call));
    else
        is_done = library_narrow_matmul(&call, count, m * k, b_step);
    for (int64_t at = 0; is_done && at < count * m * n; ++at) {
        int64_t p = at / (m * n), i = at / n % m, j = at % n;
        check(&call, at, sum_of(&call, i, j, p * m * k, p * b_step));
    }
    release(a);
    release(b);
    release(c);
}

TEST(products_with_small_extents_touch_no_memory_but_their_own)
{
    static const int64_t sides[] = {1, 2, 3, 4, 5, 7, 8, 9, 33},
                         terms[] = {1, 2, 3, 4, 5, 8, 9, 20, 129, 300};
    for (size_t d = 0; d < JG_COUNT_OF(dtypes); ++d)
        for (size_t i = 0; i < JG_COUNT_OF(sides) * JG_COUNT_OF(sides); ++i)
            for (size_t k = 0; k < JG_COUNT_OF(terms); ++k)
                for (int ways = 0; ways < 4; ++ways)
                    check_product(dtypes[d], sides[i / JG_COUNT_OF(sides)],
                                  sides[i % JG_COUNT_OF(sides)], terms[k], 1, ways);
}

TEST(batches_of_products_with_small_extents_touch_no_memory_but_their_own)
{
    for (size_t d = 4; d < JG_COUNT_OF(dtypes); ++d)
        for (int64_t m = 1; m <= 9; ++m)
            for (int64_t n = 1; n <= 9; ++n)
                for (int64_t k = 1; k <= 10; ++k)
                    for (int ways = 0; ways < 8; ++ways)
                        check_product(dtypes[d], m, n, k, 3, ways);
}

TEST(long_products_with_few_elements_agree_with_the_definition)
{
    static const int64_t sizes[][3] = {{1, 1, 5000},  {3, 3, 4097}, {1, 3, 9001}, {3, 1, 9001},
                                       {8, 8, 777},   {2, 5, 2000}, {7, 3, 513},  {1500, 1, 70},
                                       {1, 1500, 70}, {200, 3, 3},  {2000, 2, 1}, {3, 2000, 3}};
    for (size_t d = 0; d < JG_COUNT_OF(dtypes); ++d)
        for (size_t s = 0; s < JG_COUNT_OF(sizes); ++s)
            for (int ways = 0; ways < 4; ++ways)
                check_product(dtypes[d], sizes[s][0], sizes[s][1], sizes[s][2], 1, ways);
}

static int open_blas(void **state)
{
    (void)state;
    return name_openblas() ? 0 : -1;
}

BEFORE_ALL(open_blas)
