/* SPDX-License-Identifier: Apache-2.0 */
/* Device bodies are cut out of kernels: parts, what crosses between them, and its places. */
#include "kernel/cut.h"
#include "printing.h"
#include <stdio.h>
#include <stdlib.h>

static void parse_and_cut(const char *source, kernel_program *out)
{
    assert_ok(kernel_parse(source, out));
    assert_ok(kernel_cut(out));
    assert_ok(kernel_verify(out));
}

/* What is cut is printed as expected, and read back as the same. */
static void assert_cut(const char *source, const char *expected)
{
    kernel_program kernel, again;
    parse_and_cut(source, &kernel);
    char *text = printed(&kernel);
    assert_string_equal(text, expected);
    assert_ok(kernel_parse(text, &again));
    char *second = printed(&again);
    assert_string_equal(second, text);
    base_free(second);
    assert_ok(kernel_cut(&again));
    second = printed(&again);
    assert_string_equal(second, text);
    base_free(second);
    base_free(text);
    kernel_clear(&again);
    kernel_clear(&kernel);
}

/* "s0-3 b3-7(%2 %5)": the parts, and what they take. */
static void assert_parts(const kernel_program *kernel, const char *expected)
{
    kernel_parts parts;
    base_text text = {0};
    char *out;
    assert_ok(kernel_find_parts(kernel, &parts));
    const uint32_t *taken = (const uint32_t *)(const void *)parts.taken.data;
    for (uint32_t i = 0; i < parts.count; ++i) {
        const kernel_part *part = kernel_part_at(&parts, i);
        text_add(&text, "%s%c%u-%u", i ? " " : "", part->is_body ? 'b' : 's', part->first,
                 part->last);
        for (uint32_t k = 0; k < part->ntaken; ++k)
            text_add(&text, " %%%u", taken[part->taken + k]);
    }
    text_add(&text, " /%u", parts.body_nbytes);
    assert_ok(text_finish(&text, &out));
    assert_string_equal(out, expected);
    base_free(out);
    kernel_parts_clear(&parts);
}

#define CAPTURES                                                                                   \
    "array x float32 [*]\n"                                                                        \
    "scalar a float32\n"                                                                           \
    "{\n"                                                                                          \
    "  %zero:int64 = const 0\n"                                                                    \
    "  %n:int64 = extent x 0\n"

TEST(values_of_a_serial_part_reach_a_body_by_the_frame)
{
    assert_cut("kernel k\n" CAPTURES "  %b:float32 = multiply %a %a\n"
               "  %m:int64 = subtract %n %n\n"
               "  parallel %i:int64 = %zero to %n {\n"
               "    %v:float32 = load x [%i]\n"
               "    %w:float32 = add %v %b\n"
               "    store x [%i] = %w\n"
               "  }\n"
               "}\n",
               "kernel k frame 128\n" CAPTURES "  %b:float32 = multiply %a %a at 64\n"
               "  %m:int64 = subtract %n %n\n"
               "  parallel %i:int64 = %zero to %n {\n"
               "    %v:float32 = load x [%i]\n"
               "    %w:float32 = add %v %b\n"
               "    store x [%i] = %w\n"
               "  }\n"
               "}\n");
}

TEST(bounds_of_ranges_are_taken_by_the_body)
{
    kernel_program kernel;
    parse_and_cut("kernel k\n" CAPTURES "%m:int64 = subtract %n %n @9\n"
                  "parallel %i:int64 = %zero to %m, %j:int64 = %zero to %n block 8 {\n"
                  "store x [%j] = %a\n}\n}\n",
                  &kernel);
    assert_parts(&kernel, "s0-3 b3-6 %3 /72");
    assert_int_equal(kernel_value_at(&kernel, 3)->frame_offset, 64);
    kernel_clear(&kernel);
}

TEST(constants_extents_and_arguments_need_no_place)
{
    kernel_program kernel;
    parse_and_cut("kernel k\n" CAPTURES "%c:float32 = const 2.0\n"
                  "parallel %i:int64 = %zero to %n {\n%v:float32 = multiply %c %a\n"
                  "store x [%zero] = %v\n}\n}\n",
                  &kernel);
    assert_parts(&kernel, "s0-3 b3-7 /64");
    assert_int_equal(kernel.frame_nbytes, KERNEL_FRAME_HEAD);
    kernel_clear(&kernel);
}

