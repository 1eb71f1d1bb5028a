/*
 * The run is cut into equal parts, a window in each. A window has three phases, which the core
 * executes: warm, measured and tail; in between caches and predictor are kept warm. What an
 * instruction's account gained in a window is a sample.
 */
#include "engine/simulate/core/core_of_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/structure.h"
#include "engine/streams/run_batch.h"
#include "formats/base/array.h"
#include "formats/base/splitmix.h"
#include "formats/trace/trace_reader.h"

/* Parts of the run that are little longer than their window: then all is simulated. */
#define WORTH_SAMPLING 1.25

enum phase { PHASE_APART, PHASE_WARM, PHASE_MEASURED, PHASE_TAIL, PHASES };

struct run {
    const struct ft_core_task *task;
    struct ft_core_of_trace *result;
    struct ft_run_source *source;
    struct ft_execution_counts executions;
    struct ft_core core;
    struct ft_core_code code;
    struct ft_core_walk walk;

    /* windows */
    enum phase phase;
    uint64_t left;   /* instructions of the phase */
    uint64_t behind; /* instructions of the part of the run, behind its window */
    uint32_t window; /* the next */
    uint64_t random;
    double *before;     /* [account]: cycles of the windows before */
    uint64_t *executed; /* [account]: in this window */
    struct ft_core_sample *samples;
    size_t sample_count, sample_capacity;
};

/* ---- windows ---- */

static uint64_t instructions_of(const struct ft_trace *trace, uint32_t thread)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ft_trace_log_count(trace, thread); i++)
        sum += ft_trace_log(trace, thread, i)->totals.instructions;
    return sum;
}

static uint64_t length_of_window(const struct run *run)
{
    return FT_CORE_WARM_INSTRUCTIONS + run->task->window_instructions + FT_CORE_TAIL_INSTRUCTIONS;
}

/* The part of the run that the next window is in begins. */
static void start_part(struct run *run)
{
    const uint64_t all = run->result->instructions, count = run->result->window_count;
    if (!run->result->is_sampled || run->window == count) {
        run->phase = run->result->is_sampled ? PHASE_APART : PHASE_MEASURED;
        run->left = UINT64_MAX;
        return;
    }
    const uint64_t part = all / count, free = part - length_of_window(run);
    const uint64_t first = ft_splitmix(&run->random) % (free + 1);
    run->phase = PHASE_APART;
    run->left = run->behind + first;
    run->behind = free - first;
    if (run->left == 0) {
        run->phase = PHASE_WARM;
        run->left = FT_CORE_WARM_INSTRUCTIONS;
    }
}

static int plan_windows(struct run *run, struct ft_trace *trace, struct ft_diag *diag)
{
    const struct ft_core_task *task = run->task;
    struct ft_core_of_trace *result = run->result;
    result->instructions = instructions_of(trace, task->thread);
    if (result->instructions == 0)
        return ft_fail(diag, FT_ERROR_DATA, "thread %" PRIu32 " executed nothing", task->thread);
    const double each = WORTH_SAMPLING * (double)length_of_window(run);
    result->is_sampled =
        task->windows > 0 && (double)result->instructions > each * (double)task->windows;
    result->window_count = result->is_sampled ? (uint32_t)task->windows : 1;
    run->random = task->seed;
    start_part(run);
    return FT_OK;
}

static int add_sample(struct run *run, uint32_t account, double cycles, struct ft_diag *diag)
{
    if (!FT_RESERVE(run->samples, run->sample_capacity, run->sample_count + 1))
        return ft_fail_memory(diag, "samples");
    run->samples[run->sample_count++] =
        (struct ft_core_sample){.window = run->window,
                                .account = account,
                                .instructions = run->executed[account],
                                .cycles = cycles};
    run->executed[account] = 0;
    return FT_OK;
}

