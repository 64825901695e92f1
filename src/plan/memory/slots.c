/* SPDX-License-Identifier: Apache-2.0 */
/* Decides where each value that goes through memory lies: in the buffer of its own node, in that of
 * the result that is written over it later, or in a temporary that other values use before and
 * after it. A temporary is memory of its own, or the buffer of a result that is written when the
 * last of its values has been read.
 *
 * A launch that computes in place may write a value over an operand that it is the last to read.
 */
#include "plan/memory/temps.h"
#include "plan/steps.h"

enum {
    TEMP_CLASSES = 256, /* sizes of temporaries, four for each doubling */
    NEAR_CLASSES = 12,  /* those up to eight times the size */
    MAX_LOANS = 64      /* buffers of results that are looked at for a temporary */
};

/* Roots ascend with the launches, and a group reads only slots below its root. */
static void find_last_uses(plan_draft *draft, const jg_plan *plan)
{
    for (int i = 0; i < plan->nlaunches; ++i) {
        const plan_launch *launch = &plan->launches[i];
        for (int j = 0; j < launch->noperands; ++j)
            if (launch->operands[j].slot >= 0)
                draft->nodes[launch->operands[j].slot].last_use = i;
    }
}

/* The launch that this one follows, or NULL. The two run at the same time: what the first reads
 * must not be written by either. */
static const plan_launch *followed_by(const jg_plan *plan, int launch)
{
    if (launch == 0 || plan->launches[launch - 1].follower_unit == 0)
        return NULL;
    return &plan->launches[launch - 1];
}

/* The slots whose memory an output of the launch may have, as a bit set of operands. */
static uint32_t find_in_place(const jg_plan *plan, int index, int slot)
{
    const plan_launch *launch = &plan->launches[index], *before = followed_by(plan, index);
    uint32_t found = 0;
    for (int i = 0; i < launch->noperands; ++i)
        if (launch->operands[i].slot == slot)
            found |= launch->operands[i].in_place;
    for (int i = 0; i < launch->noperands && before != NULL; ++i)
        if (plan_is_read_by(before, launch->operands[i].slot))
            found &= ~(1u << i);
    return found;
}

/* Whether a result may be written over the slot's memory: nothing outside the graph holds the slot,
 * the launch is the last one that reads it, and it is as large. */
static bool may_share(const plan_draft *draft, int slot, int launch, int64_t size)
{
    const jg_array *x = walk_nodes(draft->walk)[slot];
    const plan_node *node = &draft->nodes[slot];
    return node->group >= 0 && node->output && !x->stored && node->home < 0 &&
           node->last_use == launch && x->size == size;
}

/* Gives the home of the slot, if it has one, to what the launch overwrites to make it. */
static void pass_home_on(const jg_plan *plan, plan_draft *draft, int slot, int launch)
{
    const plan_launch *own = &plan->launches[launch];
    plan_node *node = &draft->nodes[slot];
    const jg_array *x = walk_nodes(draft->walk)[slot];
    node->home = x->stored ? slot : node->home;
    if (node->home < 0)
        return;
    for (uint32_t set = find_in_place(plan, launch, slot); set != 0; set &= set - 1) {
        int read = own->operands[__builtin_ctz(set)].slot;
        if (!may_share(draft, read, launch, x->size))
            continue;
        draft->nodes[read].home = node->home;
        node->goes_on = true;
        return;
    }
}

/* From the last launch to the first, so that a chain of values, each written over the one before,
 * lies in the memory of the result that it ends in. */
static void find_homes(const jg_plan *plan, plan_draft *draft)
{
    for (int slot = 0; slot < plan->nslots; ++slot)
        draft->nodes[slot].home = -1;
    for (int i = plan->nlaunches - 1; i >= 0; --i) {
        const plan_group *group = &draft_groups(draft)[plan->nlaunches - 1 - i];
        for (int slot = group->first; slot >= 0; slot = draft->nodes[slot].next)
            if (draft->nodes[slot].output)
                pass_home_on(plan, draft, slot, i);
    }
}

/* The buffer of a result, for temporaries until the result is written. */
typedef struct temp_loan {
    int home, written; /* the slot, and the launch that first writes to its buffer */
    int temp;          /* -1 before it is first used */
    size_t nbytes;
} temp_loan;

