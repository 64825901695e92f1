/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled kernels against the same loops in C. */
#include "launch.h"

TEST(saxpy_gives_what_a_loop_gives)
{
    enum { N = 1003 };
    static float x[N], y[N];
    launch l;
    for (int i = 0; i < N; ++i) {
        x[i] = (float)i * 0.5f;
        y[i] = (float)(i % 7);
    }
    launch_init(&l);
    launch_array(&l, x, 4, 1, (int64_t)N);
    launch_array(&l, y, 4, 1, (int64_t)N);
    launch_f32(&l, 3.0f);
    launch_text(&l, "kernel saxpy\n"
                    "array x float32 [*]\n"
                    "array y float32 [*]\n"
                    "scalar a float32\n"
                    "{\n"
                    "  %zero:int64 = const 0\n"
                    "  %n = extent x 0\n"
                    "  parallel %i:int64 = %zero to %n {\n"
                    "    %1:float32 = load x [%i]\n"
                    "    %2:float32 = load y [%i]\n"
                    "    %3:float32 = multiply %1 %a\n"
                    "    %4:float32 = add %3 %2\n"
                    "    store y [%i] = %4\n"
                    "  }\n"
                    "}\n");
    for (int i = 0; i < N; ++i)
        assert_float_equal(y[i], 3.0f * x[i] + (float)(i % 7), 1e-4);
}

/* Rows and columns of a chunk that begins and ends anywhere. */
TEST(three_ranges_reach_every_index_once)
{
    enum { A = 5, B = 3, C = 7 };
    int32_t hits[A][B][C];
    for (int64_t grain = 1; grain <= A * B * C; ++grain) {
        launch l;
        memset(hits, 0, sizeof hits);
        launch_init(&l);
        l.grain = grain;
        launch_array(&l, hits, 4, 3, (int64_t)A, (int64_t)B, (int64_t)C);
        launch_text(&l, "kernel hits\n"
                        "array x int32 [*, *, *]\n"
                        "{\n"
                        "  %a:int32 = const -2\n"
                        "  %b:int32 = const 3\n"
                        "  %zero:int32 = const 0\n"
                        "  %three:int32 = const 3\n"
                        "  %ten:int32 = const 10\n"
                        "  %two:int32 = const 2\n"
                        "  %hundred:int32 = const 100\n"
                        "  parallel %i:int32 = %a to %b, %j:int32 = %zero to %three, %k:int32 = "
                        "%three to %ten {\n"
                        "    %p:int32 = add %i %two\n"
                        "    %q:int32 = subtract %k %three\n"
                        "    %old:int32 = load x [%p, %j, %q]\n"
                        "    %s:int32 = multiply %i %hundred\n"
                        "    %t:int32 = multiply %j %ten\n"
                        "    %u:int32 = add %s %t\n"
                        "    %v:int32 = add %u %k\n"
                        "    %new:int32 = add %old %v\n"
                        "    store x [%p, %j, %q] = %new\n"
                        "  }\n"
                        "}\n");
        for (int i = 0; i < A; ++i)
            for (int j = 0; j < B; ++j)
                for (int k = 0; k < C; ++k)
                    assert_int_equal(hits[i][j][k], (i - 2) * 100 + j * 10 + k + 3);
    }
}

