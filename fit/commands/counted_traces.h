/*
 * The traces of `fit --counts`: what each run counted, as entries that have metadata, trace hash
 * and scopes alone (fit/counted_sizes.h).
 */
#ifndef FT_FIT_COMMANDS_COUNTED_TRACES_H
#define FT_FIT_COMMANDS_COUNTED_TRACES_H

#include "formats/cli/options.h"
#include "formats/histograms/entry.h"

struct ft_counted_traces {
    struct ft_histograms *entries;
    const char **paths; /* the arguments' own */
    size_t count;
};

/* All of option --counts. FT_ERROR_USAGE for traces with addresses. */
int ft_counted_traces_read(const struct ft_arguments *arguments,
                           struct ft_counted_traces *ret_traces, struct ft_diag *diag);
void ft_counted_traces_fini(struct ft_counted_traces *traces);

#endif
