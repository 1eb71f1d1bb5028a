/*
 * 1. Modules of all entries get common numbers by build-id (by name where there is none).
 * 2. Scopes: each entry's are looked up in the last one's by key; one that is not there stands for
 *    its parent.
 * 3. References of each entry are sorted by key. Walking all entries' lists together, a key that
 *    all have is matched, and gets the list of its groups at each size; sorting by that list gives
 *    the common refinement.
 * 4. A group that is small at every size, in accesses and in accesses that may miss, goes to the
 *    rest of its routine; so do references that were not matched. Groups that do the same at every
 *    size (program start, mostly) have a rest of their own: their sum is constant as well.
 */
#include "fit/match.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "formats/code/instruction.h"
#include "formats/code/unit.h"

#define SMALL_SHARE 1e-4 /* of the accesses of a size, and of those that may miss */
#define MAY_MISS    16U  /* distance in blocks from which an access may miss in some cache */

struct key {
    uint32_t module; /* common number */
    uint32_t kind;   /* scopes: their kind; references: access index */
    uint64_t offset;
    uint32_t index; /* in its entry; no part of the key */
};

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* Ties by index, so that the order is one. */
static int compare_keys_and_index(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = compare_keys(a, b);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Step 1: numbers[module of `entry`] = index of the first equal module over all entries. */
static uint32_t *number_modules(const struct ft_histograms *const *entries, size_t entry)
{
    const struct ft_scopes *scopes = &entries[entry]->scopes;
    uint32_t *numbers = calloc(scopes->module_count + 1, sizeof *numbers);
    for (size_t i = 0; numbers && i < scopes->module_count; i++) {
        const struct ft_scope_module *module = &scopes->modules[i];
        uint32_t number = 0;
        bool found = false;
        for (size_t e = 0; e <= entry && !found; e++)
            for (size_t j = 0; j < entries[e]->scopes.module_count && !found; j++) {
                const struct ft_scope_module *other = &entries[e]->scopes.modules[j];
                found = strcmp(module->build_id, other->build_id) == 0 &&
                        (module->build_id[0] || strcmp(module->name, other->name) == 0);
                number += !found;
            }
        numbers[i] = number;
    }
    return numbers;
}

static uint32_t number_of(const uint32_t *numbers, uint32_t module)
{
    assert(numbers); /* the analyzer loses it on the way */
    return module == FT_NO_MODULE ? UINT32_MAX : numbers[module];
}

static struct key *scope_keys(const struct ft_scopes *scopes, const uint32_t *numbers)
{
    struct key *keys = calloc(scopes->scope_count + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < scopes->scope_count; i++)
        keys[i] = (struct key){.module = number_of(numbers, scopes->scopes[i].module),
                               .kind = scopes->scopes[i].kind,
                               .offset = scopes->scopes[i].start_offset,
                               .index = i};
    return keys;
}

/* Step 2 for one entry: last_keys are sorted. */
static int map_scopes(const struct ft_scopes *scopes, const uint32_t *numbers,
                      const struct key *last_keys, size_t last_count, uint32_t **ret_map,
                      struct ft_diag *diag)
{
    uint32_t *map = calloc(scopes->scope_count + 1, sizeof *map);
    struct key *keys = scope_keys(scopes, numbers);
    if (!map || !keys) {
        free(map);
        free(keys);
        return ft_fail_memory(diag, "the scopes of a size");
    }
    for (uint32_t i = 1; i < scopes->scope_count; i++) { /* parents come before children */
        const struct key *found =
            bsearch(&keys[i], last_keys, last_count, sizeof *last_keys, compare_keys);
        map[i] = found ? found->index : map[scopes->scopes[i].parent];
    }
    free(keys);
    *ret_map = map;
    return FT_OK;
}

static uint32_t routine_of(const struct ft_scopes *scopes, uint32_t scope)
{
    while (scopes->scopes[scope].kind == FT_SCOPE_LOOP)
        scope = scopes->scopes[scope].parent;
    return scope;
}

/* What a group does at one size. */
struct work {
    uint64_t accesses;
    uint64_t touches, may_miss; /* of all block sizes */
};

static void add_work(const struct ft_histograms *entry, uint32_t reference, struct work *work)
{
    work->accesses += entry->reference_accesses[reference];
    for (size_t size = 0; size < entry->size_count; size++) {
        const struct ft_histogram *histogram =
            &entry->histograms[reference * entry->size_count + size];
        work->touches += histogram->touches;
        work->may_miss += histogram->cold;
        for (size_t i = histogram->bin_count; i-- > 0 && histogram->bins[i].bin >= MAY_MISS;)
            work->may_miss += histogram->bins[i].count;
    }
}

/* A matched reference: where it is in each entry, and its groups there. */
struct row {
    uint32_t *references; /* [entry] */
    const struct ft_histograms *const *entries;
    size_t entry_count;
};

static uint32_t group_at(const struct row *row, size_t entry)
{
    return row->entries[entry]->scopes.references[row->references[entry]].group;
}

static int compare_groups(const struct row *a, const struct row *b)
{
    for (size_t e = a->entry_count; e-- > 0;) {
        uint32_t left = group_at(a, e), right = group_at(b, e);
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = compare_groups(a, b);
    uint32_t first = a->references[a->entry_count - 1], second = b->references[b->entry_count - 1];
    return order ? order : (first > second) - (first < second);
}

/* The keys of all references of all entries, and the rows of those that all entries have. */
struct matching {
    struct key **keys;    /* [entry], sorted */
    uint32_t *references; /* the rows' */
    struct row *rows;
    size_t row_count;
};

static void matching_fini(struct matching *matching, size_t entry_count)
{
    for (size_t e = 0; matching->keys && e < entry_count; e++)
        free(matching->keys[e]);
    free(matching->keys);
    free(matching->references);
    free(matching->rows);
}

static struct key *reference_keys(const struct ft_scopes *scopes, const uint32_t *numbers)
{
    struct key *keys = calloc(scopes->reference_count + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < scopes->reference_count; i++) {
        const struct ft_scoped_reference *reference = &scopes->references[i];
        keys[i] = (struct key){.module = number_of(numbers, reference->module),
                               .kind = reference->access_index,
                               .offset = reference->offset,
                               .index = i};
    }
    if (keys)
        qsort(keys, scopes->reference_count, sizeof *keys, compare_keys_and_index);
    return keys;
}

static bool is_fetch(const struct ft_scopes *scopes, uint32_t reference)
{
    return scopes->references[reference].kind == FT_FETCH;
}

/* Step 3: rows for the keys that all entries have. A key that stands several times in an entry
 * (code that changed) is taken the first time; the others stay unmatched. */
static int match_references(const struct ft_histograms *const *entries, size_t count,
                            uint32_t *const *numbers, struct matching *matching,
                            struct ft_diag *diag)
{
    const struct ft_scopes *last = &entries[count - 1]->scopes;
    size_t most = last->reference_count;
    matching->keys = calloc(count, sizeof *matching->keys);
    matching->references = calloc(most * count + 1, sizeof *matching->references);
    matching->rows = calloc(most + 1, sizeof *matching->rows);
    if (!matching->keys || !matching->references || !matching->rows)
        return ft_fail_memory(diag, "the references of all sizes");
    for (size_t e = 0; e < count; e++)
        if (!(matching->keys[e] = reference_keys(&entries[e]->scopes, numbers[e])))
            return ft_fail_memory(diag, "the references of all sizes");

    for (size_t i = 0; i < most; i++) {
        const struct key *key = &matching->keys[count - 1][i];
        if ((i > 0 && compare_keys(key, key - 1) == 0) || is_fetch(last, key->index))
            continue;
        struct row *row = &matching->rows[matching->row_count];
        *row = (struct row){&matching->references[matching->row_count * count], entries, count};
        bool matched = true;
        for (size_t e = 0; e < count && matched; e++) {
            const struct key *first = matching->keys[e];
            const struct key *found = bsearch(key, first, entries[e]->scopes.reference_count,
                                              sizeof *first, compare_keys);
            matched = found != NULL;
            while (matched && found > first && compare_keys(found - 1, key) == 0)
                found--;
            row->references[e] = matched ? found->index : 0;
        }
        matching->row_count += matched;
    }
    qsort(matching->rows, matching->row_count, sizeof *matching->rows, compare_rows);
    return FT_OK;
}

/* A group before it gets its number: rows [first, end), or unmatched references of a routine. */
struct draft {
    struct ft_matched_group group;
    bool constant; /* rest groups: those of groups that do the same at all sizes */
    uint32_t id;   /* where it stood before sorting */
};

static int compare_drafts(const void *left, const void *right)
{
    const struct draft *a = left, *b = right;
    if (a->group.scope != b->group.scope)
        return a->group.scope < b->group.scope ? -1 : 1;
    if (a->group.rest != b->group.rest)
        return a->group.rest ? 1 : -1;
    if (a->constant != b->constant)
        return a->constant ? 1 : -1;
    if (a->group.first_reference != b->group.first_reference)
        return a->group.first_reference < b->group.first_reference ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

struct drafts {
    struct draft *items;
    size_t count;
    uint32_t *rest_of[2]; /* [constant][scope]: the draft of its rest + 1, or 0 */
};

static uint32_t add_draft(struct drafts *drafts, uint32_t scope, bool rest, bool constant,
                          uint32_t reference)
{
    uint32_t id = (uint32_t)drafts->count++;
    drafts->items[id] = (struct draft){{scope, rest, reference}, constant, id};
    return id;
}

static uint32_t rest_draft(struct drafts *drafts, uint32_t scope, bool constant, uint32_t reference)
{
    uint32_t *slot = &drafts->rest_of[constant][scope];
    if (*slot == 0)
        *slot = add_draft(drafts, scope, true, constant, reference) + 1;
    struct ft_matched_group *group = &drafts->items[*slot - 1].group;
    if (reference < group->first_reference)
        group->first_reference = reference;
    return *slot - 1;
}

/* Whether rows [first, end) are small at every size, and whether they do the same at all. */
static void judge(const struct matching *matching, size_t first, size_t end,
                  const struct ft_histograms *const *entries, const struct work *totals,
                  size_t count, bool *ret_small, bool *ret_constant)
{
    struct work before = {0};
    *ret_small = *ret_constant = true;
    for (size_t e = 0; e < count; e++) {
        struct work work = {0};
        for (size_t i = first; i < end; i++)
            add_work(entries[e], matching->rows[i].references[e], &work);
        *ret_small = *ret_small &&
                     (double)work.accesses < SMALL_SHARE * (double)totals[e].accesses &&
                     (double)work.may_miss <= SMALL_SHARE * (double)totals[e].may_miss;
        if (e > 0 && memcmp(&work, &before, sizeof work) != 0)
            *ret_constant = false;
        before = work;
    }
}

/* Step 4 for matched references. */
static void draft_groups(struct ft_match *match, const struct matching *matching,
                         const struct ft_histograms *const *entries, const struct work *totals,
                         struct drafts *drafts)
{
    size_t count = match->entry_count;
    const struct ft_histograms *last = entries[count - 1];
    for (size_t first = 0, end; first < matching->row_count; first = end) {
        for (end = first + 1; end < matching->row_count; end++)
            if (compare_groups(&matching->rows[first], &matching->rows[end]) != 0)
                break;
        uint32_t reference = matching->rows[first].references[count - 1];
        uint32_t scope = last->scopes.references[reference].scope;
        bool small, constant;
        judge(matching, first, end, entries, totals, count, &small, &constant);
        uint32_t id =
            small ? rest_draft(drafts, routine_of(&last->scopes, scope), constant, reference)
                  : add_draft(drafts, scope, false, false, reference);
        for (size_t i = first; i < end; i++)
            for (size_t e = 0; e < count; e++)
                match->group_of[e][matching->rows[i].references[e]] = id;
    }
}

/* Step 4 for the others. */
static void draft_unmatched(struct ft_match *match, const struct ft_histograms *const *entries,
                            struct drafts *drafts)
{
    size_t last = match->entry_count - 1;
    for (size_t e = 0; e <= last; e++) {
        uint32_t *group_of = match->group_of[e];
        const uint32_t *scope_of = match->scope_of[e];
        assert(group_of && scope_of);
        for (uint32_t i = 0; i < entries[e]->scopes.reference_count; i++) {
            if (group_of[i] != FT_NO_GROUP || is_fetch(&entries[e]->scopes, i))
                continue;
            uint32_t scope = scope_of[entries[e]->scopes.references[i].scope];
            scope = routine_of(&entries[last]->scopes, scope);
            group_of[i] = rest_draft(drafts, scope, false, e == last ? i : UINT32_MAX);
        }
    }
}

/* Puts the drafts in order and gives the groups their final numbers. */
static int number_groups(struct ft_match *match, const struct ft_histograms *const *entries,
                         struct drafts *drafts, struct ft_diag *diag)
{
    uint32_t *number = calloc(drafts->count + 1, sizeof *number);
    match->groups = calloc(drafts->count + 1, sizeof *match->groups);
    if (!number || !match->groups) {
        free(number);
        return ft_fail_memory(diag, "groups");
    }
    qsort(drafts->items, drafts->count, sizeof *drafts->items, compare_drafts);
    for (uint32_t i = 0; i < drafts->count; i++) {
        number[drafts->items[i].id] = i;
        match->groups[i] = drafts->items[i].group;
    }
    match->group_count = drafts->count;
    for (size_t e = 0; e < match->entry_count; e++) {
        uint32_t *group_of = match->group_of[e];
        assert(group_of);
        for (size_t i = 0; i < entries[e]->scopes.reference_count; i++)
            if (group_of[i] != FT_NO_GROUP)
                group_of[i] = number[group_of[i]];
    }
    free(number);
    return FT_OK;
}

static int make_groups(struct ft_match *match, const struct ft_histograms *const *entries,
                       const struct matching *matching, struct ft_diag *diag)
{
    size_t count = match->entry_count;
    const struct ft_scopes *last = &entries[count - 1]->scopes;
    struct drafts drafts = {0};
    struct work *totals = calloc(count, sizeof *totals);
    drafts.items = calloc(matching->row_count + 2 * last->scope_count + 1, sizeof *drafts.items);
    drafts.rest_of[0] = calloc(last->scope_count + 1, sizeof *drafts.rest_of[0]);
    drafts.rest_of[1] = calloc(last->scope_count + 1, sizeof *drafts.rest_of[1]);
    int status = FT_OK;
    if (!totals || !drafts.items || !drafts.rest_of[0] || !drafts.rest_of[1]) {
        status = ft_fail_memory(diag, "groups");
    } else {
        uint64_t matched = 0;
        for (size_t e = 0; e < count; e++)
            for (uint32_t i = 0; i < entries[e]->scopes.reference_count; i++)
                add_work(entries[e], i, &totals[e]);
        for (size_t i = 0; i < matching->row_count; i++)
            matched +=
                entries[count - 1]->reference_accesses[matching->rows[i].references[count - 1]];
        uint64_t all = totals[count - 1].accesses;
        match->matched_share = all ? (double)matched / (double)all : 1;
        draft_groups(match, matching, entries, totals, &drafts);
        draft_unmatched(match, entries, &drafts);
        status = number_groups(match, entries, &drafts, diag);
    }
    free(totals);
    free(drafts.items);
    free(drafts.rest_of[0]);
    free(drafts.rest_of[1]);
    return status;
}

static int allocate(struct ft_match *match, const struct ft_histograms *const *entries,
                    uint32_t **numbers, struct ft_diag *diag)
{
    size_t count = match->entry_count;
    match->group_of = calloc(count, sizeof *match->group_of);
    match->scope_of = calloc(count, sizeof *match->scope_of);
    if (!match->group_of || !match->scope_of)
        return ft_fail_memory(diag, "the match of sizes");
    for (size_t e = 0; e < count; e++) {
        size_t references = entries[e]->scopes.reference_count;
        match->group_of[e] = malloc((references + 1) * sizeof **match->group_of);
        numbers[e] = number_modules(entries, e);
        if (!match->group_of[e] || !numbers[e])
            return ft_fail_memory(diag, "the match of sizes");
        memset(match->group_of[e], 0xff, references * sizeof **match->group_of);
    }
    return FT_OK;
}

static int map_all_scopes(struct ft_match *match, const struct ft_histograms *const *entries,
                          uint32_t *const *numbers, struct ft_diag *diag)
{
    size_t count = match->entry_count;
    const struct ft_scopes *last = &entries[count - 1]->scopes;
    struct key *keys = scope_keys(last, numbers[count - 1]);
    if (!keys)
        return ft_fail_memory(diag, "scopes");
    qsort(keys, last->scope_count, sizeof *keys, compare_keys_and_index);
    int status = FT_OK;
    for (size_t e = 0; e < count && status == FT_OK; e++)
        status = map_scopes(&entries[e]->scopes, numbers[e], keys, last->scope_count,
                            &match->scope_of[e], diag);
    free(keys);
    return status;
}

int ft_match_init(struct ft_match *match, const struct ft_histograms *const *entries, size_t count,
                  struct ft_diag *diag)
{
    *match = (struct ft_match){.entry_count = count};
    struct matching matching = {0};
    if (count == 0)
        return ft_fail(diag, FT_ERROR_USAGE, "no sizes to match");
    uint32_t **numbers = calloc(count, sizeof *numbers);
    if (!numbers)
        return ft_fail_memory(diag, "the match of sizes");
    int status = allocate(match, entries, numbers, diag);
    if (status == FT_OK)
        status = map_all_scopes(match, entries, numbers, diag);
    if (status == FT_OK)
        status = match_references(entries, count, numbers, &matching, diag);
    if (status == FT_OK)
        status = make_groups(match, entries, &matching, diag);
    for (size_t e = 0; e < count; e++)
        free(numbers[e]);
    free(numbers);
    matching_fini(&matching, count);
    if (status < 0)
        ft_match_fini(match);
    return status;
}

void ft_match_fini(struct ft_match *match)
{
    for (size_t e = 0; e < match->entry_count; e++) {
        if (match->group_of)
            free(match->group_of[e]);
        if (match->scope_of)
            free(match->scope_of[e]);
    }
    free(match->group_of);
    free(match->scope_of);
    free(match->groups);
    *match = (struct ft_match){0};
}
