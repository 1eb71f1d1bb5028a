/*
 * Which data each routine and loop touches (`foretrace structure --data`): the program's objects
 * with their accesses, each scope with the objects that it touches (inclusive), and in JSON each
 * reference with its objects. Loads, stores and accesses add up to those of the trace.
 */
#ifndef FT_ENGINE_COMMANDS_STRUCTURE_DATA_BY_SCOPE_H
#define FT_ENGINE_COMMANDS_STRUCTURE_DATA_BY_SCOPE_H

#include <stdio.h>

#include "engine/commands/report/data_report.h"
#include "formats/commands/startup_fold.h"
#include "formats/scopes/scopes.h"

/* Columns of an object's metrics. */
enum { FT_DATA_ACCESSES, FT_DATA_LOADS, FT_DATA_STORES, FT_DATA_BYTES, FT_DATA_WIDTH };

struct ft_scope_data { /* accesses of a scope to an object, inclusive */
    uint32_t scope, object;
    uint64_t accesses, stores;
    int64_t stride; /* the stride that all its references share; valid with FT_PAIR_STRIDE_ONE */
    uint8_t stride_kind;
};

struct ft_data_by_scope {
    struct ft_trace *trace;
    struct ft_data_runs *runs;
    struct ft_scopes scopes;
    struct ft_data_rows rows;
    struct ft_scope_data *items; /* by scope, heaviest first */
    size_t count;
    uint32_t *list; /* scopes to show */
    size_t list_count;
    struct ft_startup_fold startup; /* routines that are not in the list, but folded */
};

/* limit: of routines and loops, and of objects. */
int ft_data_by_scope_make(struct ft_trace *trace, unsigned callers, size_t limit,
                          struct ft_progress *progress, struct ft_data_by_scope *ret_report,
                          struct ft_diag *diag);
/* Chooses the scopes to show again, with start-up and exit code folded. */
int ft_data_by_scope_fold_startup(struct ft_data_by_scope *report, size_t limit,
                                  struct ft_diag *diag);
void ft_data_by_scope_fini(struct ft_data_by_scope *report);

int ft_data_by_scope_text(const struct ft_data_by_scope *report, FILE *stream,
                          struct ft_diag *diag);
int ft_data_by_scope_json(const struct ft_data_by_scope *report, FILE *stream,
                          struct ft_diag *diag);

#endif
