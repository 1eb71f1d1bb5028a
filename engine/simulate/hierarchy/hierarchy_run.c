/* Each batch is given to all hierarchies, in parallel (OpenMP), and to the taker. */
#include "engine/simulate/hierarchy/hierarchy_run.h"

#include <stdlib.h>

#include "engine/streams/run_batch.h"

struct pass {
    const struct ft_hierarchy_task *task;
    struct ft_run_source *source;
    struct ft_hierarchy_run run;
};

static int note_references(struct pass *pass, struct ft_diag *diag)
{
    struct ft_hierarchy_run *run = &pass->run;
    run->reference_count = pass->source->reference_count;
    run->accesses = calloc(run->reference_count + 1, sizeof *run->accesses);
    run->kinds = calloc(run->reference_count + 1, sizeof *run->kinds);
    if (!run->accesses || !run->kinds)
        return ft_fail_memory(diag, "the simulation");
    for (size_t r = 0; r < run->reference_count; r++)
        run->kinds[r] = pass->source->references[r].kind;
    return FT_OK;
}

static int create_hierarchies(struct pass *pass, struct ft_diag *diag)
{
    const struct ft_hierarchy_task *task = pass->task;
    struct ft_hierarchy_run *run = &pass->run;
    FT_TRY(note_references(pass, diag));
    run->hierarchies = calloc(task->machine_count + 1, sizeof(struct ft_hierarchy *));
    if (!run->hierarchies)
        return ft_fail_memory(diag, "the simulation");
    for (size_t i = 0; i < task->machine_count; i++) {
        FT_TRY(ft_hierarchy_create(&task->machines[i], task->thread_count, task->seed,
                                   pass->source->reference_count, &run->hierarchies[i], diag));
        ft_hierarchy_join_references(run->hierarchies[i], task->instructions);
        run->hierarchy_count++;
        if (task->causes)
            FT_TRY(ft_hierarchy_count_causes(run->hierarchies[i], pass->source->reference_count,
                                             diag));
    }
    return FT_OK;
}

static int feed_hierarchies(const struct pass *pass, const struct ft_run_batch *batch,
                            struct ft_diag *diag)
{
    const struct ft_hierarchy_run *run = &pass->run;
    int status = FT_OK;
#pragma omp parallel for schedule(dynamic) if (run->hierarchy_count > 1)
    for (size_t i = 0; i < run->hierarchy_count; i++) {
        struct ft_diag own;
        int failed =
            ft_hierarchy_feed(run->hierarchies[i], batch->thread, pass->source, batch, &own);
        if (failed) {
#pragma omp critical
            {
                status = failed;
                *diag = own;
            }
        }
    }
    return status;
}

/* Takes the source to its end. */
static int feed(const struct pass *pass, struct ft_progress *progress, struct ft_diag *diag)
{
    const struct ft_run_taker *taker = pass->task->taker;
    uint64_t done = 0;
    for (;;) {
        struct ft_run_batch batch;
        FT_TRY(pass->source->next(pass->source, &batch, diag));
        if (batch.run_count == 0)
            return FT_OK;
        FT_TRY(ft_run_batch_check(pass->source, &batch, diag));
        FT_TRY(feed_hierarchies(pass, &batch, diag));
        if (taker)
            FT_TRY(taker->take(taker->context, pass->source, &batch, diag));
        done += ft_run_batch_count(&batch, pass->run.accesses);
        ft_progress_update(progress, done, pass->source->access_count, "accesses");
    }
}

int ft_hierarchy_run(const struct ft_hierarchy_task *task, struct ft_run_source *source,
                     struct ft_progress *progress, struct ft_hierarchy_run *ret_run,
                     struct ft_diag *diag)
{
    const struct ft_run_taker *taker = task->taker;
    struct pass pass = {.task = task, .source = source, .run.thread_count = task->thread_count};
    int status = create_hierarchies(&pass, diag);
    if (status == FT_OK && taker)
        status = taker->begin(taker->context, source, task->thread_count, diag);
    if (status == FT_OK)
        status = feed(&pass, progress, diag);
    if (status != FT_OK) {
        ft_hierarchy_run_fini(&pass.run);
        return status;
    }
    *ret_run = pass.run;
    return FT_OK;
}

void ft_hierarchy_run_fini(struct ft_hierarchy_run *run)
{
    for (size_t i = 0; i < run->hierarchy_count; i++)
        ft_hierarchy_destroy(run->hierarchies[i]);
    free(run->hierarchies);
    free(run->accesses);
    free(run->kinds);
    *run = (struct ft_hierarchy_run){0};
}