/* A loop that ends by break, with both branches of an if: the steps of Collatz's sequence. */
TEST(a_loop_ends_at_its_break)
{
    launch l;
    int64_t steps[40];
    launch_init(&l);
    launch_array(&l, steps, 8, 1, (int64_t)40);
    launch_text(&l, "kernel loops\n"
                    "array x int64 [*]\n"
                    "{\n"
                    "  %zero:int64 = const 0\n"
                    "  %one:int64 = const 1\n"
                    "  %two:int64 = const 2\n"
                    "  %three:int64 = const 3\n"
                    "  %n = extent x 0\n"
                    "  parallel %i:int64 = %zero to %n {\n"
                    "    local at int64\n"
                    "    local count int64\n"
                    "    %start:int64 = add %i %one\n"
                    "    set at = %start\n"
                    "    loop {\n"
                    "      %v:int64 = get at\n"
                    "      %done:bool = equal %v %one\n"
                    "      if %done {\n"
                    "        break\n"
                    "      }\n"
                    "      %c:int64 = get count\n"
                    "      %c1:int64 = add %c %one\n"
                    "      set count = %c1\n"
                    "      %r:int64 = remainder %v %two\n"
                    "      %odd:bool = equal %r %one\n"
                    "      if %odd {\n"
                    "        %t:int64 = multiply %v %three\n"
                    "        %u:int64 = add %t %one\n"
                    "        set at = %u\n"
                    "      } else {\n"
                    "        %h:int64 = floor_divide %v %two\n"
                    "        set at = %h\n"
                    "      }\n"
                    "    }\n"
                    "    %r2:int64 = get count\n"
                    "    store x [%i] = %r2\n"
                    "  }\n"
                    "}\n");
    for (int64_t i = 1; i <= 40; ++i) {
        int64_t at = i, count = 0;
        for (; at != 1; ++count)
            at = at % 2 == 1 ? 3 * at + 1 : at / 2;
        assert_int_equal(steps[i - 1], count);
    }
}

/* The sum of odd numbers up to 20, counted down. */
TEST(a_loop_continues_and_counts_down)
{
    launch l;
    launch_init(&l);
    launch_text(&l, "kernel countdown\n"
                    "result int64\n"
                    "{\n"
                    "  local sum int64\n"
                    "  %zero:int64 = const 0\n"
                    "  %two:int64 = const 2\n"
                    "  %twenty:int64 = const 20\n"
                    "  for %k:int64 = %twenty to %zero step -1 {\n"
                    "    %m:int64 = remainder %k %two\n"
                    "    %even:bool = equal %m %zero\n"
                    "    if %even {\n"
                    "      continue\n"
                    "    }\n"
                    "    %s:int64 = get sum\n"
                    "    %s2:int64 = add %s %k\n"
                    "    set sum = %s2\n"
                    "  }\n"
                    "  %result:int64 = get sum\n"
                    "  return %result\n"
                    "}\n");
    assert_int_equal(l.results[0], 100);
}

TEST(arrays_are_reached_through_their_strides)
{
    enum { N = 6 };
    float x[N][N], y[N * N];
    launch l;
    for (int i = 0; i < N * N; ++i)
        x[i / N][i % N] = (float)i;
    launch_init(&l);
    launch_array(&l, &x[N - 1][0], 4, 2, (int64_t)N, (int64_t)N);
    l.strides[0] = -N * 4; /* upside down */
    launch_array(&l, y, 4, 2, (int64_t)N, (int64_t)N);
    launch_text(&l, "kernel turn\n"
                    "array x float32 [*, 6] [*, 4]\n"
                    "array y float32 [6, 6]\n"
                    "{\n"
                    "  %zero:uint8 = const 0\n"
                    "  %n:uint8 = const 6\n"
                    "  parallel %i:uint8 = %zero to %n, %j:uint8 = %zero to %n {\n"
                    "    %1:float32 = load x [%i, %j]\n"
                    "    store y [%j, %i] = %1\n"
                    "  }\n"
                    "}\n");
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            assert_true(y[j * N + i] == x[N - 1 - i][j]);
}

TEST(failed_assertion_stops_the_kernel_and_gives_its_values)
{
    enum { N = 1000 };
    static int32_t x[N];
    launch l;
    for (int i = 0; i < N; ++i)
        x[i] = i == 777 ? -5 : i;
    launch_init(&l);
    launch_array(&l, x, 4, 1, (int64_t)N);
    launch_text(&l, "kernel check\n"
                    "array x int32 [*]\n"
                    "result int32\n"
                    "{\n"
                    "  %zero:int32 = const 0\n"
                    "  %n = extent x 0\n"
                    "  %m:int32 = cast %n\n"
                    "  parallel %i:int32 = %zero to %m {\n"
                    "    %v:int32 = load x [%i]\n"
                    "    %fine:bool = less_equal %zero %v\n"
                    "    assert %fine \"{} is negative\" %v\n"
                    "  }\n"
                    "  %seven:int32 = const 7\n"
                    "  print \"never {}\" %seven\n"
                    "  return %seven\n"
                    "}\n");
    assert_int_equal((int32_t)l.values[0], -5);
    assert_int_equal(l.results[0], 0);
    assert_int_equal(l.prints, 0);
    assert_int_equal(l.failed_at, 6);
}

