/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule of kernels, broken once. */
#include "../support.h"
#include "kernel/kernel.h"

#define HEAD "kernel k\narray x float32 [*, *]\nscalar f float32\nscalar i int32\nscalar c bool\n"

/* The lines stand in the outermost block, from line 7 on. */
#define REFUSED(status, message, lines)                                                            \
    assert_fails_saying(status, message, kernel_parse(HEAD "{\n" lines "}\n", &kernel))
#define ACCEPTED(lines)                                                                            \
    do {                                                                                           \
        assert_ok(kernel_parse(HEAD "{\n" lines "}\n", &kernel));                                  \
        kernel_clear(&kernel);                                                                     \
    } while (0)

static kernel_program kernel;

TEST(operands_of_an_instruction_are_of_one_type_that_it_takes)
{
    REFUSED(JG_ERR_TYPE, "line 7 of its text: add: operand 2 is int32, it must be float32",
            "%1:float32 = add %f %i\n");
    REFUSED(JG_ERR_VALUE, "add: got 1 operands, allowed 2 to 2", "%1:float32 = add %f\n");
    REFUSED(JG_ERR_TYPE, "sqrt: it does not take int32", "%1:int32 = sqrt %i\n");
    REFUSED(JG_ERR_TYPE, "shift_left: it does not take float32", "%1:float32 = shift_left %f %f\n");
    REFUSED(JG_ERR_TYPE, "and: it does not take float32", "%1:float32 = and %f %f\n");
    REFUSED(JG_ERR_TYPE, "negate: it does not take bool", "%1:bool = negate %c\n");
    REFUSED(JG_ERR_TYPE, "threefry: it does not take int32", "%1:int32 = threefry %i %i\n");
    REFUSED(JG_ERR_TYPE, "real: it does not take float32", "%1:float32 = real %f\n");
    REFUSED(JG_ERR_TYPE, "select: operand 1 is float32, it must be bool",
            "%1:float32 = select %f %f %f\n");
    ACCEPTED("%1:float32 = select %c %f %f\n%2:bool = add %c %c\n%3:int32 = popcount %i\n");
}

TEST(values_have_the_type_that_is_written)
{
    REFUSED(JG_ERR_TYPE, "the value is declared as bool, it is float32", "%1:bool = add %f %f\n");
    REFUSED(JG_ERR_TYPE, "the value is declared as float32, it is bool",
            "%1:float32 = less %f %f\n");
    REFUSED(JG_ERR_TYPE, "the value is declared as float64, it is float32",
            "%1:float64 = load x [%i, %i]\n");
    REFUSED(JG_ERR_TYPE, "the value is declared as int32, it is int64", "%1:int32 = extent x 0\n");
    REFUSED(JG_ERR_TYPE, "kernels do not compute with complex64", "%1:complex64 = cast %f\n");
    REFUSED(JG_ERR_TYPE, "as many bits as each other", "%1:float64 = bitcast %f\n");
    REFUSED(JG_ERR_TYPE, "as many bits as each other", "%1:bool = bitcast %c\n");
    REFUSED(JG_ERR_TYPE, "random: it does not make bool", "%1:bool = random\n");
}

TEST(a_value_is_used_in_its_block_after_its_definition)
{
    REFUSED(JG_ERR_VALUE, "8:17: 1 is no value in reach", "if %c {\n%1:int32 = add %1 %i\n}\n");
    REFUSED(JG_ERR_VALUE, "10:17: v is no value in reach",
            "if %c {\n%v:int32 = add %i %i\n}\n%w:int32 = add %v %i\n");
    REFUSED(JG_ERR_VALUE, "10:17: v is no value in reach",
            "if %c {\n%v:int32 = copy %i\n} else {\n%w:int32 = add %v %i\n}\n");
    REFUSED(JG_ERR_VALUE, "t is no local in reach", "if %c {\nlocal t bool\n}\nset t = %c\n");
    ACCEPTED("if %c {\nloop {\n%1:int32 = add %i %i\n%2:int32 = add %1 %i\nbreak\n}\n}\n");
}