/* Free temporaries, queued by the first launch that may reuse each; when that is reached, one goes
 * to the list of its class, unless it was taken over meanwhile: then it is queued again later. So
 * planning takes linear time. */
typedef struct temp_pool {
    int *free_at;            /* by temporary: the first launch that may have it */
    int *next_free;          /* by temporary, on the list of its class */
    int *noted, *next_noted; /* by note: a temporary, and the next note for the same launch */
    int *first_noted;        /* by launch; -1 ends each list */
    int nnotes, reached;     /* launches below this one have been reached */
    int first_free[TEMP_CLASSES];
    base_vec loans; /* temp_loan, by the launch that ends each */
    base_vec uses;  /* temp_use */
    int *loan_of;   /* by temporary: the number of its loan, -1 for memory of its own */
} temp_pool;

static temp_loan *pool_loans(const temp_pool *pool)
{
    return (temp_loan *)(void *)pool->loans.data;
}

/* Four for each doubling. */
static int temp_class_of(size_t nbytes)
{
    if (nbytes <= 4)
        return 0;
    int bits = 63 - __builtin_clzll(nbytes - 1);
    return bits * 4 + (int)((nbytes - 1) >> (bits - 2) & 3);
}

/* Whether the slot may take over a leaf's buffer when the plan is run, so that no other value may
 * be placed there. */
static bool may_have_donor(const jg_plan *plan, const plan_draft *draft, int slot, int launch)
{
    const plan_launch *own = &plan->launches[launch];
    for (uint32_t set = find_in_place(plan, launch, slot); set != 0; set &= set - 1) {
        int read = own->operands[__builtin_ctz(set)].slot;
        if (draft->nodes[read].group < 0 && draft->nodes[read].last_use == launch)
            return true;
    }
    return false;
}

/* The slot is the first that is written to its home. */
static jg_status add_loan(const jg_plan *plan, const plan_draft *draft, int slot, int launch,
                          temp_pool *pool)
{
    int home = draft->nodes[slot].home;
    const jg_array *x = walk_nodes(draft->walk)[home];
    temp_loan loan = {.home = home, .written = launch, .temp = -1};
    if (may_have_donor(plan, draft, slot, launch))
        return JG_OK;
    JG_TRY(dtype_nbytes((jg_dtype)x->dtype, x->size, &loan.nbytes));
    return vec_append(&pool->loans, &loan, sizeof loan);
}

/* Slots that begin their homes, in the order of the launches. */
static jg_status find_loans(const jg_plan *plan, const plan_draft *draft, temp_pool *pool)
{
    for (int i = 0; i < plan->nlaunches; ++i) {
        const plan_group *group = &draft_groups(draft)[plan->nlaunches - 1 - i];
        for (int slot = group->first; slot >= 0; slot = draft->nodes[slot].next) {
            const plan_node *node = &draft->nodes[slot];
            if (node->output && node->home >= 0 && !node->goes_on)
                JG_TRY(add_loan(plan, draft, slot, i, pool));
        }
    }
    return JG_OK;
}

/* The pool's block is free_at, for base_free. */
static jg_status pool_init(temp_pool *pool, const jg_plan *plan)
{
    size_t nslots = (size_t)plan->nslots, nlaunches = (size_t)plan->nlaunches + 2;
    size_t nbytes = (5 * nslots + nlaunches) * sizeof(int);
    pool->free_at = base_alloc(nbytes);
    if (pool->free_at == NULL)
        return base_nomem(nbytes, "a plan");
    pool->next_free = pool->free_at + nslots;
    pool->noted = pool->next_free + nslots;
    pool->next_noted = pool->noted + nslots;
    pool->loan_of = pool->next_noted + nslots;
    pool->first_noted = pool->loan_of + nslots;
    pool->nnotes = pool->reached = 0;
    for (size_t i = 0; i < nlaunches; ++i)
        pool->first_noted[i] = -1;
    for (int i = 0; i < TEMP_CLASSES; ++i)
        pool->first_free[i] = -1;
    return JG_OK;
}

