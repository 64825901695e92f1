/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a C array, without copying it, and prints what joggle sees.
 *
 *     cc hello.c -o hello $(pkg-config --cflags --libs joggle) */
#include <inttypes.h>
#include <joggle/view.h>
#include <stdio.h>

int main(void)
{
    float numbers[2][3] = {{1, 2, 3}, {4, 5, 6}};
    jg_device_id cpu = {JG_DEVICE_CPU, 0};
    jg_view view;

    if (jg_view_init(&view, numbers, cpu, JG_DTYPE_FLOAT32, 1, 2, (int64_t[]){2, 3}, NULL, 0)) {
        fprintf(stderr, "%s\n", jg_error_message());
        return 1;
    }
    printf("%s", jg_dtype_name(view.dtype));
    for (int axis = 0; axis < view.ndim; axis++)
        printf("%s%" PRId64, axis ? " x " : " ", view.shape[axis]);
    printf(", %s\n", jg_view_is_contiguous(&view) ? "contiguous" : "strided");
    return 0;
}
