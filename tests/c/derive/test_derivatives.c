/* SPDX-License-Identifier: Apache-2.0 */
/* Adjoints and tangents of kernels as text; what their numbers are is tested from Python. */
#include "../support.h"
#include "derive/derive.h"
#include <stdio.h>
#include <stdlib.h>

typedef jg_status derivation(const kernel_program *kernel, const jg_derived *which,
                             kernel_program *out);

static void read_golden(const char *name, const char *kind, char *out, size_t nbytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/golden/derivatives/%s%s.txt", getenv("JOGGLE_TEST_ROOT"),
             name, kind);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(out, 1, nbytes - 1, file);
    out[length] = '\0';
    fclose(file);
}

static void assert_derived(const char *name, const char *kind, derivation *derive)
{
    char source[8192], expected[8192], *text;
    kernel_program kernel, derived;
    base_text printed = {0};
    read_golden(name, "", source, sizeof source);
    read_golden(name, kind, expected, sizeof expected);
    assert_ok(kernel_parse(source, &kernel));
    assert_ok(derive(&kernel, NULL, &derived));
    kernel_print(&derived, &printed);
    assert_ok(text_finish(&printed, &text));
    assert_string_equal(text, expected);
    base_free(text);
    kernel_clear(&kernel);
    kernel_clear(&derived);
}

static const char *const names[] = {"square", "loop", "sum", "break", "stencil", "rounded"};

TEST(adjoints_are_those_on_file)
{
    for (size_t i = 0; i < JG_COUNT_OF(names); ++i)
        assert_derived(names[i], "_adjoint", derive_adjoint);
}

TEST(tangents_are_those_on_file)
{
    for (size_t i = 0; i < JG_COUNT_OF(names); ++i)
        assert_derived(names[i], "_tangent", derive_tangent);
}

static void assert_refused(const char *message, const char *lines)
{
    char source[1024];
    kernel_program kernel, derived;
    snprintf(source, sizeof source,
             "kernel k\narray x float32 [*]\narray y float32 [*]\narray n int32 [*]\n{\n"
             "%%zero:int64 = const 0\n%%end:int64 = extent x 0\n"
             "parallel %%i:int64 = %%zero to %%end {\n%%a:float32 = load x [%%i] @7\n%s}\n}\n",
             lines);
    assert_ok(kernel_parse(source, &kernel));
    assert_fails_saying(JG_ERR_UNSUPPORTED, message, derive_adjoint(&kernel, NULL, &derived));
    kernel_clear(&kernel);
}

TEST(what_has_no_derivative_is_refused_with_its_line)
{
    assert_refused("derivative of kernel k: line 8: next_after: it has no derivative",
                   "%b:float32 = next_after %a %a @8\nstore y [%i] = %b\n");
    assert_refused("line 8: bitcast: the bits of a value have no derivative",
                   "%b:uint32 = bitcast %a @8\n");
    assert_refused("line 8: atomic: of atomics only add has a derivative, not maximum",
                   "%b:float32 = atomic maximum y [%zero] %a @8\n");
    assert_refused("line 9: atomic: what was there before an atomic has no derivative",
                   "%b:float32 = atomic add y [%zero] %a @9\nstore x [%zero] = %b\n");
    assert_refused("line 8: random: the derivative needs a random number",
                   "%r:float32 = random @8\n%b:float32 = multiply %a %r\nstore y [%i] = %b\n");
    assert_refused("line 7: load: the derivative needs the element of x that is read here",
                   "%b:float32 = multiply %a %a\nstore x [%i] = %b\n");
    assert_refused("the derivative needs what was there before an atomic",
                   "%j:int32 = cast %i\n%k:int32 = atomic add n [%zero] %j @8\n"
                   "store y [%k] = %a\n");
}

TEST(what_is_overwritten_and_not_needed_is_no_obstacle)
{
    kernel_program kernel, derived;
    assert_ok(kernel_parse("kernel k\narray x float32 [4]\n{\n%i:int32 = const 0\n"
                           "%a:float32 = load x [%i]\n%b:float32 = add %a %a\n"
                           "store x [%i] = %b\n}\n",
                           &kernel));
    assert_ok(derive_adjoint(&kernel, NULL, &derived));
    kernel_clear(&derived);
    kernel_clear(&kernel);
}

