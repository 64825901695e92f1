/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs on a device that is told to let the items of a group work together, as a GPU does, under
 * Oclgrind: their values, and that no kernel or copy that they become races or strays. */
#include "../oclgrind.h"
#include "random_graph.h"

#include "device/device.h"
#include <joggle/joggle.h>
#include <math.h>

enum { ROUNDS = 40 };

#define CPU ((jg_device_id){JG_DEVICE_CPU, 0})
#define OPENCL ((jg_device_id){JG_DEVICE_OPENCL, 0})

/* Before anything is planned. Few units and small groups, so that small rows are shared, too. */
static int work_in_groups(void **state)
{
    (void)state;
    jg_device *device = device_find(OPENCL);
    if (device == NULL || device->facts == NULL)
        return -1;
    device_facts *facts = (device_facts *)(uintptr_t)device->facts;
    facts->shape = DEVICE_GROUP;
    facts->group_limit = 16;
    facts->compute_units = 4;
    facts->lane_width = 8;
    return jg_option_set("device_fallback", "host") == JG_OK ? 0 : -1;
}

TEST_IF(oclgrind_mode() != NULL, random_graphs_have_the_values_of_loops)
{
    check_graphs_on(OPENCL, ROUNDS, false);
}

static jg_array *matrix_on(jg_device_id device, int64_t rows, int64_t columns)
{
    return numbers_on(device, rows, columns, 1 / 64.0f, -0.75f);
}

/* As a layer of a network: a product, a softmax of its rows, and their sums down the columns. */
static jg_array *layer(jg_device_id device, int64_t rows, int64_t inner, int64_t columns)
{
    jg_array *x = matrix_on(device, rows, inner), *w = matrix_on(device, inner, columns);
    jg_array *product, *soft, *sum;
    const int64_t last = 1, first = 0;
    assert_ok(jg_matmul(x, w, &product));
    assert_ok(jg_softmax(product, 1, &last, &soft));
    assert_ok(jg_sum(soft, 1, &first, false, NULL, &sum));
    jg_array_release(x);
    jg_array_release(w);
    jg_array_release(product);
    jg_array_release(soft);
    return sum;
}

TEST_IF(oclgrind_mode() != NULL, layers_have_the_values_of_the_cpu)
{
    static const int64_t shapes[][3] = {{3, 5, 40}, {20, 17, 6}, {1, 30, 38}, {33, 2, 19}};
    for (size_t i = 0; i < JG_COUNT_OF(shapes); ++i) {
        const int64_t *s = shapes[i];
        jg_array *there = layer(OPENCL, s[0], s[1], s[2]), *here = layer(CPU, s[0], s[1], s[2]);
        float got[64], wanted[64];
        size_t nbytes = (size_t)s[2] * sizeof *got;
        assert_ok(jg_array_copy_to(there, got, nbytes));
        assert_ok(jg_array_copy_to(here, wanted, nbytes));
        for (int64_t j = 0; j < s[2]; ++j)
            assert_true(fabsf(got[j] - wanted[j]) <= 1e-5f * fabsf(wanted[j]));
        jg_array_release(there);
        jg_array_release(here);
    }
}

/* Oclgrind does not know what an optimiser makes of absolute values. */
TEST_IF(oclgrind_mode() == NULL, no_race_and_no_access_outside_is_found)
{
    run_under_oclgrind("run/opencl_groups", "--data-races --build-options -cl-opt-disable",
                       "graphs", 2);
}

static int begin(void **state)
{
    return oclgrind_mode() != NULL ? work_in_groups(state) : 0;
}
BEFORE_ALL(begin)