TEST(elements_are_reached_by_an_integer_for_each_axis)
{
    REFUSED(JG_ERR_VALUE, "load: x: got 1 indices, it has 2", "%1:float32 = load x [%i]\n");
    REFUSED(JG_ERR_TYPE, "load: index 2 is float32, it must be an integer",
            "%1:float32 = load x [%i, %f]\n");
    REFUSED(JG_ERR_TYPE, "store: operand 3 is int32, it must be float32",
            "store x [%i, %i] = %i\n");
    REFUSED(JG_ERR_VALUE, "extent: x: axis: got 2, allowed 0 to 1", "%1:int64 = extent x 2\n");
    REFUSED(JG_ERR_VALUE, "get: t: got 1 indices, it has 0",
            "local t bool\n%1:bool = get t [%i]\n");
    REFUSED(JG_ERR_VALUE, "set: t: got 0 indices, it has 1", "local t bool 2\nset t = %c\n");
    REFUSED(JG_ERR_TYPE, "set: operand 2 is int32", "local t bool 2\nset t [%i] = %i\n");
}

TEST(atomics_take_what_they_combine)
{
    REFUSED(JG_ERR_TYPE, "x: the atomic does not take float32",
            "%1:float32 = atomic xor x [%i, %i] %f\n");
    REFUSED(JG_ERR_TYPE, "t: the atomic does not take bool",
            "local t bool\n%1:bool = atomic add t %c\n");
    ACCEPTED("local t bool\n%1:bool = atomic or t %c\n%2:bool = atomic exchange t %1\n");
    ACCEPTED("local t int32\n%1:int32 = atomic compare_exchange t %i %i\n");
    REFUSED(JG_ERR_TYPE, "x: the atomic does not take float32",
            "%1:float32 = atomic compare_exchange x [%i, %i] %f %f\n");
    REFUSED(JG_ERR_TYPE, "operand 2",
            "local t int32\n%1:int32 = atomic compare_exchange t %i %f\n");
}

TEST(blocks_nest_in_blocks)
{
    REFUSED(JG_ERR_VALUE, "parallel: not in the outermost block",
            "if %c {\nparallel %1:int32 = %i to %i {\n}\n}\n");
    REFUSED(JG_ERR_VALUE, "break: a parallel loop cannot be left",
            "parallel %1:int32 = %i to %i {\nif %c {\nbreak\n}\n}\n");
    REFUSED(JG_ERR_VALUE, "add: nothing can follow a break, continue or return",
            "loop {\nbreak\n%1:int32 = add %i %i\n}\n");
    REFUSED(JG_ERR_TYPE, "if: operand 1 is int32, it must be bool", "if %i {\n}\n");
    REFUSED(JG_ERR_TYPE, "parallel: its index is float32, it must be an integer",
            "parallel %1:float32 = %f to %f {\n}\n");
    REFUSED(JG_ERR_TYPE, "for: operand 1 is int32, it must be int64",
            "for %1:int64 = %i to %i {\n}\n");
    REFUSED(JG_ERR_VALUE, "block: got -1", "parallel %1:int32 = %i to %i block -1 {\n}\n");
    ACCEPTED("parallel %1:int32 = %i to %i {\nfor %2:int32 = %1 to %i {\nbreak\n}\ncontinue\n}\n");
}

TEST(a_step_fits_the_index_and_moves_it)
{
    REFUSED(JG_ERR_VALUE, "step: got 0", "for %1:int32 = %i to %i step 0 {\n}\n");
    REFUSED(JG_ERR_VALUE, "step: got 2147483648", "for %1:int32 = %i to %i step 2147483648 {\n}\n");
    REFUSED(JG_ERR_VALUE, "step: got -1 for the unsigned uint8",
            "%u:uint8 = cast %i\nfor %1:uint8 = %u to %u step -1 {\n}\n");
    ACCEPTED("for %1:int32 = %i to %i step -2147483647 {\n}\n");
}