TEST(gradients_are_for_floating_arrays)
{
    jg_derived which[] = {JG_DERIVED_YES};
    kernel_program kernel, derived;
    assert_ok(kernel_parse("kernel k\narray n int32 [4]\n{\n}\n", &kernel));
    assert_fails_saying(JG_ERR_TYPE, "array n is int32, allowed are floats",
                        derive_adjoint(&kernel, which, &derived));
    which[0] = (jg_derived)7;
    assert_fails_saying(JG_ERR_VALUE, "array n got number 7, allowed are those of jg_derived",
                        derive_adjoint(&kernel, which, &derived));
    assert_fails(JG_ERR_VALUE, derive_tangent(&kernel, which, &derived));
    kernel_clear(&kernel);
}

TEST(arrays_without_a_gradient_have_none_beside_them)
{
    jg_derived which[] = {JG_DERIVED_NO, JG_DERIVED_YES};
    kernel_program kernel, derived;
    assert_ok(kernel_parse("kernel k\narray x float32 [4]\narray y float32 [4]\n{\n}\n", &kernel));
    assert_ok(derive_adjoint(&kernel, which, &derived));
    assert_int_equal(derived.narrays, 3);
    assert_string_equal(kernel_text(&derived, kernel_array_at(&derived, 2)->name), "y_grad");
    kernel_clear(&derived);
    kernel_clear(&kernel);
}

static bool is_gradient_written(const char *statements)
{
    char source[512];
    jg_derived which[] = {JG_DERIVED_YES, JG_DERIVED_READ};
    kernel_program kernel, derived;
    snprintf(source, sizeof source,
             "kernel k\narray x float32 [4]\narray y float32 [4]\n{\n%%zero:int64 = const 0\n"
             "%%n:int64 = const 4\nparallel %%i:int64 = %%zero to %%n {\n"
             "%%a:float32 = load x [%%i]\n%s}\n}\n",
             statements);
    assert_ok(kernel_parse(source, &kernel));
    assert_ok(derive_adjoint(&kernel, which, &derived));
    bool written = kernel_array_at(&derived, 3)->write;
    kernel_clear(&derived);
    kernel_clear(&kernel);
    return written;
}

static uint32_t count_atomics(jg_derived role)
{
    jg_derived which[] = {role, JG_DERIVED_YES};
    kernel_program kernel, derived;
    uint32_t count = 0;
    assert_ok(kernel_parse("kernel k\narray x float32 [8]\narray y float32 [4]\n{\n"
                           "%zero:int64 = const 0\n%one:int64 = const 1\n%n:int64 = const 4\n"
                           "parallel %i:int64 = %zero to %n {\n%j:int64 = add %i %one\n"
                           "%a:float32 = load x [%i]\n%b:float32 = load x [%j]\n"
                           "%c:float32 = add %a %b\nstore y [%i] = %c\n}\n}\n",
                           &kernel));
    assert_ok(derive_adjoint(&kernel, which, &derived));
    for (uint32_t at = 0; at < derived.ninsts; ++at)
        count += kernel_inst_at(&derived, at)->op == KERNEL_ATOMIC;
    kernel_clear(&derived);
    kernel_clear(&kernel);
    return count;
}

TEST(additions_to_a_gradient_that_shares_its_memory_are_atomic)
{
    assert_int_equal(count_atomics(JG_DERIVED_YES), 0);
    assert_int_equal(count_atomics(JG_DERIVED_SHARED), 2);
}

TEST(a_gradient_that_is_only_read_is_left_alone_where_that_may_be)
{
    assert_false(is_gradient_written("store y [%i] = %a\n"));
    assert_false(is_gradient_written("%o:float32 = atomic add y [%zero] %a\n"));
    assert_false(is_gradient_written("%b:float32 = load y [%i]\n%c:float32 = subtract %b %a\n"
                                     "store y [%i] = %c\n"));
    assert_true(is_gradient_written("store y [%i] = %a\nstore y [%i] = %a\n"));
    assert_true(is_gradient_written("store y [%zero] = %a\n"));
}

