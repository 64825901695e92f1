/* SPDX-License-Identifier: Apache-2.0 */
/* Families: drivers that are opened when somebody asks, once, and the default device. */
#include "../opaque_device.h"

#define HERE ((jg_device_id){JG_DEVICE_HEXAGON, 1})
#define GONE ((jg_device_id){JG_DEVICE_MAIA, 0})

static jg_device hexagons[] = {
    {.ops = &opaque_ops, .id = {JG_DEVICE_HEXAGON, 0}, .title = "six corners"},
    {.ops = &opaque_ops, .id = {JG_DEVICE_HEXAGON, 1}, .title = "six more"},
};
static atomic_int hexagon_probes, maia_probes;

static jg_status probe_hexagon(void)
{
    hexagon_probes += 1;
    JG_TRY(device_register(&hexagons[0]));
    return device_register(&hexagons[1]);
}

static jg_status probe_maia(void)
{
    maia_probes += 1;
    return base_fail(JG_ERR_DEVICE, "no file libmaia.so");
}

static const device_family hexagon = {JG_DEVICE_HEXAGON, probe_hexagon},
                           maia = {JG_DEVICE_MAIA, probe_maia};

TEST(nothing_is_opened_before_somebody_asks)
{
    assert_true(jg_device_is_available((jg_device_id){JG_DEVICE_CPU, 0}));
    assert_int_equal(jg_device_count(JG_DEVICE_CPU), 1);
    assert_false(jg_device_is_available((jg_device_id){JG_DEVICE_WEBGPU, 0}));
    assert_int_equal(hexagon_probes + maia_probes, 0);
}

/* Before anybody has asked for the default. */
TEST(an_option_that_names_no_device_fails_where_the_default_is_meant)
{
    const char *const wrong[] = {"gpus", "hexagon:", "hexagon:x", "hexagon:-1", "hexa", ":0"};
    jg_device_id id;
    for (size_t i = 0; i < JG_COUNT_OF(wrong); ++i) {
        assert_ok(jg_option_set("device", wrong[i]));
        assert_fails_saying(JG_ERR_VALUE, wrong[i], jg_device_get_default(&id));
        assert_non_null(strstr(jg_error_message(), "JOGGLE_DEVICE"));
        assert_int_equal(jg_device_default().type, JG_DEVICE_CPU);
    }
    assert_int_equal(hexagon_probes, 0);
}

TEST(a_message_lists_drivers_that_nobody_has_asked_for_without_opening_them)
{
    jg_device_id id;
    assert_fails_saying(JG_ERR_VALUE, "got 'tpu', allowed is cpu (and devices of ",
                        jg_device_parse("tpu", &id));
    assert_non_null(strstr(jg_error_message(), "hexagon, maia: naming one opens its driver)"));
    assert_int_equal(hexagon_probes + maia_probes, 0);
}

TEST(the_reason_why_a_device_is_missing_is_told_at_each_ask)
{
    jg_device *device;
    jg_device_id id;
    for (int i = 0; i < 3; ++i)
        assert_fails_saying(JG_ERR_DEVICE, "no file libmaia.so", device_require(GONE, &device));
    assert_false(jg_device_is_available(GONE));
    assert_int_equal(jg_device_count(JG_DEVICE_MAIA), 0);
    assert_fails_saying(JG_ERR_DEVICE, "libmaia.so", jg_device_require(GONE));
    assert_ok(jg_option_set("device", "maia"));
    assert_fails_saying(JG_ERR_DEVICE, "JOGGLE_DEVICE: device: got maia:0, allowed is cpu",
                        jg_device_get_default(&id));
    assert_int_equal(maia_probes, 1);
}

TEST(the_option_names_the_default_until_one_is_set)
{
    jg_device_id id;
    assert_ok(jg_option_set("device", "hexagon:1"));
    assert_ok(jg_device_get_default(&id));
    assert_int_equal(id.type, JG_DEVICE_HEXAGON);
    assert_int_equal(id.id, 1);
    assert_int_equal(device_default(), hexagons[1].index);
    assert_ok(jg_device_set_default((jg_device_id){JG_DEVICE_CPU, 0}));
    assert_int_equal(jg_device_default().type, JG_DEVICE_CPU);
    assert_int_equal(hexagon_probes, 1);
}

TEST(devices_are_counted_and_titled)
{
    assert_int_equal(jg_device_count(JG_DEVICE_HEXAGON), 2);
    assert_string_equal(jg_device_title(HERE), "six more");
    assert_null(jg_device_title(GONE));
    assert_fails_saying(JG_ERR_DEVICE,
                        "got hexagon:2 (DLPack type 16), allowed is cpu, hexagon:0 to hexagon:1",
                        jg_device_require((jg_device_id){JG_DEVICE_HEXAGON, 2}));
    assert_fails(JG_ERR_UNSUPPORTED, jg_device_memory(HERE, &(uint64_t){0}, &(uint64_t){0}));
}

static int add_families(void **state)
{
    (void)state;
    device_add_family(&hexagon);
    device_add_family(&maia);
    return 0;
}
BEFORE_ALL(add_families)
