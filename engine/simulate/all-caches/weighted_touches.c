#include "engine/simulate/all-caches/weighted_touches.h"

#include "engine/streams/epochs.h"
#include "engine/streams/run_batch.h"

struct walk {
    struct ft_run_source *source;
    struct ft_epochs epochs;
    ft_touch_visitor *visit;
    void *context;
    uint64_t accesses;
};

static int touch_body(struct walk *walk, const struct ft_run_batch *batch, const struct ft_run *run,
                      uint64_t iteration, uint64_t weight, struct ft_diag *diag)
{
    unsigned shift = walk->epochs.block_shift;
    int status = FT_OK;
    for (uint32_t j = 0; status == FT_OK && j < run->reference_count; j++) {
        struct ft_epoch_entry entry = ft_epoch_entry(walk->source, batch, run->first + j);
        uint64_t address = entry.address + (iteration ? iteration * (uint64_t)entry.stride : 0);
        uint64_t blocks = ft_blocks_covered(shift, address, entry.size_bytes);
        for (; status == FT_OK && blocks > 0; blocks--, address += UINT64_C(1) << shift)
            status = walk->visit(walk->context, address >> shift, weight, diag);
    }
    return status;
}

static int walk_run(struct walk *walk, const struct ft_run_batch *batch, const struct ft_run *run,
                    struct ft_diag *diag)
{
    walk->accesses += run->reference_count * run->iteration_count;
    if (run->iteration_count == 1) /* strides mean nothing */
        return touch_body(walk, batch, run, 0, 1, diag);
    if (!ft_epochs_start(&walk->epochs, run))
        return ft_fail_memory(diag, "the simulation");
    int status = FT_OK;
    for (uint64_t iteration = 0; status == FT_OK && iteration < run->iteration_count;) {
        uint64_t blocks;
        uint64_t end = ft_epochs_end(&walk->epochs, walk->source, batch, run, iteration, &blocks);
        status = touch_body(walk, batch, run, iteration, 1, diag);
        uint64_t others = end - iteration - 1;
        if (status == FT_OK && others > 0)
            status = touch_body(walk, batch, run, iteration + 1, others, diag);
        iteration = end;
    }
    return status;
}

static int walk_source(struct walk *walk, struct ft_progress *progress, struct ft_diag *diag)
{
    for (;;) {
        struct ft_run_batch batch;
        int status = walk->source->next(walk->source, &batch, diag);
        if (status != FT_OK || batch.run_count == 0)
            return status;
        status = ft_run_batch_check(walk->source, &batch, diag);
        for (size_t r = 0; status == FT_OK && r < batch.run_count; r++)
            status = walk_run(walk, &batch, &batch.runs[r], diag);
        if (status != FT_OK)
            return status;
        ft_progress_update(progress, walk->accesses, walk->source->access_count, "accesses");
    }
}

int ft_weighted_touches(struct ft_run_source *source, unsigned block_shift, ft_touch_visitor *visit,
                        void *context, struct ft_progress *progress, uint64_t *ret_accesses,
                        struct ft_diag *diag)
{
    struct walk walk = {
        .source = source,
        .epochs = {.block_shift = block_shift},
        .visit = visit,
        .context = context,
    };
    int status = walk_source(&walk, progress, diag);
    ft_epochs_fini(&walk.epochs);
    *ret_accesses = walk.accesses;
    return status;
}