/* Inside a body nothing has an offset in the frame: locals that loops carry, indices, what a
 * continue leaves. */
TEST(what_stays_in_a_body_needs_no_place)
{
    kernel_program kernel;
    parse_and_cut("kernel k\n" CAPTURES "parallel %i:int64 = %zero to %n {\n"
                  "local sum float32\nlocal row float32 8\nstack kept float32\n"
                  "for %j:int64 = %zero to %i step 2 {\n"
                  "for %k:int64 = %j to %i {\n"
                  "%o:float32 = get sum\n%v:float32 = load x [%k]\n%s:float32 = add %o %v\n"
                  "set sum = %s\nset row [%zero] = %s\npush kept %s\n"
                  "%small:bool = less %s %a\nif %small {\ncontinue\n}\nbreak\n}\n}\n"
                  "%t:float32 = get sum\nstore x [%i] = %t\n}\n}\n",
                  &kernel);
    assert_parts(&kernel, "s0-2 b2-24 /64");
    assert_int_equal(kernel.frame_nbytes, KERNEL_FRAME_HEAD);
    kernel_clear(&kernel);
}

TEST(locals_that_bodies_combine_into_lie_in_the_frame)
{
    assert_cut("kernel k\n"
               "array x float32 [64]\n"
               "result float32\n"
               "{\n"
               "  local sum float32\n"
               "  local bins int32 20\n"
               "  %0:int32 = const 0\n"
               "  %1:int32 = const 64\n"
               "  parallel %i:int32 = %0 to %1 {\n"
               "    %3:float32 = load x [%i]\n"
               "    %4:float32 = atomic add sum %3\n"
               "    %5:int32 = atomic maximum bins [%0] %i\n"
               "    %6:float32 = atomic minimum x [%0] %3\n"
               "  }\n"
               "  %s:float32 = get sum\n"
               "  return %s\n"
               "}\n",
               "kernel k frame 256\n"
               "array x float32 [64]\n"
               "result float32\n"
               "{\n"
               "  local sum float32 at 64\n"
               "  local bins int32 20 at 128\n"
               "  %0:int32 = const 0\n"
               "  %1:int32 = const 64\n"
               "  parallel %i:int32 = %0 to %1 {\n"
               "    %3:float32 = load x [%i]\n"
               "    %4:float32 = atomic add sum %3\n"
               "    %5:int32 = atomic maximum bins [%0] %i\n"
               "    %6:float32 = atomic minimum x [%0] %3\n"
               "  }\n"
               "  %s:float32 = get sum\n"
               "  return %s\n"
               "}\n");
}

/* Behind all that bodies reach: a stack, a local, a value. */
TEST(what_serial_parts_hand_to_each_other_comes_last_in_the_frame)
{
    kernel_program kernel;
    parse_and_cut("kernel k\n" CAPTURES "stack kept float32\nlocal most float32 @3\n"
                  "%b:float32 = multiply %a %a\n%c:float32 = add %a %a\nset most = %b\n"
                  "push kept %b\n"
                  "parallel %i:int64 = %zero to %n {\nstore x [%i] = %c\n}\n"
                  "%p:float32 = pop kept\n%q:float32 = get most\n%s:float32 = add %p %b\n"
                  "store x [%zero] = %s\n"
                  "parallel %j:int64 = %zero to %n {\nstore x [%j] = %q\n}\n"
                  "}\n",
                  &kernel);
    assert_parts(&kernel, "s0-8 b8-11 %4 s11-15 %3 b15-18 %7 /80");
    assert_int_equal(kernel_value_at(&kernel, 4)->frame_offset, 64);
    assert_int_equal(kernel_value_at(&kernel, 7)->frame_offset, 72);
    assert_int_equal(kernel_local_at(&kernel, 0)->frame_offset, 128);
    assert_int_equal(kernel_local_at(&kernel, 1)->frame_offset, 192);
    assert_int_equal(kernel_value_at(&kernel, 3)->frame_offset, 256);
    assert_int_equal(kernel.frame_nbytes, 320);
    kernel_clear(&kernel);
}

