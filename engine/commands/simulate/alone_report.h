/*
 * The misses of each level by itself as text, JSON or CSV: of a trace, or of accesses that were
 * made for a size (`synthesise`), which has something to say before the table.
 */
#ifndef FT_ENGINE_COMMANDS_SIMULATE_ALONE_REPORT_H
#define FT_ENGINE_COMMANDS_SIMULATE_ALONE_REPORT_H

#include "engine/simulate/simulate_trace.h"
#include "formats/cli/json.h"
#include "machines/commands/report_options.h"

struct ft_alone_report {
    const struct ft_report_options *options; /* its first machine */
    const struct ft_simulated_trace *simulated;
    size_t sort_column; /* of the simulation: by which rows are ranked; 0: accesses */
    const char *note;   /* lines before the table; NULL: none */
    json_t *members;    /* further members of the document, taken over; NULL: none */
};
int ft_alone_report(const struct ft_alone_report *report, struct ft_diag *diag);

#endif
