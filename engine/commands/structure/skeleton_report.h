/*
 * `foretrace structure --skeleton`: a trace as loop nests (docs/skeleton.md), as text, which leaves
 * out what makes few accesses, or as JSON.
 */
#ifndef FT_ENGINE_COMMANDS_STRUCTURE_SKELETON_REPORT_H
#define FT_ENGINE_COMMANDS_STRUCTURE_SKELETON_REPORT_H

#include <stdio.h>

#include "engine/skeleton/trace_skeleton.h"
#include "formats/skeleton/nest_executions.h"

struct ft_skeleton_report {
    const struct ft_metadata *metadata; /* the trace's */
    const char *trace_hash;             /* likewise */
    struct ft_skeleton skeleton;
    struct ft_nest_executions *executions; /* [thread] */
    double *shares;                        /* [scope * FT_SKELETON_COLUMNS + column], inclusive */
    uint32_t *list;                        /* scopes to show */
    size_t count;
    bool all; /* text shows small parts as well */
};

/* Accesses of a scope: all; in loops; recorded one by one; of irregular loops. */
enum ft_skeleton_column {
    FT_SKELETON_ACCESSES,
    FT_SKELETON_IN_LOOPS,
    FT_SKELETON_ONE_BY_ONE,
    FT_SKELETON_IRREGULAR,
    FT_SKELETON_COLUMNS
};
static inline const double *ft_skeleton_shares(const struct ft_skeleton_report *report,
                                               uint32_t scope)
{
    return report->shares + (size_t)scope * FT_SKELETON_COLUMNS;
}

/* loops: how many routines and loops to show. */
int ft_skeleton_report_make(struct ft_trace *trace, size_t loops, bool all,
                            struct ft_progress *progress, struct ft_skeleton_report *ret_report,
                            struct ft_diag *diag);
void ft_skeleton_report_fini(struct ft_skeleton_report *report);
/* The scope of a ROUTINE or LOOP token. */
uint32_t ft_skeleton_token_scope(const struct ft_skeleton *skeleton, uint32_t token);

int ft_skeleton_text(const struct ft_skeleton_report *report, FILE *stream, struct ft_diag *diag);
int ft_skeleton_json(const struct ft_skeleton_report *report, FILE *stream, struct ft_diag *diag);

#endif
