/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's own compiler, as the back end opens and calls it: a printed text becomes code for GPUs.
 * Without its package, which the Python tests install, there is nothing to test. */
#include "printed.h"

#include "fake_driver.h"
#include <glob.h>
#include <joggle/option.h>
#include <stdio.h>

enum { MACHINE_AT = 18, MACHINE = 190 }; /* of an ELF file: EM_CUDA */

static bool found;

static int find_compiler(void **state)
{
    char pattern[1024];
    glob_t folders;
    const char *root = getenv("JOGGLE_TEST_ROOT");
    (void)state;
    fake_open();
    snprintf(pattern, sizeof pattern,
             "%s/.venv/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.[0-9]*",
             root != NULL ? root : ".");
    if (glob(pattern, 0, NULL, &folders) == 0) {
        char folder[1024];
        const char *path = folders.gl_pathv[0];
        snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
        assert_ok(jg_option_set("nvrtc", folder));
        found = true;
        globfree(&folders);
    }
    assert_ok(jg_option_set("jit_cache", "none"));
    return device_require(CUDA_0, &here) == JG_OK ? 0 : -1;
}

static device_unit *print_scale(device_work *work)
{
    device_unit *unit;
    scale(COUNT);
    *work = (device_work){.program = &l.program, .space = l.space};
    assert_ok(source_printer.print(here->facts, 1, work, &unit));
    free(l.space);
    return unit;
}

TEST(a_known_device_gets_code_of_its_own)
{
    device_work work;
    cuda_image image;
    bool kept = true;
    if (!found)
        skip();
    device_unit *unit = print_scale(&work);
    assert_ok(cuda_compile((cuda_device *)(void *)here, unit, &kept, &image));
    assert_false(kept);
    assert_memory_equal(image.bytes, "\177ELF", 4);
    assert_int_equal(((const unsigned char *)image.bytes)[MACHINE_AT], MACHINE);
    base_free(image.bytes);
    source_printer.release(unit);
}

/* Of a capability that no compiler knows yet. */
TEST(a_newer_device_gets_text_for_its_driver)
{
    cuda_device newer = *(cuda_device *)(void *)here;
    device_work work;
    cuda_image image;
    bool kept = true;
    if (!found)
        skip();
    newer.capability = 999;
    device_unit *unit = print_scale(&work);
    assert_ok(cuda_compile(&newer, unit, &kept, &image));
    assert_non_null(strstr(image.bytes, ".version"));
    assert_non_null(strstr(image.bytes, unit->entries[0].kernels[0].name));
    base_free(image.bytes);
    source_printer.release(unit);
}

TEST(what_the_compiler_refuses_is_told_in_its_words)
{
    const char text[] = "extern \"C\" __global__ void f(int *x) { x[0] = nobody; }";
    const device_unit unit = {.text = text, .nbytes = strlen(text), .flags = "-std=c++17"};
    cuda_image image;
    bool kept = true;
    if (!found)
        skip();
    assert_fails_saying(JG_ERR_DEVICE, "identifier \"nobody\" is undefined",
                        cuda_compile((cuda_device *)(void *)here, &unit, &kept, &image));
}

BEFORE_ALL(find_compiler)
