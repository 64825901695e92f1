/* SPDX-License-Identifier: Apache-2.0 */
/* The names in scope while a kernel is read: chained buckets, each name at the head of its chain.
 * Names are removed in reverse order, so the end of a block only removes heads. */
#include "kernel/lexer.h"
#include <string.h>

typedef struct entry {
    lexer_name name; /* borrowed: of the text that is read, or of the kernel that is checked */
    uint32_t kind, index, bucket, next; /* next: in its chain, KERNEL_NONE at the end */
} entry;

static entry *entry_at(const kernel_names *names, uint32_t at)
{
    return (entry *)(void *)names->entries.data + at;
}

static uint32_t count_entries(const kernel_names *names)
{
    return (uint32_t)(names->entries.nbytes / sizeof(entry));
}

void names_init(kernel_names *names)
{
    names->entries = (base_vec){0};
    names->depth = 0;
    memset(names->buckets, 0xff, sizeof names->buckets); /* KERNEL_NONE */
}

void names_clear(kernel_names *names)
{
    vec_clear(&names->entries);
}

static uint32_t bucket_of(lexer_name name)
{
    return (uint32_t)(hash_bytes(name.text, name.length) % NAME_BUCKETS);
}

/* The entry of that name among values, or among everything else. */
static const entry *look_up(const kernel_names *names, lexer_name name, name_kind kind)
{
    uint32_t at = names->buckets[bucket_of(name)];
    while (at != KERNEL_NONE) {
        const entry *e = entry_at(names, at);
        if ((e->kind == NAME_VALUE) == (kind == NAME_VALUE) && e->name.length == name.length &&
            memcmp(e->name.text, name.text, name.length) == 0)
            return e;
        at = e->next;
    }
    return NULL;
}

uint32_t names_find(const kernel_names *names, lexer_name name, name_kind kind)
{
    const entry *e = look_up(names, name, kind);
    return e == NULL || e->kind != kind ? KERNEL_NONE : e->index;
}

bool names_taken(const kernel_names *names, lexer_name name, name_kind kind)
{
    return look_up(names, name, kind) != NULL;
}

jg_status names_enter(kernel_names *names, lexer_name name, name_kind kind, uint32_t index)
{
    uint32_t bucket = bucket_of(name), at = count_entries(names);
    entry made = {name, kind, index, bucket, names->buckets[bucket]};
    JG_TRY(vec_append(&names->entries, &made, sizeof made));
    names->buckets[bucket] = at;
    return JG_OK;
}

void names_open_scope(kernel_names *names)
{
    names->scopes[names->depth++] = count_entries(names);
}

/* From the last entry to the first, so that each is the head of its chain when it is removed. */
void names_close_scope(kernel_names *names)
{
    uint32_t keep = names->scopes[--names->depth];
    for (uint32_t at = count_entries(names); at > keep; --at) {
        const entry *e = entry_at(names, at - 1);
        names->buckets[e->bucket] = e->next;
    }
    names->entries.nbytes = keep * sizeof(entry);
}
