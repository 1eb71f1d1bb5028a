/*
 * `foretrace structure --match --groups`: which groups of references of two builds match, their
 * share of the accesses, and which groups have no match.
 */
#ifndef FT_ENGINE_COMMANDS_STRUCTURE_MATCH_GROUPS_H
#define FT_ENGINE_COMMANDS_STRUCTURE_MATCH_GROUPS_H

#include "engine/commands/structure/report.h"
#include "engine/match/groups.h"

struct ft_group_sum {
    uint64_t groups, accesses; /* of groups that made accesses */
};

struct ft_match_groups {
    const struct ft_structure_report *sides; /* [2], the caller's, with groups */
    struct ft_data_of_groups data[2];
    struct ft_group_locations locations[2];
    struct ft_matching matching;
    struct ft_group_sum all[2], matched[2];
    uint32_t *list[2]; /* groups with accesses, the most first: those that match, then the others */
    size_t matched_count[2], count[2];
};

/* Reads both traces once more to find their data. modules: those that the structures were made
 * from. Scope locations need not outlive the call. Call fini after a failure as well. */
int ft_match_groups_init(struct ft_match_groups *groups, const struct ft_structure_report sides[2],
                         const struct ft_module *const *const modules[2],
                         const struct ft_scope_locations scope_locations[2],
                         const struct ft_matching *scopes, struct ft_progress *progress,
                         struct ft_diag *diag);
void ft_match_groups_fini(struct ft_match_groups *groups);

/* limit: of each list. */
int ft_match_groups_text(const struct ft_match_groups *groups, size_t limit, FILE *stream,
                         struct ft_diag *diag);
/* The members to add to the JSON report; NULL: out of memory. */
json_t *ft_match_groups_json(const struct ft_match_groups *groups);

#endif
