/*
 * 1. What the sizes have in common (matched_parts.h).
 * 2. A part that is small at every size, in accesses and in accesses that may miss, goes to the
 *    remainder of its routine, as do references that were not matched. Parts that do the same at
 *    every size (program start, mostly) have a remainder of their own: their sum is constant as
 *    well.
 */
#include "fit/matching/match.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/match/scope_locations.h"
#include "fit/matching/matched_parts.h"
#include "formats/x86/instruction.h"

#define SMALL_SHARE 1e-4 /* of the accesses of a size, and of those that may miss */
#define MAY_MISS    16U  /* distance in blocks from which an access may miss in some cache */

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

static bool is_fetch(const struct ft_scopes *scopes, uint32_t reference)
{
    return scopes->references[reference].kind == FT_FETCH;
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

/* Whether a part is small at every size, and whether it does the same at all. work: [entry]. */
static void judge(const struct work *work, const struct work *totals, size_t count, bool *ret_small,
                  bool *ret_constant)
{
    *ret_small = *ret_constant = true;
    for (size_t e = 0; e < count; e++) {
        *ret_small = *ret_small &&
                     (double)work[e].accesses < SMALL_SHARE * (double)totals[e].accesses &&
                     (double)work[e].may_miss <= SMALL_SHARE * (double)totals[e].may_miss;
        if (e > 0 && memcmp(&work[e], &work[e - 1], sizeof *work) != 0)
            *ret_constant = false;
    }
}

/* Step 2 for parts. works: [part][entry]. */
static int draft_groups(struct ft_match *match, const struct ft_matched_parts *parts,
                        const struct ft_histograms *const *entries, const struct work *works,
                        const struct work *totals, struct drafts *drafts, struct ft_diag *diag)
{
    const size_t count = match->entry_count;
    const struct ft_scopes *last = &entries[count - 1]->scopes;
    uint32_t *id_of = calloc(parts->part_count + 1, sizeof *id_of);
    if (!id_of)
        return ft_fail_memory(diag, "groups");
    for (size_t p = 0; p < parts->part_count; p++) {
        const uint32_t reference = parts->first_reference[p];
        const uint32_t scope = last->references[reference].scope;
        bool small, constant;
        judge(&works[p * count], totals, count, &small, &constant);
        id_of[p] = small ? rest_draft(drafts, ft_scope_routine(last, scope), constant, reference)
                         : add_draft(drafts, scope, false, false, reference);
    }
    for (size_t e = 0; e < count; e++)
        for (size_t i = 0; i < entries[e]->scopes.reference_count; i++)
            if (parts->part_of[e][i] != FT_NO_PART)
                match->group_of[e][i] = id_of[parts->part_of[e][i]];
    free(id_of);
    return FT_OK;
}

/* Step 2 for the others. */
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
            scope = ft_scope_routine(&entries[last]->scopes, scope);
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

/* works: [part][entry]; totals: [entry]. */
static void add_all_work(const struct ft_matched_parts *parts,
                         const struct ft_histograms *const *entries, struct work *works,
                         struct work *totals)
{
    for (size_t e = 0; e < parts->entry_count; e++)
        for (uint32_t i = 0; i < entries[e]->scopes.reference_count; i++) {
            const uint32_t part = parts->part_of[e][i];
            if (is_fetch(&entries[e]->scopes, i))
                continue;
            add_work(entries[e], i, &totals[e]);
            if (part != FT_NO_PART)
                add_work(entries[e], i, &works[part * parts->entry_count + e]);
        }
}

static int make_groups(struct ft_match *match, const struct ft_matched_parts *parts,
                       const struct ft_histograms *const *entries, struct ft_diag *diag)
{
    const size_t count = match->entry_count;
    const struct ft_scopes *last = &entries[count - 1]->scopes;
    struct drafts drafts = {0};
    struct work *totals = calloc(count, sizeof *totals);
    struct work *works = calloc(parts->part_count * count + 1, sizeof *works);
    drafts.items = calloc(parts->part_count + 2 * last->scope_count + 1, sizeof *drafts.items);
    drafts.rest_of[0] = calloc(last->scope_count + 1, sizeof *drafts.rest_of[0]);
    drafts.rest_of[1] = calloc(last->scope_count + 1, sizeof *drafts.rest_of[1]);
    int status = FT_OK;
    if (!totals || !works || !drafts.items || !drafts.rest_of[0] || !drafts.rest_of[1]) {
        status = ft_fail_memory(diag, "groups");
    } else {
        uint64_t matched = 0;
        add_all_work(parts, entries, works, totals);
        for (size_t p = 0; p < parts->part_count; p++)
            matched += works[p * count + count - 1].accesses;
        uint64_t all = totals[count - 1].accesses;
        match->matched_share = all ? (double)matched / (double)all : 1;
        status = draft_groups(match, parts, entries, works, totals, &drafts, diag);
    }
    if (status == FT_OK) {
        draft_unmatched(match, entries, &drafts);
        status = number_groups(match, entries, &drafts, diag);
    }
    free(totals);
    free(works);
    free(drafts.items);
    free(drafts.rest_of[0]);
    free(drafts.rest_of[1]);
    return status;
}

int ft_match_init(struct ft_match *match, const struct ft_histograms *const *entries, size_t count,
                  struct ft_diag *diag)
{
    *match = (struct ft_match){.entry_count = count};
    struct ft_matched_parts parts = {0};
    if (count == 0)
        return ft_fail(diag, FT_ERROR_USAGE, "no sizes to match");
    match->build_count = ft_count_builds(entries, count);
    int status = match->build_count > 1 ? ft_parts_of_builds(entries, count, &parts, diag)
                                        : ft_parts_of_build(entries, count, &parts, diag);
    if (status < 0)
        return status;
    match->scope_of = parts.scope_of;
    match->is_same = parts.is_same;
    parts.scope_of = NULL;
    parts.is_same = NULL;
    match->group_of = calloc(count, sizeof *match->group_of);
    for (size_t e = 0; match->group_of && e < count; e++) {
        const size_t references = entries[e]->scopes.reference_count;
        match->group_of[e] = malloc((references + 1) * sizeof **match->group_of);
        if (!match->group_of[e])
            status = ft_fail_memory(diag, "the match of sizes");
        else
            memset(match->group_of[e], 0xff, references * sizeof **match->group_of);
    }
    if (!match->group_of)
        status = ft_fail_memory(diag, "the match of sizes");
    if (status == FT_OK)
        status = make_groups(match, &parts, entries, diag);
    ft_matched_parts_fini(&parts);
    if (status < 0)
        ft_match_fini(match);
    return status;
}

int ft_match_scopes(struct ft_match *match, const struct ft_histograms *const *entries,
                    size_t count, struct ft_diag *diag)
{
    struct ft_matched_parts parts = {0};
    *match = (struct ft_match){.entry_count = count, .build_count = 1};
    FT_TRY(ft_scopes_of_build(entries, count, &parts, diag));
    match->scope_of = parts.scope_of;
    match->is_same = parts.is_same;
    parts.scope_of = NULL;
    parts.is_same = NULL;
    ft_matched_parts_fini(&parts);
    return FT_OK;
}

void ft_match_fini(struct ft_match *match)
{
    for (size_t e = 0; e < match->entry_count; e++) {
        if (match->group_of)
            free(match->group_of[e]);
        if (match->scope_of)
            free(match->scope_of[e]);
        if (match->is_same)
            free(match->is_same[e]);
    }
    free(match->group_of);
    free(match->scope_of);
    free(match->is_same);
    free(match->groups);
    *match = (struct ft_match){0};
}

void ft_match_join(struct ft_match *match, const struct ft_histograms *const *entries)
{
    if (match->group_count == 0)
        return;
    for (size_t e = 0; e < match->entry_count; e++)
        for (size_t i = 0; i < entries[e]->scopes.reference_count; i++)
            if (match->group_of[e][i] != FT_NO_GROUP)
                match->group_of[e][i] = 0;
    match->groups[0] = (struct ft_matched_group){.scope = 0, .first_reference = UINT32_MAX};
    match->group_count = 1;
}