/* The reader of texts refuses such types itself; complex128 has more bits than a step. */
TEST(the_index_of_a_loop_is_an_integer)
{
    static const jg_dtype types[] = {JG_DTYPE_COMPLEX128, JG_DTYPE_FLOAT32, JG_DTYPE_BOOL,
                                     JG_DTYPE_COUNT};
    for (size_t t = 0; t < JG_COUNT_OF(types); ++t) {
        assert_ok(kernel_parse(HEAD "{\nfor %1:int32 = %i to %i step 2 {\n}\n}\n", &kernel));
        kernel_inst_at(&kernel, 0)->type = (uint8_t)types[t];
        assert_fails_saying(JG_ERR_TYPE, "it must be an integer", kernel_verify(&kernel));
        kernel_clear(&kernel);
    }
}

TEST(messages_have_a_placeholder_for_each_value)
{
    REFUSED(JG_ERR_VALUE, "print: the text has 1 placeholders {} for 2 values",
            "print \"{}\" %i %i\n");
    REFUSED(JG_ERR_VALUE, "assert: the text has 1 placeholders {} for 0 values",
            "assert %c \"{}\"\n");
    REFUSED(JG_ERR_TYPE, "assert: operand 1 is int32, it must be bool", "assert %i \"\"\n");
}

TEST(results_are_returned_once_at_the_end)
{
    REFUSED(JG_ERR_VALUE, "return: the kernel has no results", "return\n");
    assert_fails_saying(JG_ERR_VALUE, "it has results and does not return them",
                        kernel_parse("kernel k\nresult bool\n{\n}\n", &kernel));
    assert_fails_saying(
        JG_ERR_TYPE, "return: operand 1 is int32, it must be bool",
        kernel_parse("kernel k\nresult bool\n{\n%1:int32 = const 1\nreturn %1\n}\n", &kernel));
    assert_fails_saying(
        JG_ERR_VALUE, "return: not in the outermost block",
        kernel_parse("kernel k\nresult bool\n{\n%1:bool = const true\nif %1 {\nreturn %1\n}\n}\n",
                     &kernel));
    assert_fails_saying(JG_ERR_VALUE, "return: got 0 operands, allowed 1 to 1",
                        kernel_parse("kernel k\nresult bool\n{\nreturn\n}\n", &kernel));
}

TEST(declarations_are_of_types_that_kernels_have)
{
    assert_fails_saying(JG_ERR_TYPE, "array x: kernels do not compute with complex64",
                        kernel_parse("kernel k\narray x complex64 [1]\n{\n}\n", &kernel));
    assert_fails_saying(JG_ERR_TYPE, "scalar x: kernels do not compute with float8_e5m2",
                        kernel_parse("kernel k\nscalar x float8_e5m2\n{\n}\n", &kernel));
    assert_fails_saying(JG_ERR_TYPE, "a result is complex128",
                        kernel_parse("kernel k\nresult complex128\n{\n}\n", &kernel));
    assert_fails_saying(JG_ERR_VALUE, "array x: the extent of axis 0 is -1",
                        kernel_parse("kernel k\narray x bool [-1]\n{\n}\n", &kernel));
    REFUSED(JG_ERR_TYPE, "local t: kernels do not compute with complex64", "local t complex64\n");
    REFUSED(JG_ERR_VALUE, "the locals take more than 262144 bytes",
            "local t float64 32768\nlocal u bool\n");
}