static double cycles_of(const struct run *run, uint32_t account)
{
    const double *stack =
        ft_core_simulation_accounts(run->walk.core) + account * (size_t)FT_CORE_REASONS;
    double sum = 0;
    for (unsigned r = 0; r < FT_CORE_REASONS; r++)
        sum += stack[r];
    return sum;
}

/* All that is under way is brought to its end: it belongs to what was measured. */
static int end_window(struct run *run, struct ft_diag *diag)
{
    FT_TRY(ft_core_walk_flush(&run->walk, diag));
    FT_TRY(ft_core_simulation_finish(run->walk.core, diag));
    for (uint32_t a = 0; a < run->code.count; a++) {
        if (run->executed[a] == 0)
            continue;
        const double cycles = cycles_of(run, a);
        FT_TRY(add_sample(run, a, cycles - run->before[a], diag));
        run->before[a] = cycles;
    }
    ft_core_simulation_reset(run->walk.core);
    run->window++;
    return FT_OK;
}

static int next_phase(struct run *run, struct ft_diag *diag)
{
    static const uint64_t lengths[PHASES] = {
        [PHASE_WARM] = FT_CORE_WARM_INSTRUCTIONS, [PHASE_TAIL] = FT_CORE_TAIL_INSTRUCTIONS};
    if (run->phase == PHASE_TAIL) {
        FT_TRY(end_window(run, diag));
        start_part(run);
        return FT_OK;
    }
    run->phase++;
    run->left = run->phase == PHASE_MEASURED ? run->task->window_instructions : lengths[run->phase];
    return FT_OK;
}

/* ---- the pass ---- */

static int walk_batch(struct run *run, const struct ft_run_batch *batch, struct ft_diag *diag)
{
    ft_core_walk_batch(&run->walk, batch);
    while (run->walk.run < batch->run_count) {
        uint64_t walked;
        if (run->phase == PHASE_APART)
            FT_TRY(ft_core_walk_warm(&run->walk, run->left, &walked, diag));
        else
            FT_TRY(ft_core_walk_detailed(&run->walk, run->left, run->phase == PHASE_MEASURED,
                                         &walked, diag));
        run->left -= walked;
        run->result->simulated += run->phase == PHASE_APART ? 0 : walked;
        if (run->left == 0)
            FT_TRY(next_phase(run, diag));
    }
    return FT_OK;
}

static int walk_all(struct run *run, struct ft_progress *progress, struct ft_diag *diag)
{
    uint64_t done = 0;
    for (;;) {
        struct ft_run_batch batch;
        FT_TRY(run->source->next(run->source, &batch, diag));
        if (batch.run_count == 0)
            break;
        FT_TRY(ft_run_batch_check(run->source, &batch, diag));
        FT_TRY(walk_batch(run, &batch, diag));
        for (size_t r = 0; r < batch.run_count; r++)
            done += batch.runs[r].reference_count * batch.runs[r].iteration_count;
        ft_progress_update(progress, done, run->source->access_count, "accesses");
    }
    return run->phase == PHASE_APART ? FT_OK : end_window(run, diag);
}

/* ---- results ---- */

static int estimate(struct run *run, struct ft_diag *diag)
{
    struct ft_core_of_trace *result = run->result;
    const struct ft_scopes *scopes = &result->scopes;
    double *instructions = calloc(scopes->scope_count + 1, sizeof *instructions);
    uint32_t *scope_of = calloc(run->code.count + (size_t)1, sizeof *scope_of);
    int status = instructions && scope_of ? FT_OK : ft_fail_memory(diag, "an estimate");
    for (size_t b = 0; status == FT_OK && b < scopes->block_count; b++)
        instructions[scopes->blocks[b].scope] +=
            (double)scopes->blocks[b].execution_count * scopes->blocks[b].instruction_count;
    for (uint32_t a = 0; status == FT_OK && a < run->code.count; a++)
        scope_of[a] = scopes->references[run->code.first_reference + a].scope;
    const struct ft_core_samples samples = {
        .items = run->samples,
        .count = run->sample_count,
        .window_count = run->window,
        .accounts = ft_core_simulation_accounts(run->walk.core),
        .scope_of_account = scope_of,
        .account_count = run->code.count,
    };
    if (status == FT_OK)
        status = ft_core_estimate(&samples, scopes, instructions, &result->rows, diag);
    free(instructions);
    free(scope_of);
    return status;
}

