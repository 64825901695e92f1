/* SPDX-License-Identifier: Apache-2.0 */
/* Particles {float32 position[3]; float64 mass} in one field: their positions as an array and as a
 * DLPack tensor over the same memory, and a lazy sum that comes before the write behind it.
 *
 *     cc fields.c -o fields $(pkg-config --cflags --libs joggle) */
#include <joggle/joggle.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4 };

static void must(jg_status status)
{
    if (status == JG_OK)
        return;
    fprintf(stderr, "%s\n", jg_error_message());
    exit(1);
}

static jg_field *make_particles(void)
{
    const int64_t axes = 3, count = COUNT;
    const char *const names[] = {"position", "mass"};
    jg_element *members[2], *particle;
    jg_field *particles;
    must(jg_element_new(JG_DTYPE_FLOAT32, 1, &axes, &members[0]));
    must(jg_element_new(JG_DTYPE_FLOAT64, 0, NULL, &members[1]));
    must(jg_element_new_struct(2, names, members, &particle));
    jg_field_spec spec = {.name = "particles",
                          .element = particle,
                          .ndim = 1,
                          .shape = &count,
                          .layout = JG_FIELD_AOS};
    must(jg_field_new(&spec, &particles));
    jg_element_release(members[0]);
    jg_element_release(members[1]);
    jg_element_release(particle);
    return particles;
}

int main(void)
{
    jg_field *particles = make_particles(), *position;
    jg_array *alias, *total;
    jg_number sum;
    DLManagedTensorVersioned *tensor;

    must(jg_field_member(particles, 0, &position));
    must(jg_field_fill(position, (jg_number){.kind = JG_KIND_FLOAT, .re = 1}));
    must(jg_field_to_array(position, JG_COPY_NEVER, &alias));
    must(jg_sum(alias, -1, NULL, false, NULL, &total)); /* computes nothing yet */
    must(jg_field_store(position, 2, (int64_t[]){2, 0},
                        (jg_number){.kind = JG_KIND_FLOAT, .re = 9}));
    must(jg_array_item(total, &sum));
    printf("the sum before the write: %g\n", sum.re);

    must(jg_field_to_managed(position, JG_COPY_NEVER, &tensor));
    const float *data = tensor->dl_tensor.data;
    int64_t stride = tensor->dl_tensor.strides[0];
    printf("one particle is %d floats on: %g\n", (int)stride, data[2 * stride]);

    tensor->deleter(tensor);
    jg_array_release(total);
    jg_array_release(alias);
    jg_field_release(position);
    jg_field_release(particles);
    return 0;
}