/* A load of n at i, which gives k, and a store to y; the rest of the kernel that is in doubt. */
static const char scatter[] = "kernel s\narray n int32 [4]\narray x float64 [4]\n"
                              "array y float64 [4]\n{\n%zero:int32 = const 0\n"
                              "%four:int32 = const 4\nfor %i:int32 = %zero to %four {\n"
                              "%k:int32 = load n [%i] @7\n%a:float64 = load y [%k] @8\n"
                              "%b:float64 = multiply %a %a\nstore x [%i] = %b\n"
                              "store y [%i] = %b @9\n";

TEST(what_decides_and_may_be_overwritten_is_refused)
{
    char source[1024];
    kernel_program kernel, derived;
    snprintf(source, sizeof source, "%s}\n}\n", scatter);
    assert_ok(kernel_parse(source, &kernel));
    assert_ok(derive_adjoint(&kernel, NULL, &derived));
    kernel_clear(&derived);
    kernel_clear(&kernel);
    snprintf(source, sizeof source, "%sstore n [%%k] = %%zero\n}\n}\n", scatter);
    assert_ok(kernel_parse(source, &kernel));
    assert_fails_saying(JG_ERR_UNSUPPORTED,
                        "line 7: load: the derivative needs the element of n that is read here, "
                        "which decides what the kernel does",
                        derive_adjoint(&kernel, NULL, &derived));
    kernel_clear(&kernel);
}

TEST(each_allocation_of_a_check_may_fail)
{
    char source[1024];
    bool marked[3];
    kernel_program kernel, derived;
    snprintf(source, sizeof source, "%s}\n}\n", scatter);
    assert_ok(kernel_parse(source, &kernel));
    int64_t blocks = base_live_blocks(), nth = 0;
    jg_status status;
    do {
        base_fail_nth(++nth);
        status = derive_check(&kernel, NULL, marked, &derived);
        base_fail_nth(0);
        if (status != JG_OK) {
            assert_int_equal(status, JG_ERR_NOMEM);
            assert_int_equal(base_live_blocks(), blocks);
        }
    } while (status != JG_OK);
    assert_true(nth > 10);
    assert_true(!marked[0] && !marked[1] && marked[2]);
    kernel_clear(&derived);
    kernel_clear(&kernel);
}

TEST(each_allocation_of_an_adjoint_and_its_check_may_fail)
{
    char source[1024];
    bool marked[4];
    kernel_program kernel, adjoint, check;
    snprintf(source, sizeof source, "%s}\n}\n", scatter);
    assert_ok(kernel_parse(source, &kernel));
    int64_t blocks = base_live_blocks(), nth = 0;
    jg_status status;
    do {
        base_fail_nth(++nth);
        status = derive_adjoint_and_check(&kernel, NULL, &adjoint, marked, &check);
        base_fail_nth(0);
        if (status != JG_OK) {
            assert_int_equal(status, JG_ERR_NOMEM);
            assert_int_equal(base_live_blocks(), blocks);
        }
    } while (status != JG_OK);
    assert_true(nth > 10 && check.ninsts > 0);
    kernel_clear(&adjoint);
    kernel_clear(&check);
    kernel_clear(&kernel);
}

TEST(each_allocation_may_fail)
{
    char source[8192];
    kernel_program kernel, derived;
    read_golden("break", "", source, sizeof source);
    assert_ok(kernel_parse(source, &kernel));
    int64_t blocks = base_live_blocks(), nth = 0;
    jg_status status;
    do {
        base_fail_nth(++nth);
        status = derive_adjoint(&kernel, NULL, &derived);
        base_fail_nth(0);
        if (status != JG_OK) {
            assert_int_equal(status, JG_ERR_NOMEM);
            assert_int_equal(base_live_blocks(), blocks);
        }
    } while (status != JG_OK);
    assert_true(nth > 10);
    kernel_clear(&derived);
    kernel_clear(&kernel);
}
