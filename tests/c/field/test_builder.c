/* SPDX-License-Identifier: Apache-2.0 */
/* Building kernels call by call. */
#include "../support.h"
#include <joggle/kernel.h>

static void assert_text(jg_kernel *kernel, const char *expected)
{
    char *text;
    assert_ok(jg_kernel_text(kernel, &text));
    assert_string_equal(text, expected);
    jg_text_release(text);
    jg_kernel_release(kernel);
}

static jg_kernel_builder *begin(void)
{
    jg_kernel_builder *b;
    assert_ok(jg_builder_new("k", 0, &b));
    return b;
}

static jg_kernel *finish(jg_kernel_builder *b)
{
    jg_kernel *kernel;
    assert_ok(jg_builder_finish(b, &kernel));
    return kernel;
}

TEST(a_parallel_loop_reads_as_its_text)
{
    jg_kernel_builder *b;
    jg_kernel *kernel;
    jg_value i;
    assert_ok(jg_builder_new("saxpy", JG_KERNEL_FAST_MATH, &b));
    jg_place x = jg_builder_array(b, "x", JG_DTYPE_FLOAT32, 1);
    jg_place y = jg_builder_array(b, "y", JG_DTYPE_FLOAT32, 1);
    jg_value a = jg_builder_scalar(b, "a", JG_DTYPE_FLOAT32);
    jg_value zero = jg_builder_int(b, JG_DTYPE_INT64, 0), n = jg_builder_extent(b, x, 0);
    jg_builder_parallel(b, 1, &zero, &n, 0, &i);
    jg_builder_set_line(b, 3);
    jg_value product = jg_builder_binary(b, "multiply", a, jg_builder_load(b, x, 1, &i));
    jg_value sum = jg_builder_binary(b, "add", product, jg_builder_load(b, y, 1, &i));
    jg_builder_store(b, y, 1, &i, sum);
    jg_builder_set_line(b, 0);
    jg_builder_end(b);
    assert_ok(jg_builder_finish(b, &kernel));
    assert_string_equal(jg_kernel_name(kernel), "saxpy");
    assert_int_equal(jg_kernel_narrays(kernel), 2);
    assert_int_equal(jg_kernel_nscalars(kernel), 1);
    assert_int_equal(jg_kernel_nresults(kernel), 0);
    assert_text(kernel, "kernel saxpy fast_math\n"
                        "array x float32 [*] [*]\n"
                        "array y float32 [*] [*]\n"
                        "scalar a float32\n"
                        "{\n"
                        "  %1:int64 = const 0\n"
                        "  %2:int64 = extent x 0\n"
                        "  parallel %3:int64 = %1 to %2 {\n"
                        "    %4:float32 = load x [%3] @3\n"
                        "    %5:float32 = multiply %a %4 @3\n"
                        "    %6:float32 = load y [%3] @3\n"
                        "    %7:float32 = add %5 %6 @3\n"
                        "    store y [%3] = %7 @3\n"
                        "  }\n"
                        "}\n");
}

TEST(loops_branches_and_locals_read_as_their_text)
{
    jg_kernel_builder *b = begin();
    jg_value n = jg_builder_scalar(b, "n", JG_DTYPE_INT32);
    jg_builder_result(b, JG_DTYPE_FLOAT64);
    jg_place sum = jg_builder_local(b, "sum", JG_DTYPE_FLOAT64, 0);
    jg_place table = jg_builder_local(b, "table", JG_DTYPE_FLOAT64, 4);
    jg_place turns = jg_builder_local(b, "turns", JG_DTYPE_INT32, 2);
    jg_value k = jg_builder_for(b, n, jg_builder_int(b, JG_DTYPE_INT32, -1), -2);
    jg_value r = jg_builder_random(b, JG_DTYPE_FLOAT64);
    jg_builder_if(b, jg_builder_binary(b, "equal", k, n));
    jg_builder_continue(b);
    jg_builder_else(b);
    jg_builder_store(b, table, 1, &k, r);
    jg_builder_end(b);
    jg_builder_atomic(b, "add", sum, 0, NULL, r);
    jg_builder_compare_exchange(b, turns, 1, &k, n, k);
    jg_builder_end(b);
    jg_builder_loop(b);
    jg_builder_break(b);
    jg_builder_end(b);
    jg_value last = jg_builder_load(b, sum, 0, NULL);
    jg_value whole = jg_builder_cast(b, last, JG_DTYPE_INT64);
    jg_builder_assert(b, jg_builder_unary(b, "not", jg_builder_unary(b, "is_nan", last)),
                      "the sum is {}", 1, &last);
    jg_builder_print(b, "done: {}", 1, &whole);
    last = jg_builder_ternary(b, "fma", last, last, jg_builder_bitcast(b, whole, JG_DTYPE_FLOAT64));
    jg_builder_return(b, 1, &last);
    assert_text(finish(b), "kernel k\n"
                           "scalar n int32\n"
                           "result float64\n"
                           "{\n"
                           "  local sum float64\n"
                           "  local table float64 4\n"
                           "  local turns int32 2\n"
                           "  %1:int32 = const -1\n"
                           "  for %2:int32 = %n to %1 step -2 {\n"
                           "    %3:float64 = random\n"
                           "    %4:bool = equal %2 %n\n"
                           "    if %4 {\n"
                           "      continue\n"
                           "    } else {\n"
                           "      set table [%2] = %3\n"
                           "    }\n"
                           "    %5:float64 = atomic add sum %3\n"
                           "    %6:int32 = atomic compare_exchange turns [%2] %n %2\n"
                           "  }\n"
                           "  loop {\n"
                           "    break\n"
                           "  }\n"
                           "  %7:float64 = get sum\n"
                           "  %8:int64 = cast %7\n"
                           "  %9:bool = is_nan %7\n"
                           "  %10:bool = not %9\n"
                           "  assert %10 \"the sum is {}\" %7\n"
                           "  print \"done: {}\" %8\n"
                           "  %11:float64 = bitcast %8\n"
                           "  %12:float64 = fma %7 %7 %11\n"
                           "  return %12\n"
                           "}\n");
}

