/*
 * 1. Scopes and groups of each build are matched with those of the next (engine/match), by what
 *    their histograms record.
 * 2. Groups that match are joined, over all builds; a joined group with members in all of them is a
 *    part.
 * 3. Scopes are followed from match to match to the last build; one that is lost on the way maps to
 *    the scope around it.
 */
#include "fit/matching/matched_parts.h"

#include <stdlib.h>

#include "engine/match/entry_groups.h"
#include "engine/match/groups.h"
#include "engine/match/scopes.h"
#include "formats/x86/instruction.h"

/* An entry as the matching sees it. */
struct build {
    struct ft_scope_locations scopes;
    struct ft_data_of_groups data;
    struct ft_group_locations groups;
};

/* Groups of all builds in one list, those of a build from first[build] on, joined where they
 * match. */
struct joined_groups {
    uint32_t *joined; /* [group]: one that it is joined to, or itself */
    uint32_t *first;  /* [build], and the end */
};

struct series {
    const struct ft_histograms *const *entries;
    size_t count;
    struct build *builds;
    struct ft_matching *scopes; /* [build]: with the next one */
    struct joined_groups groups;
};

static uint32_t root_of(uint32_t *joined, uint32_t group)
{
    while (joined[group] != group)
        group = joined[group] = joined[joined[group]];
    return group;
}

/* ---- 1 ---- */

static int init_builds(struct series *series, struct ft_diag *diag)
{
    bool with_data = true;
    for (size_t e = 0; e < series->count; e++)
        with_data = with_data && series->entries[e]->data;
    int status = FT_OK;
    for (size_t e = 0; !status && e < series->count; e++) {
        const struct ft_histograms *entry = series->entries[e];
        struct build *build = &series->builds[e];
        status = ft_scope_locations_make(&entry->scopes, &build->scopes, diag);
        if (!status)
            status = ft_entry_data_of_groups(entry, with_data, &build->data, diag);
        if (!status)
            status = ft_entry_group_locations_make(&build->scopes, entry, &build->data,
                                                   &build->groups, diag);
    }
    return status;
}

static void join_groups(struct series *series, size_t e, const struct ft_matching *matching)
{
    const struct joined_groups *groups = &series->groups;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t g = 0; g < series->builds[e + side].groups.count; g++) {
            const struct ft_match *match = &matching->of[side][g];
            if (match->kind == FT_MATCH_NONE)
                continue;
            const uint32_t here = root_of(groups->joined, groups->first[e + side] + g);
            const uint32_t there = root_of(groups->joined, groups->first[e + !side] + match->item);
            groups->joined[here] = there;
        }
}

static int match_builds(struct series *series, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t e = 0; !status && e + 1 < series->count; e++) {
        const struct ft_scope_locations scopes[2] = {series->builds[e].scopes,
                                                     series->builds[e + 1].scopes};
        const struct ft_group_locations groups[2] = {series->builds[e].groups,
                                                     series->builds[e + 1].groups};
        struct ft_matching matching = {0};
        status = ft_scopes_match(scopes, &series->scopes[e], diag);
        if (!status)
            status = ft_groups_match(groups, &series->scopes[e], &matching, diag);
        if (!status)
            join_groups(series, e, &matching);
        ft_matching_fini(&matching);
    }
    return status;
}

/* ---- 2 ---- */

/* members: [group], of a root: how many builds it has groups of. */
static void count_members(const struct series *series, uint32_t *members)
{
    const struct joined_groups *groups = &series->groups;
    uint32_t *before = members + groups->first[series->count]; /* the last build seen, and 1 */
    for (size_t e = 0; e < series->count; e++)
        for (uint32_t g = groups->first[e]; g < groups->first[e + 1]; g++) {
            const uint32_t root = root_of(groups->joined, g);
            members[root] += before[root] != e + 1;
            before[root] = (uint32_t)e + 1;
        }
}

/* The reference of the last build that makes most accesses says where a part is. */
static void find_first_references(const struct series *series, struct ft_matched_parts *parts)
{
    const size_t last = series->count - 1;
    const struct ft_histograms *entry = series->entries[last];
    for (size_t p = 0; p < parts->part_count; p++)
        parts->first_reference[p] = UINT32_MAX;
    for (uint32_t i = 0; i < entry->scopes.reference_count; i++) {
        const uint32_t part = parts->part_of[last][i];
        if (part == FT_NO_PART)
            continue;
        uint32_t *first = &parts->first_reference[part];
        if (*first == UINT32_MAX ||
            entry->reference_accesses[i] > entry->reference_accesses[*first])
            *first = i;
    }
}

