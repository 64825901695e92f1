/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between the host and devices that it cannot look into, of arrays and of fields, while
 * every allocation fails once. */
#include "../opaque_device.h"
#include "attempts.h"
#include <joggle/field.h>
#include <joggle/ops.h>
#include <stdlib.h>

static const jg_device_id host = {JG_DEVICE_CPU, 0};

static int begin(void **state)
{
    (void)state;
    opaque_register();
    bool begun = begin_follower(OPAQUE) == JG_OK && begin_follower(OTHER_OPAQUE) == JG_OK;
    return begun ? 0 : -1;
}

BEFORE_ALL(begin)

static jg_status on_device(int64_t size, jg_device_id device, jg_array **out)
{
    jg_array *x;
    JG_TRY(jg_full(JG_DTYPE_FLOAT32, 1, &size, float_number(3), &x));
    jg_status status = jg_to_device(x, device, out);
    jg_array_release(x);
    return status;
}

SCENARIO(every_second_element_comes_back)
{
    jg_array *x = NULL, *half = NULL;
    float *data = NULL;
    const int64_t count = (size + 1) / 2;
    const jg_index every_second = {.kind = JG_INDEX_SLICE, .step = 2, .has_step = true};
    jg_status status;
    JG_TRY_DONE(on_device(size, OPAQUE, &x));
    JG_TRY_DONE(jg_slice(x, 1, &every_second, &half));
    data = base_alloc((size_t)count * sizeof *data);
    JG_TRY_DONE(data == NULL ? base_nomem(1, "a test") : JG_OK);
    JG_TRY_DONE(jg_array_copy_to(half, data, (size_t)count * sizeof *data));
    if (data[0] != 3 || data[count - 1] != 3)
        status = base_fail(JG_ERR_INTERNAL, "got %g, expected 3", (double)data[count - 1]);
done:
    base_free(data);
    release_all(2, (jg_array *[]){x, half});
    return status;
}

SCENARIO(a_copy_goes_to_another_device)
{
    jg_array *x = NULL, *copy = NULL, *back = NULL;
    jg_status status;
    JG_TRY_DONE(on_device(size, OPAQUE, &x));
    JG_TRY_DONE(jg_to_device(x, OTHER_OPAQUE, &copy));
    JG_TRY_DONE(jg_to_device(copy, host, &back));
    JG_TRY_DONE(jg_eval(1, &back));
done:
    release_all(3, (jg_array *[]){x, copy, back});
    return status;
}

static jg_status new_field(int64_t size, jg_field **out)
{
    jg_element *element;
    JG_TRY(jg_element_new(JG_DTYPE_FLOAT32, 0, NULL, &element));
    const jg_field_spec spec = {
        .name = "x", .element = element, .ndim = 1, .shape = &size, .layout = JG_FIELD_AOS};
    jg_status status = jg_field_new(&spec, out);
    jg_element_release(element);
    return status;
}

SCENARIO(a_field_of_a_device_takes_an_array)
{
    jg_field *field = NULL;
    jg_array *x = NULL;
    jg_status status;
    JG_TRY_DONE(jg_fields_set_device(OPAQUE));
    JG_TRY_DONE(new_field(size, &field));
    JG_TRY_DONE(on_device(size, OPAQUE, &x));
    JG_TRY_DONE(jg_field_assign(field, x));
done:
    jg_field_release(field);
    jg_array_release(x);
    if (jg_fields_set_device(host) != JG_OK)
        abort();
    return status;
}
