/* SPDX-License-Identifier: Apache-2.0 */
/* Users' kernels as text: every instruction of every dtype is printed where the device has float64,
 * and what is printed goes through the compilers of CUDA, HIP and Metal, where these are. OpenCL C
 * and the fake driver run such texts (tests/python/devices/test_fields_on_devices.py). */
#include "compilers.h"

#include "kernel/cut.h"
#include "kernel/printer.h"
#include "source/source.h"
#include <sys/wait.h>

static const device_facts gpu = {
    .shape = DEVICE_GROUP,
    .f64 = true,
    .atomics_64 = true,
    .exact_division = true,
    .lane_width = 32,
    .group_limit = 1024,
    .compute_units = 100,
    .max_buffers = 31,
    .local_nbytes = 32 << 10,
    .argument_nbytes = 4096,
};

static const jg_dtype types[] = {
    JG_DTYPE_BOOL,     JG_DTYPE_INT8,    JG_DTYPE_INT16,  JG_DTYPE_INT32,  JG_DTYPE_INT64,
    JG_DTYPE_UINT8,    JG_DTYPE_UINT16,  JG_DTYPE_UINT32, JG_DTYPE_UINT64, JG_DTYPE_FLOAT16,
    JG_DTYPE_BFLOAT16, JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT64};

static const char *name_of(jg_dtype type)
{
    return dtype_rows[type].name;
}

/* The head of a kernel with an array of each dtype, and a body that has loaded an element of each.
 * Without float64 there is none. */
static void begin(const device_facts *facts, base_text *out)
{
    text_add(out, "kernel all checked\n");
    for (size_t t = 0; t < JG_COUNT_OF(types); ++t)
        if (facts->f64 || types[t] != JG_DTYPE_FLOAT64)
            text_add(out, "array a_%s %s [*]\n", name_of(types[t]), name_of(types[t]));
    text_add(out, "result int64\n{\n  local sum int64\n  %%zero:int64 = const 0\n"
                  "  %%n:int64 = extent a_int8 0\n  parallel %%i:int64 = %%zero to %%n {\n");
    for (size_t t = 0; t < JG_COUNT_OF(types); ++t)
        if (facts->f64 || types[t] != JG_DTYPE_FLOAT64)
            text_add(out, "    %%v_%s:%s = load a_%s [%%i]\n", name_of(types[t]), name_of(types[t]),
                     name_of(types[t]));
}

static void end(base_text *out)
{
    text_add(out, "  }\n  %%s:int64 = get sum\n  return %%s\n}\n%c", 0);
}

/* One instruction, and a store of what it gives. number: of the value, in names */
static void add_inst(uint16_t op, jg_dtype type, int number, base_text *out)
{
    const program_inst_row *row = kernel_row(op);
    jg_dtype to = row->result == RESULT_BOOL ? JG_DTYPE_BOOL : type;
    text_add(out, "    %%r%d:%s = %s", number, name_of(to), row->name);
    for (int i = 0; i < row->arity; ++i)
        text_add(out, " %%v_%s", name_of(op == PROGRAM_SELECT && i == 0 ? JG_DTYPE_BOOL : type));
    text_add(out, "\n    store a_%s [%%i] = %%r%d\n", name_of(to), number);
}

static void add_cast(jg_dtype from, jg_dtype to, int number, base_text *out)
{
    text_add(out, "    %%r%d:%s = cast %%v_%s\n    store a_%s [%%i] = %%r%d\n", number, name_of(to),
             name_of(from), name_of(to), number);
}

/* What the printer makes of a text; NULL and *refusal if it is not taken. */
static kernel_printed *print(const device_facts *facts, const char *text, device_refusal *refusal)
{
    kernel_program program;
    kernel_printed *out;
    assert_ok(kernel_parse(text, &program));
    assert_ok(kernel_cut(&program));
    assert_ok(source_kernel_printer.print(facts, &program, 0, &out, refusal));
    kernel_clear(&program);
    return out;
}