TEST(local_arrays_begin_as_zeros)
{
    int32_t x[10];
    launch l;
    launch_init(&l);
    launch_array(&l, x, 4, 1, (int64_t)10);
    launch_text(&l, "kernel locals\n"
                    "array x int32 [10]\n"
                    "{\n"
                    "  %zero:int32 = const 0\n"
                    "  %one:int32 = const 1\n"
                    "  %four:int32 = const 4\n"
                    "  %ten:int32 = const 10\n"
                    "  parallel %i:int32 = %zero to %ten {\n"
                    "    local m int32 4\n"
                    "    local sum int32\n"
                    "    %r:int32 = remainder %i %four\n"
                    "    set m [%r] = %i\n"
                    "    for %k:int32 = %zero to %four {\n"
                    "      %a:int32 = get m [%k]\n"
                    "      %b:int32 = get sum\n"
                    "      %c:int32 = add %a %b\n"
                    "      set sum = %c\n"
                    "    }\n"
                    "    %d:int32 = get sum\n"
                    "    store x [%i] = %d\n"
                    "  }\n"
                    "}\n");
    for (int i = 0; i < 10; ++i)
        assert_int_equal(x[i], i);
}

TEST(stacks_grow_and_give_back_in_reverse)
{
    int64_t x[50];
    launch l;
    launch_init(&l);
    launch_array(&l, x, 8, 1, (int64_t)50);
    /* sum over k of (k-th value popped) * k, which depends on the order. */
    launch_text(&l, "kernel stacks\n"
                    "array x int64 [50]\n"
                    "{\n"
                    "  %zero:int64 = const 0\n"
                    "  %n = extent x 0\n"
                    "  parallel %i:int64 = %zero to %n {\n"
                    "    stack s int64\n"
                    "    local sum int64\n"
                    "    for %k:int64 = %zero to %i {\n"
                    "      push s %k\n"
                    "    }\n"
                    "    for %k2:int64 = %zero to %n {\n"
                    "      %v:int64 = pop s\n"
                    "      %w:int64 = multiply %v %k2\n"
                    "      %t:int64 = get sum\n"
                    "      %u:int64 = add %t %w\n"
                    "      set sum = %u\n"
                    "    }\n"
                    "    %r:int64 = get sum\n"
                    "    store x [%i] = %r\n"
                    "  }\n"
                    "}\n");
    for (int64_t i = 0; i < 50; ++i) {
        int64_t sum = 0;
        for (int64_t k = 0; k < i; ++k)
            sum += (i - 1 - k) * k;
        assert_int_equal(x[i], sum);
    }
}

TEST(empty_loops_do_nothing)
{
    launch l;
    launch_init(&l);
    launch_array(&l, NULL, 4, 2, (int64_t)0, (int64_t)5);
    launch_text(&l, "kernel nothing\n"
                    "array x int32 [*, *]\n"
                    "{\n"
                    "  %zero:int64 = const 0\n"
                    "  %a = extent x 0\n"
                    "  %b = extent x 1\n"
                    "  parallel %i:int64 = %zero to %a, %j:int64 = %zero to %b {\n"
                    "    %one:int32 = const 1\n"
                    "    store x [%i, %j] = %one\n"
                    "  }\n"
                    "  parallel %k:int64 = %b to %zero {\n"
                    "    %two:int32 = const 1\n"
                    "    store x [%k, %k] = %two\n"
                    "  }\n"
                    "}\n");
}