TEST(access_to_arrays_is_found)
{
    assert_ok(kernel_parse("kernel k\narray r bool []\narray w bool []\narray b bool []\n"
                           "array n bool []\n{\n%1:bool = load r []\nstore w [] = %1\n"
                           "%2:bool = atomic or b [] %1\n}\n",
                           &kernel));
    static const bool expected[4][2] = {{true, false}, {false, true}, {true, true}, {false, false}};
    for (uint32_t a = 0; a < 4; ++a) {
        assert_int_equal(kernel_array_at(&kernel, a)->read, expected[a][0]);
        assert_int_equal(kernel_array_at(&kernel, a)->write, expected[a][1]);
    }
    kernel_clear(&kernel);
}

#define BROKEN(message, position, change)                                                          \
    do {                                                                                           \
        assert_ok(kernel_parse(HEAD "{\nif %c {\n%v:int32 = add %i %i\n} else {\n}\n"              \
                                    "loop {\nbreak\n}\nlocal t bool\n}\n",                         \
                               &kernel));                                                          \
        kernel_inst *inst = kernel_inst_at(&kernel, position);                                     \
        change;                                                                                    \
        assert_fails_saying(JG_ERR_VALUE, message, kernel_verify(&kernel));                        \
        kernel_clear(&kernel);                                                                     \
    } while (0)

TEST(a_kernel_that_was_not_built_by_the_rules_is_refused)
{
    BROKEN("no such instruction", 1, inst->op = KERNEL_OP_COUNT);
    BROKEN("operands outside the kernel", 1, inst->operands = 1000);
    BROKEN("operands outside the kernel", 1, inst->noperands = UINT32_MAX);
    BROKEN("is not defined before its use", 1,
           ((uint32_t *)(void *)kernel.operands.data)[inst->operands] = 4);
    BROKEN("kernels do not have the instruction", 1, inst->op = PROGRAM_REDUCE_ADD);
    BROKEN("values are not numbered in their order", 1, inst->first = 7);
    BROKEN("its values are recorded otherwise", 1,
           kernel_value_at(&kernel, inst->first)->definition = 0);
    BROKEN("the ends of the block do not point at each other", 3, inst->match = 0);
    BROKEN("the if does not point at its else", 0, inst->match = 3);
    BROKEN("it does not point at the innermost loop", 5, inst->match = 0);
    BROKEN("a block is not closed", 7, inst->op = KERNEL_LOOP);
    BROKEN("locals are not declared in their order", 7, inst->target = 1);
    BROKEN("its tables are not as long as it says", 7, (void)inst; kernel.nlocals = 2);
    BROKEN("values or locals that nothing defines", 7, (void)inst;
           assert_ok(vec_append(&kernel.locals, kernel.locals.data, sizeof(kernel_local)));
           kernel.nlocals = 2);
    BROKEN("it has values that are not the kernel's", 1, inst->nvalues = 0);
    BROKEN("it has values that are not the kernel's", 5, inst->nvalues = 1);
    BROKEN("its tables are not as long as it says", 1, (void)inst; kernel.nvalues += 1);
    BROKEN("its tables are not as long as it says", 1, (void)inst; kernel.ninsts += 1);
    BROKEN("its tables are not as long as it says", 1, (void)inst; kernel.nscalars = 100);
    BROKEN("its tables are not as long as it says", 1, (void)inst; kernel.nresults = 100000);
    BROKEN("its parameters are not its arrays and scalars", 1, (void)inst;
           kernel.parameters.nbytes -= sizeof(kernel_parameter));
    BROKEN("parameter 2 is out of order", 1, (void)inst;
           ((kernel_parameter *)(void *)kernel.parameters.data)[1].index = 7);
    BROKEN("parameter 2 is out of order", 1, (void)inst;
           ((kernel_parameter *)(void *)kernel.parameters.data)[0].is_array = false);
    BROKEN("\"a b\" is no name", 7,
           assert_ok(kernel_add_text(&kernel, "a b", 3, &kernel_local_at(&kernel, 0)->name));
           (void)inst);
    BROKEN("x is defined already", 7,
           kernel_local_at(&kernel, 0)->name = kernel_array_at(&kernel, 0)->name;
           (void)inst);
}