/* What follows the call that fails has no effect, and the fault is raised at the end. */
#define REFUSED(status, message, call)                                                             \
    do {                                                                                           \
        jg_kernel_builder *b = begin();                                                            \
        jg_kernel *kernel;                                                                         \
        jg_place x = jg_builder_array(b, "x", JG_DTYPE_FLOAT32, 2);                                \
        jg_value one = jg_builder_int(b, JG_DTYPE_INT32, 1), pair[] = {one, one};                  \
        call;                                                                                      \
        jg_builder_store(b, x, 2, pair, jg_builder_float(b, JG_DTYPE_FLOAT32, 1));                 \
        jg_builder_end(b);                                                                         \
        assert_fails_saying(status, message, jg_builder_finish(b, &kernel));                       \
        assert_fails_saying(status, message, jg_builder_finish(b, &kernel));                       \
        jg_builder_release(b);                                                                     \
    } while (0)

TEST(the_first_fault_is_raised_at_the_end)
{
    jg_value nobody = {99};
    jg_place nowhere = {7};
    REFUSED(JG_ERR_VALUE, "there is no instruction frob", jg_builder_unary(b, "frob", one));
    REFUSED(JG_ERR_VALUE, "there is no instruction cast", jg_builder_unary(b, "cast", one));
    REFUSED(JG_ERR_VALUE, "operand 2 is no value", jg_builder_binary(b, "add", one, nobody));
    REFUSED(JG_ERR_VALUE, "load: no such place", jg_builder_load(b, nowhere, 1, pair));
    REFUSED(JG_ERR_VALUE, "there is no atomic frob of one value",
            jg_builder_atomic(b, "frob", x, 2, pair, one));
    REFUSED(JG_ERR_VALUE, "nindices: got 17", jg_builder_load(b, x, 17, pair));
    REFUSED(JG_ERR_VALUE, "array y: ndim: got -1", jg_builder_array(b, "y", JG_DTYPE_BOOL, -1));
    REFUSED(JG_ERR_VALUE, "allowed are scalars before all instructions",
            jg_builder_scalar(b, "s", JG_DTYPE_BOOL));
    REFUSED(JG_ERR_TYPE, "complex64", jg_builder_int(b, JG_DTYPE_COMPLEX64, 1));
    REFUSED(JG_ERR_VALUE, "length: got -1", jg_builder_local(b, "t", JG_DTYPE_BOOL, -1));
    REFUSED(JG_ERR_VALUE, "else: not in the block", jg_builder_else(b));
    REFUSED(JG_ERR_VALUE, "nranges: got 0", jg_builder_parallel(b, 0, pair, pair, 0, pair));
}

TEST(a_broken_rule_names_the_instruction_and_its_line)
{
    jg_kernel *kernel;
    jg_kernel_builder *b = begin();
    jg_value x = jg_builder_scalar(b, "x", JG_DTYPE_FLOAT32);
    jg_builder_set_line(b, 12);
    jg_builder_binary(b, "add", x, jg_builder_int(b, JG_DTYPE_INT32, 1));
    assert_fails_saying(JG_ERR_TYPE,
                        "kernel k: line 12: add: operand 2 is int32, it must be float32 "
                        "(instruction 1: %2:float32 = add %x %1 @12)",
                        jg_builder_finish(b, &kernel));
    jg_builder_release(b);
}

TEST(a_builder_that_was_refused_may_go_on)
{
    jg_kernel *kernel;
    jg_kernel_builder *b = begin();
    jg_builder_loop(b);
    jg_builder_break(b);
    assert_fails_saying(JG_ERR_VALUE, "kernel k: ", jg_builder_finish(b, &kernel));
    jg_builder_end(b);
    assert_ok(jg_builder_finish(b, &kernel));
    assert_text(kernel, "kernel k\n"
                        "{\n"
                        "  loop {\n"
                        "    break\n"
                        "  }\n"
                        "}\n");
}

TEST(text_becomes_a_kernel_or_names_its_fault)
{
    jg_kernel *kernel;
    assert_ok(jg_kernel_from_text("kernel k\n{\n}\n", &kernel));
    assert_ptr_equal(jg_kernel_retain(kernel), kernel);
    jg_kernel_release(kernel);
    assert_text(kernel, "kernel k\n{\n}\n");
    assert_fails_saying(JG_ERR_VALUE, "3:1", jg_kernel_from_text("kernel k\n{\nx\n}\n", &kernel));
    jg_kernel_release(NULL);
    jg_builder_release(NULL);
    jg_builder_release(begin());
}

TEST(a_constant_that_the_dtype_cannot_hold_is_refused)
{
    const struct {
        jg_dtype dtype;
        double number;
    } cases[] = {{JG_DTYPE_INT8, 300},    {JG_DTYPE_UINT64, -1}, {JG_DTYPE_BOOL, 2},
                 {JG_DTYPE_INT32, 1e300}, {JG_DTYPE_INT32, 1.5}, {JG_DTYPE_UINT8, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        jg_kernel_builder *b = begin();
        jg_kernel *kernel;
        if (i < 3)
            jg_builder_int(b, cases[i].dtype, (int64_t)cases[i].number);
        else
            jg_builder_float(b, cases[i].dtype, cases[i].number);
        assert_fails_saying(JG_ERR_VALUE, "for a constant, allowed are numbers of",
                            jg_builder_finish(b, &kernel));
        jg_builder_release(b);
    }
}
