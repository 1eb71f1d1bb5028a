#include "engine/skeleton/trace_skeleton.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/data/memory_events.h"
#include "engine/program/graph/trace_executions.h"
#include "engine/program/scope_steps.h"
#include "engine/program/structure.h"
#include "engine/skeleton/first_memory.h"
#include "engine/skeleton/thread_nest.h"

struct making {
    struct ft_trace *trace;
    struct ft_progress *progress;
    const atomic_bool *stop; /* or NULL */
    struct ft_scope_steps steps;
    struct ft_skeleton *skeleton;
    uint32_t thread;
    const struct ft_memory_events *memory; /* with places */
    uint64_t before, accesses;             /* of the threads before it; of all */
};

static int open_thread(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    const struct making *making = context;
    FT_TRY(ft_trace_runs_of(making->trace, making->thread, FT_RUN_ACCESSES | FT_RUN_FETCHES, NULL,
                            ret_source, diag));
    if (making->steps.passed)
        ft_trace_runs_skip(*ret_source, making->steps.first, making->steps.passed);
    return FT_OK;
}

static int watch_thread(void *context, uint64_t accesses, struct ft_diag *diag)
{
    const struct making *making = context;
    if (making->stop && atomic_load(making->stop))
        return ft_fail(diag, FT_ERROR_FAILURE, "it was stopped");
    ft_progress_update(making->progress, making->before + accesses, making->accesses, "accesses");
    return FT_OK;
}

/* ---- what tokens stand for ---- */

static int name_tokens(const struct ft_structure *structure, struct ft_skeleton *skeleton,
                       struct ft_diag *diag)
{
    size_t routines = structure->routines.count, loops = structure->loops.count;
    skeleton->routine_scopes = malloc((routines + 1) * sizeof *skeleton->routine_scopes);
    skeleton->loop_scopes = malloc((loops + 1) * sizeof *skeleton->loop_scopes);
    skeleton->loop_headers = malloc((loops + 1) * sizeof *skeleton->loop_headers);
    if (!skeleton->routine_scopes || !skeleton->loop_scopes || !skeleton->loop_headers)
        return ft_fail_memory(diag, "the skeleton of a trace");
    for (size_t i = 0; i < routines; i++)
        skeleton->routine_scopes[i] = structure->scope_of_routine[i];
    for (size_t i = 0; i < loops; i++) {
        skeleton->loop_scopes[i] = structure->scope_of_loop[i];
        skeleton->loop_headers[i] =
            structure->graph.blocks[structure->loops.items[i].header].offset;
    }
    skeleton->routine_count = routines;
    skeleton->loop_count = loops;
    return FT_OK;
}

static uint32_t count_accesses(const struct ft_run_source *source)
{
    uint32_t accesses = 0;
    while (accesses < source->reference_count &&
           source->references[accesses].access_index != FT_FETCH_INDEX)
        accesses++;
    return accesses;
}

/* References, and the steps of a source with fetches. */
static int take_code(struct making *making, const struct ft_skeleton_code *code,
                     struct ft_diag *diag)
{
    struct ft_run_source *source;
    struct ft_skeleton *skeleton = making->skeleton;
    FT_TRY(open_thread(making, &source, diag));
    const uint32_t count = count_accesses(source);
    skeleton->accesses = malloc((count + (size_t)1) * sizeof *skeleton->accesses);
    skeleton->references = malloc((count + (size_t)1) * sizeof *skeleton->references);
    int status = skeleton->accesses && skeleton->references
                     ? ft_scope_steps_make(code->structure, source->references,
                                           source->reference_count, &making->steps, diag)
                     : ft_fail_memory(diag, "the skeleton of a trace");
    for (uint32_t r = 0; !status && r < count; r++) {
        skeleton->references[r] = source->references[r];
        skeleton->accesses[r] = code->accesses[r];
        making->accesses += code->accesses[r];
    }
    skeleton->reference_count = status ? 0 : count;
    source->destroy(source);
    if (!status)
        status = name_tokens(code->structure, skeleton, diag);
    return status ? status : ft_scopes_copy(code->scopes, &skeleton->scopes, diag);
}

/* ---- threads ---- */

static int make_threads(struct making *making, const struct ft_skeleton_options *options,
                        struct ft_diag *diag)
{
    struct ft_skeleton *skeleton = making->skeleton;
    uint32_t count = ft_trace_thread_count(making->trace);
    if (options->places && count != 1)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "%s: a trace of %" PRIu32 " threads, not one",
                       ft_trace_path(making->trace), count);
    skeleton->threads = calloc(count + (size_t)1, sizeof *skeleton->threads);
    if (!skeleton->threads)
        return ft_fail_memory(diag, "the skeleton of a trace");
    skeleton->thread_count = count;
    if (options->places) {
        skeleton->has_calls = making->memory->has_calls;
        FT_TRY(ft_first_memory_find(&making->memory->threads[0], &skeleton->memory, diag));
    }
    const struct ft_thread_nest_task task = {.steps = &making->steps,
                                             .open = open_thread,
                                             .watch = watch_thread,
                                             .memory =
                                                 options->places ? making->memory->threads : NULL,
                                             .context = making,
                                             .routine_count = skeleton->routine_count,
                                             .loop_words = options->loop_words};
    for (making->thread = 0; making->thread < count; making->thread++)
        FT_TRY(ft_thread_nest(&task, &skeleton->threads[making->thread],
                              options->places ? &skeleton->blocks : NULL, diag));
    return FT_OK;
}

int ft_trace_skeleton_of(struct ft_trace *trace, const struct ft_skeleton_code *code,
                         const struct ft_skeleton_options *options, struct ft_progress *progress,
                         struct ft_skeleton *ret_skeleton, struct ft_diag *diag)
{
    struct ft_skeleton skeleton = {0};
    struct making making = {.trace = trace,
                            .progress = progress,
                            .stop = options->stop,
                            .memory = code->memory,
                            .skeleton = &skeleton};
    int status = take_code(&making, code, diag);
    if (!status)
        status = make_threads(&making, options, diag);
    ft_scope_steps_fini(&making.steps);
    if (status) {
        ft_skeleton_fini(&skeleton);
        return status;
    }
    *ret_skeleton = skeleton;
    return FT_OK;
}

int ft_trace_skeleton(struct ft_trace *trace, const struct ft_skeleton_options *options,
                      struct ft_progress *progress, struct ft_skeleton *ret_skeleton,
                      struct ft_diag *diag)
{
    struct ft_run_source *source;
    struct ft_execution_counts counts = {0};
    struct ft_structure structure = {0};
    struct ft_memory_events memory = {0};
    FT_TRY(ft_trace_runs_of(trace, 0, FT_RUN_ACCESSES, NULL, &source, diag));
    uint64_t *accesses = calloc(source->reference_count + (size_t)1, sizeof *accesses);
    int status = accesses ? ft_trace_executions(trace, accesses, &counts, diag)
                          : ft_fail_memory(diag, "the skeleton of a trace");
    if (!status)
        status = ft_structure_of_trace(trace, &counts, source->references, source->reference_count,
                                       NULL, &structure, diag);
    if (!status && options->places)
        status = ft_memory_events_read(trace, &memory, diag);
    const struct ft_skeleton_code code = {&structure, &structure.scopes, accesses, &memory};
    if (!status)
        status = ft_trace_skeleton_of(trace, &code, options, progress, ret_skeleton, diag);
    ft_memory_events_fini(&memory);
    ft_structure_fini(&structure);
    ft_execution_counts_fini(&counts);
    free(accesses);
    source->destroy(source);
    return status;
}
