/* SPDX-License-Identifier: Apache-2.0 */
/* Without the shared object that compiles: what a build without LLVM says. */
#include "launch.h"
#include <joggle/option.h>

static const char empty_kernel[] = "kernel nothing\n{\n}\n";

TEST(compiling_names_what_is_missing_and_how_to_get_it)
{
    kernel_program kernel;
    kernel_code *code;
    assert_ok(jg_option_set("jit_library", "none"));
    assert_ok(kernel_parse(empty_kernel, &kernel));
    assert_ok(kernel_cut(&kernel));
    for (int again = 0; again < 2; ++again) {
        assert_fails_saying(JG_ERR_UNSUPPORTED, "llvm-19-dev",
                            jit_compiler.compile(&kernel, 0, &code));
        assert_fails_saying(JG_ERR_UNSUPPORTED, "libjoggle_jit.so", jit_available());
    }
    kernel_clear(&kernel);
}
