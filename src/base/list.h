/* SPDX-License-Identifier: Apache-2.0 */
/* Doubly linked lists whose links are members of what is listed. So listing allocates nothing, and
 * what is listed leaves without a search. A list is a pointer to its first link, and NULL while it
 * is empty. Who has a list guards it: nothing here locks. */
#ifndef JG_BASE_LIST_H
#define JG_BASE_LIST_H

#include <stddef.h>

typedef struct list_link {
    struct list_link *previous, *next;
} list_link;

/* What the link is a member of. link: not NULL */
#define JG_LIST_ITEM(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

/* Puts a link that is on no list before all others. */
static inline void list_add(list_link **first, list_link *link)
{
    link->previous = NULL;
    link->next = *first;
    if (*first != NULL)
        (*first)->previous = link;
    *first = link;
}

/* Takes a link off the list that it is on. */
static inline void list_remove(list_link **first, list_link *link)
{
    if (link->previous != NULL)
        link->previous->next = link->next;
    else
        *first = link->next;
    if (link->next != NULL)
        link->next->previous = link->previous;
}

#endif