/* Whether the device takes what was added alone. */
static bool is_taken(const device_facts *facts, const base_text *added)
{
    base_text text = {0};
    device_refusal refusal = {0};
    begin(facts, &text);
    text_add(&text, "%.*s", (int)added->bytes.nbytes, (const char *)added->bytes.data);
    end(&text);
    kernel_printed *printed = print(facts, text.bytes.data, &refusal);
    if (printed != NULL)
        source_kernel_printer.release(printed);
    else
        assert_true(strstr(refusal.message, "float64") != NULL);
    text_clear(&text);
    return printed != NULL;
}

/* Appends it if it is taken; with float64 all is. */
static void keep(const device_facts *facts, base_text *added, int *number, base_text *out)
{
    bool taken = is_taken(facts, added);
    assert_true(taken || !facts->f64);
    if (taken)
        text_add(out, "%.*s", (int)added->bytes.nbytes, (const char *)added->bytes.data);
    *number += 1;
    text_clear(added);
}

static bool is_there(const device_facts *facts, jg_dtype type)
{
    return facts->f64 || type != JG_DTYPE_FLOAT64;
}

static void keep_instructions(const device_facts *facts, int *number, base_text *out)
{
    base_text added = {0};
    for (uint16_t op = PROGRAM_COPY; op < KERNEL_CONST; ++op)
        for (size_t t = 0; t < JG_COUNT_OF(types); ++t) {
            if (!kernel_takes(op, types[t]) || op == KERNEL_BITCAST || !is_there(facts, types[t]))
                continue;
            add_inst(op, types[t], *number, &added);
            keep(facts, &added, number, out);
        }
    for (size_t f = 0; f < JG_COUNT_OF(types); ++f)
        for (size_t t = 0; t < JG_COUNT_OF(types); ++t) {
            if (f == t || !is_there(facts, types[f]) || !is_there(facts, types[t]))
                continue;
            add_cast(types[f], types[t], *number, &added);
            keep(facts, &added, number, out);
        }
}

/* Atomics of each kind and dtype, on elements that iterations share and do not share. */
static void keep_atomics(const device_facts *facts, int *number, base_text *out)
{
    base_text added = {0};
    for (int kind = 0; kind < KERNEL_ATOMIC_COMPARE_EXCHANGE; ++kind)
        for (size_t t = 0; t < JG_COUNT_OF(types); ++t) {
            const char *name = name_of(types[t]);
            if (!kernel_atomic_takes((kernel_atomic)kind, types[t]) || !is_there(facts, types[t]) ||
                (!facts->atomics_64 && dtype_rows[types[t]].bits == 64))
                continue;
            text_add(&added, "    %%r%d:%s = atomic %s a_%s [%%zero] %%v_%s\n", *number, name,
                     kernel_atomic_rows[kind].name, name, name);
            keep(facts, &added, number, out);
        }
    text_add(&added,
             "    %%r%d:int32 = atomic compare_exchange a_int32 [%%i] %%v_int32 %%v_int32\n",
             *number);
    keep(facts, &added, number, out);
}

static const char statements[] = "    %seven:int32 = const 7\n"
                                 "    local m int32 7\n"
                                 "    set m [%v_int32] = %v_int32\n"
                                 "    for %k:int32 = %seven to %v_int32 step -2 {\n"
                                 "      %g:int32 = get m [%k]\n"
                                 "      if %v_bool {\n"
                                 "        break\n"
                                 "      } else {\n"
                                 "        continue\n"
                                 "      }\n"
                                 "    }\n"
                                 "    for %u:uint64 = %v_uint64 to %v_uint64 step 3 {\n"
                                 "      loop {\n"
                                 "        break\n"
                                 "      }\n"
                                 "    }\n"
                                 "    assert %v_bool \"{} and {:.3f}\" %v_int32 %v_float32\n"
                                 "    print \"{}\\n\" %v_float32\n"
                                 "    fence\n"
                                 "    %z:float32 = random\n"
                                 "    %b:uint32 = bitcast %z\n"
                                 "    store a_uint32 [%i] = %b\n";

