/*
 * `foretrace structure --match`: which routines and loops of two traces are the same, how much of
 * either that is, and what is left.
 */
#ifndef FT_ENGINE_COMMANDS_STRUCTURE_MATCH_REPORT_H
#define FT_ENGINE_COMMANDS_STRUCTURE_MATCH_REPORT_H

#include "engine/commands/structure/match_groups.h"
#include "engine/commands/structure/report.h"
#include "engine/match/scopes.h"
#include "formats/cli/table.h"

struct ft_match_sum {
    uint64_t scopes, instructions, accesses; /* of routines and loops, each by itself */
};

struct ft_match_report {
    const struct ft_structure_report *sides; /* [2], the caller's */
    struct ft_scope_matching matching;
    struct ft_match_sum *own[2]; /* [side][scope]: exclusive */
    struct ft_match_sum all[2], matched[2];
    uint32_t *left[2]; /* without a match, most instructions and accesses first */
    size_t left_count[2];
    struct ft_match_groups *groups; /* NULL: the sides have none */
};

/* With groups where both sides have them. */
int ft_match_report_make(const struct ft_structure_report sides[2], struct ft_progress *progress,
                         struct ft_match_report *ret_report, struct ft_diag *diag);
void ft_match_report_fini(struct ft_match_report *report);

/* limit: of either list of what is left. */
int ft_match_text(const struct ft_match_report *report, size_t limit, FILE *stream,
                  struct ft_diag *diag);
int ft_match_json(const struct ft_match_report *report, size_t limit, FILE *stream,
                  struct ft_diag *diag);

/* "multiply (matmul)", "matmul.c:17-21". */
void ft_match_place_cell(struct ft_table *table, const struct ft_scopes *scopes, uint32_t scope);

#endif
