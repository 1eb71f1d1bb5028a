/*
 * `foretrace structure --match`: which routines and loops of two traces match, how much of each
 * trace that covers, and which have no match.
 */
#ifndef FT_ENGINE_COMMANDS_STRUCTURE_MATCH_REPORT_H
#define FT_ENGINE_COMMANDS_STRUCTURE_MATCH_REPORT_H

#include "engine/commands/structure/match_groups.h"
#include "engine/commands/structure/report.h"
#include "engine/match/scopes.h"
#include "formats/cli/table.h"

struct ft_match_sum {
    uint64_t scopes, instructions, accesses; /* of routines and loops, exclusive */
};

struct ft_match_report {
    const struct ft_structure_report *sides; /* [2], the caller's */
    struct ft_matching matching;
    struct ft_match_sum *exclusive[2]; /* [side][scope] */
    struct ft_match_sum all[2], matched[2];
    uint32_t *left[2]; /* without a match, most instructions and accesses first */
    size_t left_count[2];
    struct ft_match_groups *groups; /* NULL: the sides have no groups */
};

/* Matches groups too if both sides have them. */
int ft_match_report_make(const struct ft_structure_report sides[2], struct ft_progress *progress,
                         struct ft_match_report *ret_report, struct ft_diag *diag);
void ft_match_report_fini(struct ft_match_report *report);

/* limit: of each side's scopes without a match. */
int ft_match_text(const struct ft_match_report *report, size_t limit, FILE *stream,
                  struct ft_diag *diag);
int ft_match_json(const struct ft_match_report *report, size_t limit, FILE *stream,
                  struct ft_diag *diag);

/* "multiply (matmul)", "matmul.c:17-21". */
void ft_match_location_cell(struct ft_table *table, const struct ft_scopes *scopes, uint32_t scope);

#endif
