/* SPDX-License-Identifier: Apache-2.0 */
/* Lists whose links are members of what is listed. */
#include "../support.h"

typedef struct item {
    int number;
    list_link links;
} item;

/* Whether the list has just these numbers, in this order, and each link knows the one before it. */
static void assert_numbers(list_link *first, int count, const int *numbers)
{
    const list_link *before = NULL;
    int found = 0;
    for (list_link *link = first; link != NULL; before = link, link = link->next) {
        assert_true(found < count);
        assert_int_equal(JG_LIST_ITEM(link, item, links)->number, numbers[found++]);
        assert_ptr_equal(link->previous, before);
    }
    assert_int_equal(found, count);
}

TEST(the_last_that_was_added_comes_first)
{
    item items[3] = {{.number = 1}, {.number = 2}, {.number = 3}};
    list_link *first = NULL;
    for (int i = 0; i < 3; ++i)
        list_add(&first, &items[i].links);
    assert_numbers(first, 3, (const int[]){3, 2, 1});
}

TEST(an_item_leaves_from_any_place_and_may_come_back)
{
    for (int left = 0; left < 3; ++left) {
        item items[3] = {{.number = 0}, {.number = 1}, {.number = 2}};
        list_link *first = NULL;
        int others[2], count = 0;
        for (int i = 2; i >= 0; --i)
            list_add(&first, &items[i].links);
        for (int i = 0; i < 3; ++i)
            if (i != left)
                others[count++] = i;
        list_remove(&first, &items[left].links);
        assert_numbers(first, 2, others);
        list_add(&first, &items[left].links);
        assert_numbers(first, 3, (const int[]){left, others[0], others[1]});
    }
}

TEST(a_list_that_all_have_left_is_empty)
{
    item items[2] = {{.number = 1}, {.number = 2}};
    list_link *first = NULL;
    list_add(&first, &items[0].links);
    list_add(&first, &items[1].links);
    list_remove(&first, &items[0].links);
    list_remove(&first, &items[1].links);
    assert_null(first);
}