/* From that launch on the temporary is free. What is taken over may have been noted for the same
 * launch; a second note would give it away twice. */
static void note_free(temp_pool *pool, int temp, int launch)
{
    if (pool->free_at[temp] == launch)
        return;
    pool->free_at[temp] = launch;
    pool->noted[pool->nnotes] = temp;
    pool->next_noted[pool->nnotes] = pool->first_noted[launch];
    pool->first_noted[launch] = pool->nnotes++;
}

static void reach(temp_pool *pool, const jg_plan *plan, int launch)
{
    for (; pool->reached <= launch; ++pool->reached)
        for (int i = pool->first_noted[pool->reached]; i >= 0; i = pool->next_noted[i]) {
            int temp = pool->noted[i];
            if (pool->free_at[temp] != pool->reached || pool->loan_of[temp] >= 0)
                continue;
            int *first = &pool->first_free[temp_class_of(plan->temps[temp])];
            pool->next_free[temp] = *first;
            *first = temp;
        }
}

static int new_temp(jg_plan *plan, temp_pool *pool, size_t nbytes, int loan)
{
    int temp = plan->ntemps++;
    plan->temps[temp] = nbytes;
    pool->free_at[temp] = -1;
    pool->loan_of[temp] = loan;
    return temp;
}

/* The number of the first loan that ends after a launch. */
static int first_loan_after(const temp_pool *pool, int launch)
{
    const temp_loan *loans = pool_loans(pool);
    int low = 0, high = (int)(pool->loans.nbytes / sizeof *loans);
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (loans[middle].written > launch)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Finds the buffer of a result that is free from the launch until the last use, the smallest of
 * those that end next; -1 if there is none. */
static int borrow_temp(jg_plan *plan, temp_pool *pool, int launch, int last_use, size_t nbytes)
{
    temp_loan *loans = pool_loans(pool);
    int count = (int)(pool->loans.nbytes / sizeof *loans), found = -1;
    int first = first_loan_after(pool, last_use);
    int end = count - first > MAX_LOANS ? first + MAX_LOANS : count;
    for (int i = first; i < end; ++i) {
        bool is_free = loans[i].temp < 0 || pool->free_at[loans[i].temp] <= launch;
        if (is_free && loans[i].nbytes >= nbytes &&
            (found < 0 || loans[i].nbytes < loans[found].nbytes))
            found = i;
    }
    if (found >= 0 && loans[found].temp < 0)
        loans[found].temp = new_temp(plan, pool, loans[found].nbytes, found);
    return found >= 0 ? loans[found].temp : -1;
}

/* Takes the first free temporary of the classes from one on up to before another, either way; -1 if
 * there is none. */
static int take_of_classes(temp_pool *pool, int from, int end)
{
    int step = from < end ? 1 : -1;
    for (int i = from; i != end && i >= 0 && i < TEMP_CLASSES; i += step) {
        int temp = pool->first_free[i];
        if (temp < 0)
            continue;
        pool->first_free[i] = pool->next_free[temp];
        return temp;
    }
    return -1;
}

/* A free temporary of the size or a larger one, or a result's buffer, or a smaller temporary that
 * grows, or a new one. None is much larger or smaller: what comes later may need just that. */
static int take_temp(jg_plan *plan, temp_pool *pool, int launch, int last_use, size_t nbytes)
{
    int size_class = temp_class_of(nbytes);
    reach(pool, plan, launch);
    int temp = take_of_classes(pool, size_class, size_class + NEAR_CLASSES);
    if (temp < 0)
        temp = borrow_temp(plan, pool, launch, last_use, nbytes);
    if (temp < 0)
        temp = take_of_classes(pool, size_class - 1, size_class - NEAR_CLASSES);
    if (temp < 0)
        temp = new_temp(plan, pool, nbytes, -1);
    if (plan->temps[temp] < nbytes)
        plan->temps[temp] = nbytes;
    return temp;
}

/* Whether the temporary is there as long as the slot is read. */
static bool lasts(const temp_pool *pool, int temp, int last_use)
{
    int loan = pool->loan_of[temp];
    return loan < 0 || pool_loans(pool)[loan].written > last_use;
}

/* A temporary that the launch reads where it writes the slot, and that is not read after it; -1 if
 * there is none, or another output has it. */
static int take_over_temp(const jg_plan *plan, int slot, int launch, int last_use,
                          const temp_pool *pool)
{
    const plan_launch *own = &plan->launches[launch];
    for (uint32_t set = find_in_place(plan, launch, slot); set != 0; set &= set - 1) {
        const plan_slot *read = &plan->slots[own->operands[__builtin_ctz(set)].slot];
        if (read->kind == SLOT_TEMP && pool->free_at[read->temp] == launch + 1 &&
            lasts(pool, read->temp, last_use))
            return read->temp;
    }
    return -1;
}

/* The leaves that are not read after this launch, for the slot's memory: whether one may be taken
 * is known when the plan is run. */
static jg_status find_donors(jg_plan *plan, const plan_draft *draft, int slot, int launch)
{
    const plan_launch *own = &plan->launches[launch];
    plan_slot *home = &plan->slots[draft->nodes[slot].home];
    home->first = (int)(plan->donors.nbytes / sizeof(int));
    for (uint32_t set = find_in_place(plan, launch, slot); set != 0; set &= set - 1) {
        int read = own->operands[__builtin_ctz(set)].slot;
        if (plan->slots[read].kind != SLOT_LEAF || draft->nodes[read].last_use != launch)
            continue;
        JG_TRY(vec_append(&plan->donors, &read, sizeof read));
        home->ndonors += 1;
    }
    return JG_OK;
}

/* A home's donors are found where its chain begins, which is a launch before the one that stores
 * it, so they are kept here. The follower of a routine runs at the same time as the routine. It may
 * not use a temporary that becomes free with the routine, so the launch before the routine
 * counts. */
static jg_status store_slot(jg_plan *plan, const plan_draft *draft, int slot, int launch,
                            temp_pool *pool)
{
    const jg_array *x = walk_nodes(draft->walk)[slot];
    const plan_node *node = &draft->nodes[slot];
    plan_slot *home = &plan->slots[slot];
    size_t nbytes;
    JG_TRY(dtype_nbytes((jg_dtype)x->dtype, x->size, &nbytes));
    if (node->home >= 0) {
        *home = (plan_slot){.kind = x->stored ? SLOT_STORED : SLOT_SHARED,
                            .home = node->home,
                            .nbytes = nbytes,
                            .ndonors = home->ndonors,
                            .first = home->first};
        return node->goes_on ? JG_OK : find_donors(plan, draft, slot, launch);
    }
    /* A value that nothing reads is written all the same. The follower of the last launch that
     * reads a value runs at the same time as that launch. */
    int last_use = int_max(node->last_use, launch);
    int until = last_use + (followed_by(plan, last_use + 1) != NULL);
    int from = launch - (followed_by(plan, launch) != NULL);
    int temp = take_over_temp(plan, slot, launch, until, pool);
    if (temp < 0)
        temp = take_temp(plan, pool, from, until, nbytes);
    note_free(pool, temp, last_use + 1);
    *home = (plan_slot){.kind = SLOT_TEMP, .temp = temp, .nbytes = nbytes};
    temp_use use = {temp, from, until};
    return vec_append(&pool->uses, &use, sizeof use);
}

/* Groups are ordered by descending root, launches by ascending root. */
static jg_status store_launch(jg_plan *plan, const plan_draft *draft, int index, temp_pool *pool)
{
    const plan_group *group = &draft_groups(draft)[draft_group_count(draft) - 1 - index];
    for (int slot = group->first; slot >= 0; slot = draft->nodes[slot].next) {
        plan->slots[slot].kind = SLOT_FUSED;
        if (draft->nodes[slot].output)
            JG_TRY(store_slot(plan, draft, slot, index, pool));
    }
    return JG_OK;
}

int plan_memory_of(const jg_plan *plan, int slot)
{
    if (slot < 0)
        return -1;
    switch ((slot_kind)plan->slots[slot].kind) {
    case SLOT_LEAF:
    case SLOT_STORED: return slot;
    case SLOT_SHARED: return plan->slots[slot].home;
    case SLOT_TEMP: return plan->nslots + plan->slots[slot].temp;
    case SLOT_FUSED: break;
    }
    return -1;
}

jg_status plan_list_slots(jg_plan *plan)
{
    int counts[SLOT_FUSED + 1] = {0};
    size_t nbytes = (size_t)plan->nslots * sizeof *plan->leaves;
    if ((plan->leaves = base_alloc(nbytes)) == NULL)
        return base_nomem(nbytes, "a plan");
    for (int i = 0; i < plan->nslots; ++i)
        counts[plan->slots[i].kind] += 1;
    plan->stored = plan->leaves + counts[SLOT_LEAF];
    plan->housed = plan->stored + counts[SLOT_STORED];
    for (int i = 0; i < plan->nslots; ++i)
        switch ((slot_kind)plan->slots[i].kind) {
        case SLOT_LEAF: plan->leaves[plan->nleaves++] = i; break;
        case SLOT_STORED: plan->stored[plan->nstored++] = i; break;
        case SLOT_SHARED:
        case SLOT_TEMP: plan->housed[plan->nhoused++] = i; break;
        case SLOT_FUSED: break;
        }
    return JG_OK;
}

/* Drops the uses of loans, and gives the others the numbers of temporaries that are left. */
static void number_uses(temp_pool *pool, const int *number)
{
    temp_use *uses = (temp_use *)(void *)pool->uses.data;
    size_t count = pool->uses.nbytes / sizeof *uses, kept = 0;
    for (size_t i = 0; i < count; ++i)
        if (pool->loan_of[uses[i].temp] < 0)
            uses[kept++] = (temp_use){number[uses[i].temp], uses[i].first, uses[i].last};
    pool->uses.nbytes = kept * sizeof *uses;
}

/* A value in a result's buffer is not a temporary for the room run. */
static void settle_loans(jg_plan *plan, temp_pool *pool)
{
    int *number = pool->next_free, count = 0; /* of the temporaries that are left */
    for (int i = 0; i < plan->ntemps; ++i) {
        if (pool->loan_of[i] >= 0)
            continue;
        plan->temps[count] = plan->temps[i];
        number[i] = count++;
    }
    plan->ntemps = count;
    for (int i = 0; i < plan->nslots; ++i) {
        plan_slot *slot = &plan->slots[i];
        if (slot->kind != SLOT_TEMP)
            continue;
        int loan = pool->loan_of[slot->temp];
        if (loan >= 0)
            *slot = (plan_slot){
                .kind = SLOT_SHARED, .home = pool_loans(pool)[loan].home, .nbytes = slot->nbytes};
        else
            slot->temp = number[slot->temp];
    }
    number_uses(pool, number);
}

static jg_status merge_temps(jg_plan *plan, temp_pool *pool)
{
    const temp_use *uses = (const temp_use *)(const void *)pool->uses.data;
    int *into = pool->noted, *number = pool->next_noted, count = 0;
    /* A value is read up to what follows its last launch, which may be none. */
    JG_TRY(plan_merge_temps(plan->ntemps, plan->temps, plan->nlaunches + 1,
                            pool->uses.nbytes / sizeof *uses, uses, into));
    for (int i = 0; i < plan->ntemps; ++i) {
        if (into[i] != i)
            continue;
        plan->temps[count] = plan->temps[i];
        number[i] = count++;
    }
    plan->ntemps = count;
    for (int i = 0; i < plan->nslots; ++i)
        if (plan->slots[i].kind == SLOT_TEMP)
            plan->slots[i].temp = number[into[plan->slots[i].temp]];
    return JG_OK;
}

jg_status plan_store_slots(jg_plan *plan, plan_draft *draft)
{
    temp_pool pool = {.free_at = NULL};
    JG_TRY(pool_init(&pool, plan));
    find_last_uses(draft, plan);
    find_homes(plan, draft);
    jg_status status = find_loans(plan, draft, &pool);
    for (int i = 0; i < plan->nlaunches && status == JG_OK; ++i)
        status = store_launch(plan, draft, i, &pool);
    if (status == JG_OK) {
        settle_loans(plan, &pool);
        status = merge_temps(plan, &pool);
    }
    vec_clear(&pool.loans);
    vec_clear(&pool.uses);
    base_free(pool.free_at);
    return status;
}
