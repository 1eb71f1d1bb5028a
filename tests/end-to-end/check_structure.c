/*
 * check_structure SOURCE TRACE [LOOP=ENTRIES:ITERATIONS]...: the scope tree of a captured sample.
 *
 * The loops named are all of those marked in the source that ran; each is there with its lines and
 * nesting, and ran as often as said ('LOOP' alone: any number). The blocks hold all instructions of
 * the trace, and every reference has a place.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/structure/structure.h"
#include "tests/loop_markers.h"
#include "tests/tap.h"

/* Reads all runs, for the counts that they leave. */
static int build(struct ft_trace *trace, struct ft_scopes *ret_scopes, uint64_t *ret_accesses,
                 struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct ft_run_source *source;
    int status = ft_trace_runs(trace, 0, &counts, &source, diag);
    if (status != 0)
        return status;
    struct ft_run_batch batch;
    uint64_t accesses = 0;
    while ((status = source->next(source, &batch, diag)) == 0 && batch.run_count)
        for (size_t i = 0; i < batch.run_count; i++)
            accesses += batch.runs[i].iteration_count * batch.runs[i].reference_count;
    if (status == 0)
        status = ft_structure_build(trace, &counts, source->references, source->reference_count,
                                    NULL, ret_scopes, diag);
    *ret_accesses = accesses;
    source->destroy(source);
    ft_execution_counts_fini(&counts);
    return status;
}

static void check_counts(const struct ft_scopes *scopes, const struct ft_metadata *metadata)
{
    uint64_t instructions = 0;
    for (size_t i = 0; i < scopes->block_count; i++)
        instructions += scopes->blocks[i].execution_count * scopes->blocks[i].instruction_count;
    tap_ok(instructions == metadata->instructions,
           "%" PRIu64 " instructions in blocks, %" PRIu64 " in the trace", instructions,
           metadata->instructions);
    /* Start-up code of stripped libraries has neither symbols nor unwind entries. */
    size_t unknown = 0, routines = 0;
    for (size_t i = 0; i < scopes->scope_count; i++) {
        const struct ft_scope *scope = &scopes->scopes[i];
        routines += scope->kind == FT_SCOPE_ROUTINE;
        unknown += strncmp(scope->name, "unknown", 7) == 0 &&
                   (scope->module == FT_NO_MODULE ||
                    strcmp(scopes->modules[scope->module].path, metadata->program) == 0);
    }
    tap_ok(routines > 50 && unknown == 0, "%zu routines, %zu of the program's own unknown",
           routines, unknown);
}

/* expectation: LOOP=ENTRIES:ITERATIONS, or LOOP */
static void check_loop(const struct ft_scopes *scopes, const char *source, const char *expectation)
{
    struct loop_marker markers[LOOP_MARKERS_MAX];
    size_t count = loop_markers_read(source, markers);
    const char *equals = strchr(expectation, '=');
    if (!equals)
        return;
    char name[64], *rest;
    snprintf(name, sizeof name, "%.*s", (int)(equals - expectation), expectation);
    uint64_t entries = strtoull(equals + 1, &rest, 10);
    uint64_t iterations = strtoull(rest + 1, NULL, 10); /* behind the ':' */
    uint32_t scope = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(markers[i].name, name) == 0)
            scope = loop_markers_find(scopes, source, &markers[i]);
    const struct ft_scope *loop = &scopes->scopes[scope];
    tap_ok(scope && loop->entry_count == entries && loop->iteration_count == iterations,
           "%s: entered %" PRIu64 " times, %" PRIu64 " iterations; expected %" PRIu64
           " and %" PRIu64,
           name, loop->entry_count, loop->iteration_count, entries, iterations);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s SOURCE TRACE [LOOP[=ENTRIES:ITERATIONS]]...\n", argv[0]);
        return 2;
    }
    struct ft_trace *trace = NULL;
    struct ft_scopes scopes = {0};
    struct ft_diag diag = {0};
    struct ft_trace_options options = {0};
    uint64_t accesses = 0;
    int status = ft_trace_open(argv[2], &options, &trace, &diag);
    if (status == 0)
        status = build(trace, &scopes, &accesses, &diag);
    if (tap_ok(status == 0, "structure of %s %s", argv[2], diag.message)) {
        tap_ok(accesses == ft_trace_metadata(trace)->accesses, "%" PRIu64 " accesses", accesses);
        check_counts(&scopes, ft_trace_metadata(trace));
        loop_markers_check(&scopes, argv[1], argv + 3, (size_t)argc - 3, tap_ok);
        for (int i = 3; i < argc; i++)
            check_loop(&scopes, argv[1], argv[i]);
    }
    ft_scopes_fini(&scopes);
    ft_trace_close(trace);
    return tap_plan_done();
}