static int finish(struct run *run, struct ft_trace *trace, struct ft_diag *diag)
{
    struct ft_core_of_trace *result = run->result;
    result->counts = run->walk.counts;
    result->window_count = run->window;
    memcpy(result->unknown_form, run->code.unknown_form, sizeof result->unknown_form);
    FT_TRY(ft_structure_build(trace, &run->executions, run->source->references,
                              run->source->reference_count, NULL, &result->scopes, diag));
    return estimate(run, diag);
}

/* ---- set-up ---- */

static int start(struct run *run, struct ft_trace *trace, struct ft_diag *diag)
{
    const struct ft_core_task *task = run->task;
    struct ft_core_walk *walk = &run->walk;
    FT_TRY(ft_core_of_machine(task->machine, &run->core, diag));
    FT_TRY(ft_core_model_make(&run->core, task->machine, &run->result->model, diag));
    FT_TRY(ft_trace_require_addresses(trace, diag));
    if (task->thread >= ft_trace_thread_count(trace))
        return ft_fail(diag, FT_ERROR_USAGE, "the trace has no thread %" PRIu32 ": it has %" PRIu32,
                       task->thread, ft_trace_thread_count(trace));
    FT_TRY(ft_trace_runs_of(trace, task->thread, FT_RUN_ACCESSES | FT_RUN_FETCHES, &run->executions,
                            &run->source, diag));
    FT_TRY(ft_core_code_make(&run->core, trace, run->source->references,
                             run->source->reference_count, &run->code, diag));
    run->before = calloc(run->code.count + (size_t)1, sizeof *run->before);
    run->executed = calloc(run->code.count + (size_t)1, sizeof *run->executed);
    if (!run->before || !run->executed)
        return ft_fail_memory(diag, "a simulation");
    *walk = (struct ft_core_walk){.machine = task->machine,
                                  .code = &run->code,
                                  .source = run->source,
                                  .executed = run->executed};
    FT_TRY(ft_hierarchy_create(task->machine, 1, task->seed, run->source->reference_count,
                               &walk->hierarchy, diag));
    FT_TRY(ft_core_simulation_create(&run->result->model, run->code.count, &walk->core, diag));
    FT_TRY(ft_core_walk_start(walk, diag));
    return plan_windows(run, trace, diag);
}

static void close(struct run *run)
{
    ft_core_simulation_destroy(run->walk.core);
    ft_hierarchy_destroy(run->walk.hierarchy);
    ft_core_walk_fini(&run->walk);
    ft_core_code_fini(&run->code);
    ft_core_fini(&run->core);
    if (run->source)
        run->source->destroy(run->source);
    ft_execution_counts_fini(&run->executions);
    free(run->before);
    free(run->executed);
    free(run->samples);
}

int ft_core_of_trace_run(struct ft_trace *trace, const struct ft_core_task *task,
                         struct ft_progress *progress, struct ft_core_of_trace *ret_result,
                         struct ft_diag *diag)
{
    struct ft_core_of_trace result = {0};
    struct run run = {.task = task, .result = &result};
    int status = start(&run, trace, diag);
    if (status == FT_OK)
        status = walk_all(&run, progress, diag);
    if (status == FT_OK)
        status = finish(&run, trace, diag);
    close(&run);
    if (status == FT_OK)
        *ret_result = result;
    else
        ft_core_of_trace_fini(&result);
    return status;
}

void ft_core_of_trace_fini(struct ft_core_of_trace *result)
{
    ft_scopes_fini(&result->scopes);
    free(result->rows);
    *result = (struct ft_core_of_trace){0};
}
