/* SPDX-License-Identifier: Apache-2.0 */
/* Options are set and read by many threads at once. */
#include "../support.h"

typedef struct turn {
    int number;
    bool sound; /* only values that somebody has set were seen */
} turn;

static void *set_and_read(void *context)
{
    turn *own = context;
    own->sound = true;
    for (int i = 0; i < 2000; ++i) {
        if (own->number % 2 == 0) {
            own->sound &= jg_option_set("cache_limit", i % 2 ? "1000" : "2000") == JG_OK;
            own->sound &= jg_option_set("fuse", i % 2 ? "yes" : "true") == JG_OK;
        }
        int64_t limit = option_int(OPTION_CACHE_LIMIT);
        own->sound &= limit == 1000 || limit == 2000;
        own->sound &= option_flag(OPTION_FUSE);
    }
    return NULL;
}

TEST(readers_see_whole_values_only)
{
    turn turns[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};
    assert_ok(jg_option_set("cache_limit", "1000"));
    assert_ok(jg_option_set("fuse", "yes"));
    run_threads(4, set_and_read, turns, sizeof *turns);
    for (int i = 0; i < 4; ++i)
        assert_true(turns[i].sound);
}
