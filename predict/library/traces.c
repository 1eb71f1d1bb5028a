#include <stdlib.h>

#include "formats/trace/trace.h"
#include "predict/library/shared.h"

_Static_assert((int)FORETRACE_LOAD == (int)FT_LOAD && (int)FORETRACE_STORE == (int)FT_STORE &&
                   (int)FORETRACE_STORE_NONTEMPORAL == (int)FT_STORE_NONTEMPORAL,
               "kinds of accesses are passed on as they are");

/* struct foretrace_trace is never defined: what is handed out is this. */
static struct ft_trace *inner(const struct foretrace_trace *trace)
{
    return (struct ft_trace *)trace;
}

int foretrace_trace_open(const char *path, int reads_incomplete, struct foretrace_trace **ret_trace,
                         struct foretrace_error *error)
{
    const struct ft_trace_options options = {.allow_incomplete = reads_incomplete != 0};
    struct ft_trace *trace;
    struct ft_diag diag;
    const int status = ft_trace_open(path, &options, &trace, &diag);
    if (status != FT_OK)
        return ft_library_fail(error, status, &diag);
    *ret_trace = (struct foretrace_trace *)trace;
    return FORETRACE_OK;
}

void foretrace_trace_close(struct foretrace_trace *trace)
{
    ft_trace_close(inner(trace));
}

const char *foretrace_trace_hash(const struct foretrace_trace *trace)
{
    return ft_trace_content_hash(inner(trace));
}

const char *foretrace_trace_program(const struct foretrace_trace *trace)
{
    return ft_trace_metadata(inner(trace))->program;
}

uint32_t foretrace_trace_threads(const struct foretrace_trace *trace)
{
    return ft_trace_thread_count(inner(trace));
}

uint64_t foretrace_trace_accesses(const struct foretrace_trace *trace)
{
    return ft_trace_metadata(inner(trace))->accesses;
}

int foretrace_trace_parameter(const struct foretrace_trace *trace, const char *name,
                              double *ret_value, struct foretrace_error *error)
{
    return ft_library_parameter(ft_trace_metadata(inner(trace)), name, ret_value, error);
}

/* ---- runs ---- */

struct foretrace_runs {
    struct ft_trace *trace;
    struct ft_run_source *source;
    struct ft_run_batch batch;
    size_t next; /* run of the batch */
};

int foretrace_runs_open(struct foretrace_trace *trace, uint32_t thread,
                        struct foretrace_runs **ret_runs, struct foretrace_error *error)
{
    struct ft_diag diag;
    struct foretrace_runs *runs = calloc(1, sizeof *runs);
    int status = runs ? FT_OK : ft_fail_memory(&diag, "a source of runs");
    if (status == FT_OK && thread >= ft_trace_thread_count(inner(trace)))
        status = ft_fail(&diag, FT_ERROR_USAGE, "%s: has no thread %u, of %u",
                         ft_trace_path(inner(trace)), thread, ft_trace_thread_count(inner(trace)));
    if (status == FT_OK)
        status = ft_trace_require_addresses(inner(trace), &diag);
    if (status == FT_OK)
        status = ft_trace_runs(inner(trace), thread, NULL, &runs->source, &diag);
    if (status != FT_OK) {
        free(runs);
        return ft_library_fail(error, status, &diag);
    }
    runs->trace = inner(trace);
    *ret_runs = runs;
    return FORETRACE_OK;
}

void foretrace_runs_close(struct foretrace_runs *runs)
{
    if (!runs)
        return;
    runs->source->destroy(runs->source);
    free(runs);
}

int foretrace_runs_next(struct foretrace_runs *runs, struct foretrace_run *ret_run,
                        struct foretrace_error *error)
{
    if (runs->next == runs->batch.run_count) {
        struct ft_diag diag;
        const int status = runs->source->next(runs->source, &runs->batch, &diag);
        runs->next = 0;
        if (status != FT_OK) {
            runs->batch.run_count = 0;
            return ft_library_fail(error, status, &diag);
        }
        if (runs->batch.run_count == 0)
            return 0;
    }
    const struct ft_run *run = &runs->batch.runs[runs->next++];
    *ret_run = (struct foretrace_run){.iteration_count = run->iteration_count,
                                      .reference_count = run->reference_count,
                                      .references = runs->batch.references + run->first,
                                      .addresses = runs->batch.addresses + run->first,
                                      .strides = runs->batch.strides + run->first};
    return 1;
}

size_t foretrace_runs_reference_count(const struct foretrace_runs *runs)
{
    return runs->source->reference_count;
}

struct foretrace_reference foretrace_runs_reference(const struct foretrace_runs *runs,
                                                    uint32_t number)
{
    const struct ft_reference *from = &runs->source->references[number];
    struct foretrace_reference reference = {.pc = from->pc,
                                            .size_bytes = from->size_bytes,
                                            .kind = from->kind,
                                            .routine = "",
                                            .file = ""};
    if (from->module == FT_NO_MODULE)
        return reference;
    const struct ft_module *module = ft_trace_module(runs->trace, from->module);
    const struct ft_symbol *symbol = ft_module_symbol(module, from->offset);
    const struct ft_line *line = ft_module_line(module, from->offset);
    if (symbol)
        reference.routine = module->strings + symbol->name;
    if (line) {
        reference.file = module->strings + line->file;
        reference.line = line->line;
    }
    return reference;
}
