/*
 * A footprint as text, as CSV (one of its tables) or as JSON (docs/json.md, "footprint").
 */
#ifndef FT_ENGINE_COMMANDS_FOOTPRINT_REPORT_H
#define FT_ENGINE_COMMANDS_FOOTPRINT_REPORT_H

#include <stdio.h>

#include "engine/footprint/footprint.h"
#include "engine/simulate/interval_misses.h"
#include "formats/commands/startup_fold.h"
#include "formats/trace/trace.h"

struct ft_footprint_report {
    const struct ft_trace *trace;
    struct ft_scopes scopes;
    struct ft_footprint footprint;
    const struct ft_machine *machine; /* NULL: no misses were asked for */
    struct ft_interval_misses misses; /* of it, in the intervals */
    double *accesses;                 /* [scope], inclusive */
    uint32_t *list;                   /* scopes to show, as ft_scopes_select gives them */
    size_t count;
    struct ft_startup_fold startup; /* routines that are not in the list, but folded */
};

/* Names of the CSV tables: "loops", "time", "windows"; NULL after the last. */
const char *ft_footprint_table_at(size_t index);

int ft_footprint_text(const struct ft_footprint_report *report, FILE *stream, struct ft_diag *diag);
int ft_footprint_csv(const struct ft_footprint_report *report, size_t table, FILE *stream,
                     struct ft_diag *diag);
int ft_footprint_json(const struct ft_footprint_report *report, FILE *stream, struct ft_diag *diag);

#endif
