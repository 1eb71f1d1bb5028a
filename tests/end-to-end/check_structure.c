/*
 * check_structure SOURCE TRACE [LOOP=ENTRIES:ITERATIONS:ROUTINE]...: the scope tree of a captured
 * sample.
 *
 * The loops named are all of those marked in the source that ran; each is there with its lines and
 * nesting, in that routine, and ran as often as said ('-' for either: any number). The blocks hold
 * all instructions of the trace, and every reference has a place.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/trace_executions.h"
#include "engine/program/structure.h"
#include "tests/support/loop_markers.h"
#include "tests/support/tap.h"

static int build(struct ft_trace *trace, struct ft_scopes *ret_scopes, uint64_t *ret_accesses,
                 struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct ft_run_source *source;
    int status = ft_trace_runs(trace, 0, NULL, &source, diag);
    if (status != 0)
        return status;
    uint64_t *accesses = calloc(source->reference_count + (size_t)1, sizeof *accesses);
    if (!accesses)
        exit(99);
    status = ft_trace_executions(trace, accesses, &counts, diag);
    if (status == 0)
        status = ft_structure_build(trace, &counts, source->references, source->reference_count,
                                    NULL, ret_scopes, diag);
    *ret_accesses = 0;
    for (uint32_t r = 0; r < source->reference_count; r++)
        *ret_accesses += accesses[r];
    free(accesses);
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

/* Whether a count is as a text says, which begins with it or '-'; ret_rest: behind it. */
static bool is_count(uint64_t count, const char *text, const char **ret_rest)
{
    char *rest;
    uint64_t expected = strtoull(text, &rest, 10);
    bool any = *text == '-';
    *ret_rest = any ? text + 1 : rest;
    return any || (rest > text && expected == count);
}

/* expectation: LOOP=ENTRIES:ITERATIONS:ROUTINE */
static void check_loop(const struct ft_scopes *scopes, const char *source, const char *expectation)
{
    struct loop_marker markers[LOOP_MARKERS_MAX];
    size_t count = loop_markers_read(source, markers);
    const char *rest = strchr(expectation, '=');
    char name[64];
    if (!rest) {
        tap_ok(false, "%s: LOOP=ENTRIES:ITERATIONS:ROUTINE is needed", expectation);
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(rest - expectation), expectation);
    uint32_t scope = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(markers[i].name, name) == 0)
            scope = loop_markers_find(scopes, source, &markers[i]);
    const struct ft_scope *loop = &scopes->scopes[scope];
    const uint32_t routine = ft_scope_routine(scopes, scope);
    bool same = is_count(loop->entry_count, rest + 1, &rest) && *rest == ':' &&
                is_count(loop->iteration_count, rest + 1, &rest) && *rest == ':' &&
                strcmp(scopes->scopes[routine].name, rest + 1) == 0;
    tap_ok(scope && same,
           "%s: entered %" PRIu64 " times, %" PRIu64 " iterations, in %s; expected %s", name,
           loop->entry_count, loop->iteration_count, scopes->scopes[routine].name, expectation);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s SOURCE TRACE [LOOP=ENTRIES:ITERATIONS:ROUTINE]...\n", argv[0]);
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
