/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as text: what is read is printed as it was. */
#include "kernel/kernel.h"
#include "printing.h"
#include <stdio.h>
#include <stdlib.h>

static void assert_round_trip(const char *source)
{
    kernel_program kernel;
    assert_ok(kernel_parse(source, &kernel));
    char *text = printed(&kernel);
    assert_string_equal(text, source);
    base_free(text);
    kernel_clear(&kernel);
}

static void assert_becomes(const char *source, const char *expected)
{
    kernel_program kernel;
    assert_ok(kernel_parse(source, &kernel));
    char *text = printed(&kernel);
    assert_string_equal(text, expected);
    base_free(text);
    kernel_clear(&kernel);
}

TEST(what_is_checked_is_printed_as_it_was_read)
{
    assert_round_trip("kernel some checked\n{\n}\n");
    assert_round_trip("kernel every fast_math checked all\n{\n}\n");
    assert_round_trip("kernel every checked all\n"
                      "array x float32 [*, 4] [*, *] from [-3, 2]\n"
                      "array y float32 [8] from [-9]\n"
                      "array z float32 []\n"
                      "{\n"
                      "}\n");
    assert_becomes("kernel k checked\narray y int8 [8] from [0]\n{\n}\n",
                   "kernel k checked\narray y int8 [8]\n{\n}\n");
}

TEST(the_smallest_kernel_is_printed_as_it_was_read)
{
    assert_round_trip("kernel nothing\n{\n}\n");
}

TEST(declarations_are_printed_as_they_were_read)
{
    assert_round_trip("kernel all fast_math\n"
                      "array x float32 [*, 3] [*, 4]\n"
                      "array y bool []\n"
                      "array z float16 [64, 64]\n"
                      "array w int8 [0] [-8]\n"
                      "scalar dt float64\n"
                      "scalar n uint8\n"
                      "result bfloat16\n"
                      "result int64\n"
                      "{\n"
                      "  %2:bfloat16 = const 0.0\n"
                      "  %3:int64 = const 0\n"
                      "  return %2 %3\n"
                      "}\n");
}

/* tests/golden/kernel.txt has each statement and keeps to the layout that the printer has. */
TEST(each_statement_is_printed_as_it_was_read)
{
    char path[512], *source = calloc(1, 1 << 16);
    snprintf(path, sizeof path, "%s/tests/golden/kernel.txt", getenv("JOGGLE_TEST_ROOT"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(source, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    assert_round_trip(source);
    free(source);
}

TEST(numbers_keep_every_bit)
{
    assert_becomes("kernel k\n{\n%0:float32=const 0.1\n%1:float64=const 0.1\n%2:float16=const 0.1\n"
                   "%3:float64=const -1.5e300\n%4:float64=const 4.9406564584124654e-324\n"
                   "%5:float32=const nan\n%6:float32=const -inf\n%7:float32=const -0.0\n"
                   "%8:int64=const -9223372036854775808\n%9:uint64=const 18446744073709551615\n"
                   "%10:bool=const true\n%11:float64=const 0x1.8p-3\n}\n",
                   "kernel k\n{\n"
                   "  %0:float32 = const 0x1.99999ap-4\n"
                   "  %1:float64 = const 0x1.999999999999ap-4\n"
                   "  %2:float16 = const 0x1.998p-4\n"
                   "  %3:float64 = const -0x1.1eb2d66005835p+997\n"
                   "  %4:float64 = const 0x0.0000000000001p-1022\n"
                   "  %5:float32 = const nan\n"
                   "  %6:float32 = const -inf\n"
                   "  %7:float32 = const -0.0\n"
                   "  %8:int64 = const -9223372036854775808\n"
                   "  %9:uint64 = const 18446744073709551615\n"
                   "  %10:bool = const true\n"
                   "  %11:float64 = const 0x1.8p-3\n"
                   "}\n");
}

TEST(layout_comments_and_numbers_of_values_are_free)
{
    assert_becomes("\n# of its own\n\tkernel  k # here\n\n array x float32 [ * ,3 ]\r\n{\n"
                   "%7 = extent x 0 # no type needed\n\n%3:int32=cast %7   @9\n"
                   "%i:int32 = copy %3\n  }  ",
                   "kernel k\narray x float32 [*, 3]\n{\n"
                   "  %0:int64 = extent x 0\n"
                   "  %1:int32 = cast %0 @9\n"
                   "  %i:int32 = copy %1\n}\n");
}

TEST(names_are_free_again_after_their_block)
{
    assert_round_trip("kernel k\n{\n"
                      "  %0:bool = const true\n"
                      "  if %0 {\n"
                      "    local s float32\n"
                      "    %x:int32 = const 1\n"
                      "  } else {\n"
                      "    local s int32 4\n"
                      "    %x:float32 = const 2.0\n"
                      "  }\n"
                      "  local s bool\n"
                      "}\n");
}

#define REFUSED(message, lines)                                                                    \
    assert_fails_saying(JG_ERR_VALUE, message, kernel_parse("kernel k\n" lines, &kernel))

TEST(what_cannot_be_read_is_named_with_line_and_column)
{
    kernel_program kernel;
    assert_fails_saying(JG_ERR_VALUE, "1:1: expected kernel", kernel_parse("", &kernel));
    assert_fails_saying(JG_ERR_VALUE, "1:7: expected a name", kernel_parse("kernel\n", &kernel));
    REFUSED("2:1: got arrays, allowed array, scalar, result and {", "arrays x\n");
    REFUSED("2:9: float33 is no dtype", "array x float33\n");
    REFUSED("2:19: expected the end of the line", "array x float32[] 4\n{\n}\n");
    REFUSED("2 strides for 1 axes", "array x float32 [4] [4, 5]\n{\n}\n");
    REFUSED("3:9: 1 is no value in reach", "{\nreturn %1\n}\n");
    REFUSED("3:1: jump begins no statement", "{\njump\n}\n");
    REFUSED("3:17: frob is no instruction", "{\n%1:float32  =   frob\n}\n");
    REFUSED("3:2: x has no type", "{\n%x = const 1\n}\n");
    REFUSED("3:19: the number does not fit int8", "{\n  %x:int8 = const 128\n}\n");
    REFUSED("3:19: expected an integer", "{\n  %x:int8 = const x\n}\n");
    REFUSED("4:2: x is defined already", "{\n%x:int8 = const 1\n%x:int8 = const 2\n}\n");
    REFUSED("3:5: x is no local in reach", "{\nset x = %1\n}\n");
    REFUSED("length: got 0, allowed 1 to ", "{\nlocal m int64 0\n}\n");
    REFUSED("expected \" before the line ends", "{\nprint \"x\n}\n");
    REFUSED("5:1: the kernel has ended", "{\n}\n\n}\n");
    REFUSED("line 4: else: not in the block of an if", "{\nloop {\n} else {\n}\n}\n");
    REFUSED("line 3: break: outside a loop", "{\nbreak\n}\n");
}