static int make_parts(const struct series *series, struct ft_matched_parts *parts,
                      struct ft_diag *diag)
{
    const struct joined_groups *groups = &series->groups;
    const size_t all = groups->first[series->count];
    uint32_t *members = calloc(2 * all + 1, sizeof *members);
    uint32_t *part_of = malloc((all + 1) * sizeof *part_of);
    parts->first_reference = calloc(all + 1, sizeof *parts->first_reference);
    bool complete = members && part_of && parts->first_reference;
    if (complete)
        count_members(series, members);
    for (uint32_t g = 0; complete && g < all; g++)
        part_of[g] = groups->joined[g] == g && members[g] == series->count
                         ? (uint32_t)parts->part_count++
                         : FT_NO_PART;
    for (size_t e = 0; complete && e < series->count; e++) {
        const struct ft_scopes *scopes = &series->entries[e]->scopes;
        for (size_t i = 0; i < scopes->reference_count; i++)
            if (scopes->references[i].kind != FT_FETCH)
                parts->part_of[e][i] = part_of[root_of(
                    groups->joined, groups->first[e] + scopes->references[i].group)];
    }
    if (complete)
        find_first_references(series, parts);
    free(members);
    free(part_of);
    return complete ? FT_OK : ft_fail_memory(diag, "the groups of several builds");
}

/* ---- 3 ---- */

static void map_scopes(const struct series *series, struct ft_matched_parts *parts)
{
    const size_t last = series->count - 1;
    for (uint32_t i = 0; i < series->entries[last]->scopes.scope_count; i++) {
        parts->scope_of[last][i] = i;
        parts->is_same[last][i] = true;
    }
    for (size_t e = last; e-- > 0;) {
        const struct ft_scopes *scopes = &series->entries[e]->scopes;
        for (uint32_t i = 1; i < scopes->scope_count; i++) { /* parents come before children */
            const struct ft_match *match = &series->scopes[e].of[0][i];
            const bool is_matched = match->kind != FT_MATCH_NONE;
            parts->scope_of[e][i] = is_matched ? parts->scope_of[e + 1][match->item]
                                               : parts->scope_of[e][scopes->scopes[i].parent];
            parts->is_same[e][i] = is_matched && parts->is_same[e + 1][match->item];
        }
    }
}

/* ---- all of it ---- */

static int series_init(struct series *series, const struct ft_histograms *const *entries,
                       size_t count, struct ft_diag *diag)
{
    *series = (struct series){.entries = entries, .count = count};
    series->builds = calloc(count, sizeof *series->builds);
    series->scopes = calloc(count, sizeof *series->scopes);
    series->groups.first = calloc(count + 1, sizeof *series->groups.first);
    for (size_t e = 0; series->groups.first && e < count; e++)
        series->groups.first[e + 1] = series->groups.first[e] + entries[e]->scopes.group_count;
    if (series->groups.first)
        series->groups.joined =
            calloc(series->groups.first[count] + (size_t)1, sizeof *series->groups.joined);
    for (uint32_t g = 0; series->groups.joined && g < series->groups.first[count]; g++)
        series->groups.joined[g] = g;
    return series->builds && series->scopes && series->groups.joined
               ? FT_OK
               : ft_fail_memory(diag, "the match of builds");
}

static void series_fini(struct series *series)
{
    for (size_t e = 0; series->builds && series->scopes && e < series->count; e++) {
        struct build *build = &series->builds[e];
        ft_matching_fini(&series->scopes[e]);
        ft_group_locations_fini(&build->groups);
        ft_data_of_groups_fini(&build->data);
        ft_scope_locations_fini(&build->scopes);
    }
    free(series->builds);
    free(series->scopes);
    free(series->groups.joined);
    free(series->groups.first);
}

int ft_parts_of_builds(const struct ft_histograms *const *entries, size_t count,
                       struct ft_matched_parts *ret_parts, struct ft_diag *diag)
{
    struct ft_matched_parts parts = {0};
    struct series series;
    int status = series_init(&series, entries, count, diag);
    if (!status)
        status = ft_matched_parts_init(&parts, entries, count, diag);
    if (!status)
        status = init_builds(&series, diag);
    if (!status)
        status = match_builds(&series, diag);
    if (!status)
        status = make_parts(&series, &parts, diag);
    if (!status)
        map_scopes(&series, &parts);
    series_fini(&series);
    if (status)
        ft_matched_parts_fini(&parts);
    else
        *ret_parts = parts;
    return status;
}
