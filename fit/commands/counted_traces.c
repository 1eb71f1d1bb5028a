#include "fit/commands/counted_traces.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/trace_executions.h"
#include "engine/program/structure.h"
#include "fit/thread_counts.h"
#include "formats/commands/trace_operand.h"

static int take(struct ft_trace *trace, struct ft_histograms *entry, struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    if (!ft_trace_counts(trace))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--counts %s: this trace has addresses: 'foretrace replay' it and give its "
                       "histograms beside the others, without --counts",
                       ft_trace_path(trace));
    FT_TRY(ft_metadata_copy(ft_trace_metadata(trace), &entry->metadata, diag));
    if (!ft_metadata_parameter(&entry->metadata, FT_THREADS))
        FT_TRY(ft_metadata_add_parameter(&entry->metadata, FT_THREADS, ft_trace_thread_count(trace),
                                         diag));
    if (!(entry->trace_hash = strdup(ft_trace_content_hash(trace))))
        return ft_fail_memory(diag, "the metadata");
    int status = ft_trace_executions(trace, NULL, &counts, diag);
    if (status == FT_OK)
        status = ft_structure_build(trace, &counts, NULL, 0, NULL, &entry->scopes, diag);
    ft_execution_counts_fini(&counts);
    return status;
}

int ft_counted_traces_read(const struct ft_arguments *arguments,
                           struct ft_counted_traces *ret_traces, struct ft_diag *diag)
{
    const size_t count = ft_option_count(arguments, "counts");
    struct ft_counted_traces traces = {.entries = calloc(count + 1, sizeof *traces.entries),
                                       .paths = calloc(count + 1, sizeof *traces.paths)};
    int status = traces.entries && traces.paths ? FT_OK : ft_fail_memory(diag, "the counted sizes");
    for (size_t i = 0; i < count && status == FT_OK; i++) {
        struct ft_trace *trace;
        traces.paths[i] = ft_option_at(arguments, "counts", i);
        status = ft_trace_open_named(traces.paths[i], false, &trace, diag);
        if (status < 0)
            break;
        traces.count = i + 1;
        status = take(trace, &traces.entries[i], diag);
        ft_trace_close(trace);
    }
    if (status < 0)
        ft_counted_traces_fini(&traces);
    else
        *ret_traces = traces;
    return status;
}

void ft_counted_traces_fini(struct ft_counted_traces *traces)
{
    for (size_t i = 0; i < traces->count; i++)
        ft_histograms_fini(&traces->entries[i]);
    free(traces->entries);
    free(traces->paths);
    *traces = (struct ft_counted_traces){0};
}
