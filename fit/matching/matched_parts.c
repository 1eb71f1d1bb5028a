#include "fit/matching/matched_parts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/match/modules.h"

/* By build-id, or where there is none, by name. */
static bool is_other_build(const struct ft_scopes *a, const struct ft_scopes *b)
{
    const uint32_t one = ft_program_module(a), other = ft_program_module(b);
    if (one == FT_NO_MODULE || other == FT_NO_MODULE)
        return false;
    return strcmp(a->modules[one].build_id, b->modules[other].build_id) != 0 ||
           (!*a->modules[one].build_id &&
            strcmp(a->modules[one].name, b->modules[other].name) != 0);
}

size_t ft_count_builds(const struct ft_histograms *const *entries, size_t count)
{
    size_t builds = 0;
    for (size_t e = 0; e < count; e++) {
        bool is_new = true;
        for (size_t before = 0; before < e && is_new; before++)
            is_new = is_other_build(&entries[before]->scopes, &entries[e]->scopes);
        builds += is_new;
    }
    return builds;
}

int ft_matched_parts_init(struct ft_matched_parts *parts,
                          const struct ft_histograms *const *entries, size_t count,
                          struct ft_diag *diag)
{
    *parts = (struct ft_matched_parts){.entry_count = count};
    parts->part_of = calloc(count + 1, sizeof *parts->part_of);
    parts->scope_of = calloc(count + 1, sizeof *parts->scope_of);
    parts->is_same = calloc(count + 1, sizeof *parts->is_same);
    bool complete = parts->part_of && parts->scope_of && parts->is_same;
    for (size_t e = 0; e < count && complete; e++) {
        const struct ft_scopes *scopes = &entries[e]->scopes;
        parts->part_of[e] = malloc((scopes->reference_count + 1) * sizeof **parts->part_of);
        parts->scope_of[e] = calloc(scopes->scope_count + 1, sizeof **parts->scope_of);
        parts->is_same[e] = calloc(scopes->scope_count + 1, sizeof **parts->is_same);
        complete = parts->part_of[e] && parts->scope_of[e] && parts->is_same[e];
        for (size_t i = 0; complete && i < scopes->reference_count; i++)
            parts->part_of[e][i] = FT_NO_PART;
    }
    return complete ? FT_OK : ft_fail_memory(diag, "the match of sizes");
}

void ft_matched_parts_fini(struct ft_matched_parts *parts)
{
    for (size_t e = 0; e < parts->entry_count; e++) {
        if (parts->part_of)
            free(parts->part_of[e]);
        if (parts->scope_of)
            free(parts->scope_of[e]);
        if (parts->is_same)
            free(parts->is_same[e]);
    }
    free(parts->part_of);
    free(parts->scope_of);
    free(parts->is_same);
    free(parts->first_reference);
    *parts = (struct ft_matched_parts){0};
}