TEST(bodies_side_by_side_have_no_serial_part_between)
{
    kernel_program kernel;
    parse_and_cut("kernel k\n" CAPTURES "parallel %i:int64 = %zero to %n {\n}\n"
                  "parallel %j:int64 = %zero to %n {\n%t:bool = equal %j %n\n"
                  "assert %t index \"no {}\" %j\nprint \"{}\" %a\n}\n}\n",
                  &kernel);
    assert_parts(&kernel, "s0-2 b2-4 b4-9 /64");
    kernel_clear(&kernel);
}

/* Messages and random numbers go by positions. */
TEST(no_instruction_moves)
{
    char path[512], *source = calloc(1, 1 << 16);
    kernel_program kernel, cut;
    snprintf(path, sizeof path, "%s/tests/golden/kernel.txt", getenv("JOGGLE_TEST_ROOT"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(source, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    assert_ok(kernel_parse(source, &kernel));
    parse_and_cut(source, &cut);
    assert_int_equal(cut.ninsts, kernel.ninsts);
    assert_int_equal(cut.nvalues, kernel.nvalues);
    assert_memory_equal(cut.insts.data, kernel.insts.data, kernel.insts.nbytes);
    assert_memory_equal(cut.operands.data, kernel.operands.data, kernel.operands.nbytes);
    char *text = printed(&cut);
    kernel_clear(&kernel);
    assert_ok(kernel_parse(text, &kernel));
    assert_int_equal(kernel.frame_nbytes, cut.frame_nbytes);
    base_free(text);
    kernel_clear(&kernel);
    kernel_clear(&cut);
    free(source);
}

#define BODY "parallel %i:int64 = %zero to %n {\n%v:float32 = add %b %c\nstore x [%i] = %v\n}\n}\n"

TEST(what_crosses_without_bytes_of_its_own_is_refused)
{
    assert_refused("another part uses it, and it has no offset in the frame",
                   "kernel k frame 128\n" CAPTURES "%b:float32 = add %a %a\n"
                   "%c:float32 = add %a %a at 64\n" BODY);
    assert_refused("the bytes from 64 of the frame are not free",
                   "kernel k frame 128\n" CAPTURES "%b:float32 = add %a %a at 64\n"
                   "%c:float32 = add %a %a at 64\n" BODY);
    assert_refused("the bytes from 68 of the frame are not free",
                   "kernel k frame 128\n" CAPTURES "%b:float32 = add %a %a at 68\n"
                   "%c:float32 = add %a %a at 80\n" BODY);
    assert_refused("the bytes from 128 of the frame are not free",
                   "kernel k frame 128\n" CAPTURES "%b:float32 = add %a %a at 64\n"
                   "%c:float32 = add %a %a at 128\n" BODY);
    assert_refused("an offset, but no frame",
                   "kernel k\n" CAPTURES
                   "%b:float32 = add %a %a at 64\n%c:float32 = add %a %a\n" BODY);
    assert_refused("another part uses it, and it has no offset in the frame",
                   "kernel k frame 64\n" CAPTURES "local s float32\n"
                   "parallel %i:int64 = %zero to %n {\nset s = %a\n}\n}\n");
    assert_refused("the bytes from 64 of the frame are not free",
                   "kernel k frame 128\n" CAPTURES "local s float32 17 at 64\n"
                   "parallel %i:int64 = %zero to %n {\nset s [%zero] = %a\n}\n}\n");
}

TEST(a_frame_of_another_size_is_refused)
{
    assert_refused("frame: got 63, allowed", "kernel k frame 63\n{\n}\n");
    assert_refused("frame: got 100, allowed multiples", "kernel k frame 100\n{\n}\n");
    assert_refused("frame: got 9000000000, allowed", "kernel k frame 9000000000\n{\n}\n");
    assert_refused("at: got 0, allowed", "kernel k frame 64\n{\nlocal s int8 at 0\n}\n");
}