/* All that the device takes, as one text of a dialect. gives: for release */
static kernel_printed *print_all(const device_facts *facts)
{
    base_text text = {0};
    device_refusal refusal = {0};
    int number = 0;
    begin(facts, &text);
    keep_instructions(facts, &number, &text);
    keep_atomics(facts, &number, &text);
    text_add(&text, "%s", statements);
    if (facts->atomics_64)
        text_add(&text, "    %%old:int64 = atomic add sum %%v_int64\n");
    end(&text);
    kernel_printed *printed = print(facts, text.bytes.data, &refusal);
    assert_non_null(printed);
    text_clear(&text);
    return printed;
}

static int compile(const device_facts *facts, const char *tool, const char *format)
{
    need_tool(tool);
    kernel_printed *printed = print_all(facts);
    int status = compile_unit(&printed->unit, format);
    source_kernel_printer.release(printed);
    return status;
}

TEST(hip_compiles_the_text)
{
    device_facts facts = gpu;
    facts.dialect = DEVICE_HIP;
    assert_int_equal(compile(&facts, "clang-19", HIP "gfx90a"), 0);
}

TEST(cuda_compiles_the_text)
{
    char format[768];
    device_facts facts = gpu;
    facts.dialect = DEVICE_CUDA;
    snprintf(format, sizeof format, "python3 %s/tests/c/source/nvrtc.py sm_90 %%2$s %%1$s",
             getenv("JOGGLE_TEST_ROOT"));
    int status = compile(&facts, "python3", format);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
        print_message("nvidia-cuda-nvrtc is not there: its dialect is not compiled\n");
        skip();
    }
    assert_int_equal(status, 0);
}

TEST(metal_compiles_with_a_stand_in_for_its_library)
{
    char format[768];
    device_facts facts = gpu;
    facts.dialect = DEVICE_METAL;
    facts.f64 = facts.atomics_64 = false;
    snprintf(format, sizeof format,
             "clang-19 -x c++ -std=c++17 -fsyntax-only -Wno-everything -I%s/tests/c/source "
             "-DFLAGS='\"%%s\"' %%s",
             getenv("JOGGLE_TEST_ROOT"));
    assert_int_equal(compile(&facts, "clang-19", format), 0);
}

static void refuse(const device_facts *facts, const char *text, const char *reason)
{
    device_refusal refusal = {0};
    assert_null(print(facts, text, &refusal));
    assert_non_null(strstr(refusal.message, reason));
}

TEST(what_devices_cannot_run_is_refused_by_name)
{
    device_facts facts = gpu;
    facts.dialect = DEVICE_CUDA;
    refuse(&facts,
           "kernel k\narray x float32 [*]\n{\n  %z:int64 = const 0\n"
           "  parallel %i:int64 = %z to %z {\n    stack t float32\n"
           "    %v:float32 = load x [%i]\n    push t %v @7\n  }\n}\n",
           "stack: devices have no stacks");
    refuse(&facts, "kernel k alone\narray x float32 [*]\n{\n}\n", "cells that need not exist");
    refuse(&facts,
           "kernel k\n{\n  %z:int64 = const 0\n  parallel %i:int64 = %z to %z {\n"
           "    local m float32 10000\n    %v:float32 = get m [%i]\n  }\n}\n",
           "its variables have 40000 bytes");
    facts.f64 = facts.atomics_64 = false;
    refuse(&facts, "kernel k\narray x float64 [*]\n{\n}\n", "array x: the device has no float64");
    refuse(&facts,
           "kernel k\narray x int64 [*]\n{\n  %z:int64 = const 0\n"
           "  parallel %i:int64 = %z to %z {\n    %o:int64 = atomic add x [%z] %i @3\n  }\n}\n",
           "line 3: the device has no atomics of 64 bits");
    facts.max_buffers = 4;
    refuse(&facts,
           "kernel k\narray a int8 [*]\narray b int8 [*]\narray c int8 [*]\n{\n"
           "  %z:int64 = const 0\n  parallel %i:int64 = %z to %z {\n"
           "    %v:int8 = load a [%i]\n    store b [%i] = %v\n    store c [%i] = %v\n  }\n}\n",
           "3 arrays in one loop, or beside its loops: the device's kernels have up to 2");
}
