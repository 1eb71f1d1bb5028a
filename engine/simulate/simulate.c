/*
 * The walk of a replay, without its stacks, for all levels at once: each has a fully associative
 * and a set-associative cache (touched_caches.h), of which one stands for both where they are the
 * same.
 *
 *  sharings  levels that the same threads share: their block sizes, and their caches
 *  groups    of the threads of a sharing: a walk and its caches each
 *  results
 *  passes    a source through all groups, again where regions have to be smaller
 */
#include "engine/simulate/simulate.h"

#include <stdlib.h>

#include "engine/reuse/stacks/replay.h"
#include "engine/simulate/touched_caches.h"
#include "engine/streams/run_batch.h"

struct group {
    struct ft_replay *replay;
    struct ft_touched_caches *caches;
};

struct sharing {
    uint32_t shared_by;
    struct ft_block_sizes sizes;
    struct ft_cache_shape *shapes;
    uint64_t **misses; /* [shape]: where those of all groups are added up, by reference */
    size_t shape_count;
    struct group *groups; /* [thread / shared_by] */
    uint32_t group_count;
};

struct pass {
    const struct ft_machine *machine;
    uint32_t thread_count;
    unsigned region_shift; /* log2 of the bytes of a region */
    struct sharing *sharings;
    size_t sharing_count;
    struct ft_simulation *simulation;
    enum ft_replay_retry retry; /* after a failure */
};

/* ---- sharings ---- */

static uint32_t shared_by(const struct pass *pass, const struct ft_level *level)
{
    return level->shared_by < pass->thread_count ? level->shared_by : pass->thread_count;
}

static struct sharing *find_sharing(struct pass *pass, const struct ft_level *level)
{
    const uint32_t cores = shared_by(pass, level);
    for (size_t i = 0; i < pass->sharing_count; i++)
        if (pass->sharings[i].shared_by == cores)
            return &pass->sharings[i];
    struct sharing *sharing = &pass->sharings[pass->sharing_count++];
    *sharing = (struct sharing){
        .shared_by = cores,
        .shapes = calloc(2 * pass->machine->level_count, sizeof *sharing->shapes),
        .misses = calloc(2 * pass->machine->level_count, sizeof *sharing->misses),
    };
    return sharing;
}

static unsigned size_index(const struct ft_block_sizes *sizes, uint64_t block_bytes)
{
    unsigned index = 0;
    while (index < sizes->count && sizes->bytes[index] < block_bytes)
        index++;
    return index;
}

/* Keeps the sizes ascending, each once. */
static int add_size(struct ft_block_sizes *sizes, uint64_t block_bytes, struct ft_diag *diag)
{
    const unsigned index = size_index(sizes, block_bytes);
    if (index < sizes->count && sizes->bytes[index] == block_bytes)
        return FT_OK;
    if (sizes->count == FT_BLOCK_SIZES_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "levels of more than %d block sizes",
                       FT_BLOCK_SIZES_MAX);
    for (size_t i = sizes->count++; i > index; i--)
        sizes->bytes[i] = sizes->bytes[i - 1];
    sizes->bytes[index] = block_bytes;
    return FT_OK;
}

static void add_shape(struct sharing *sharing, const struct ft_level *level, uint64_t ways,
                      uint64_t *misses)
{
    sharing->shapes[sharing->shape_count] = (struct ft_cache_shape){
        size_index(&sharing->sizes, level->block_bytes), level->blocks, ways};
    sharing->misses[sharing->shape_count++] = misses;
}

static int make_sharings(struct pass *pass, struct ft_diag *diag)
{
    const struct ft_machine *machine = pass->machine;
    const struct ft_simulation *simulation = pass->simulation;
    pass->sharings = calloc(machine->level_count + 1, sizeof *pass->sharings);
    if (!pass->sharings)
        return ft_fail_memory(diag, "the simulation");
    for (size_t i = 0; i < machine->level_count; i++) {
        struct sharing *sharing = find_sharing(pass, &machine->levels[i]);
        if (!sharing->shapes || !sharing->misses)
            return ft_fail_memory(diag, "the simulation");
        FT_TRY(add_size(&sharing->sizes, machine->levels[i].block_bytes, diag));
    }
    for (size_t i = 0; i < machine->level_count; i++) {
        const struct ft_level *level = &machine->levels[i];
        const size_t row = i * simulation->reference_count;
        struct sharing *sharing = find_sharing(pass, level);
        if (level->ways != level->blocks)
            add_shape(sharing, level, level->ways, simulation->set_associative_misses + row);
        add_shape(sharing, level, level->blocks, simulation->fully_associative_misses + row);
    }
    return FT_OK;
}

/* ---- groups ---- */

static int begin_group(const struct pass *pass, const struct sharing *sharing,
                       const struct ft_run_source *source, struct group *group,
                       struct ft_diag *diag)
{
    FT_TRY(ft_replay_create(&sharing->sizes, NULL, &group->replay, diag));
    ft_replay_limit(group->replay, pass->region_shift, UINT64_MAX);
    FT_TRY(ft_touched_caches_create(sharing->shapes, sharing->shape_count, source->reference_count,
                                    &group->caches, diag));
    ft_replay_walk_for(group->replay, ft_touched_caches_listener(group->caches));
    return ft_replay_begin(group->replay, source->references, source->reference_count, diag);
}

static int begin_groups(struct pass *pass, const struct ft_run_source *source, struct ft_diag *diag)
{
    for (size_t i = 0; i < pass->sharing_count; i++) {
        struct sharing *sharing = &pass->sharings[i];
        sharing->group_count = (pass->thread_count - 1) / sharing->shared_by + 1;
        sharing->groups = calloc(sharing->group_count, sizeof *sharing->groups);
        if (!sharing->groups)
            return ft_fail_memory(diag, "the simulation");
        for (uint32_t g = 0; g < sharing->group_count; g++)
            FT_TRY(begin_group(pass, sharing, source, &sharing->groups[g], diag));
    }
    return FT_OK;
}

static int check_group(struct pass *pass, const struct group *group, int status)
{
    if (status != FT_OK)
        pass->retry = ft_replay_retry(group->replay);
    return status;
}

static void destroy_sharings(struct pass *pass)
{
    for (size_t i = 0; pass->sharings && i < pass->sharing_count; i++) {
        struct sharing *sharing = &pass->sharings[i];
        for (uint32_t g = 0; sharing->groups && g < sharing->group_count; g++) {
            ft_replay_destroy(sharing->groups[g].replay);
            ft_touched_caches_destroy(sharing->groups[g].caches);
        }
        free(sharing->groups);
        free(sharing->shapes);
        free(sharing->misses);
    }
    free(pass->sharings);
}

/* ---- results ---- */

static int end_group(struct pass *pass, const struct sharing *sharing, const struct group *group,
                     struct ft_diag *diag)
{
    FT_TRY(check_group(pass, group, ft_replay_end(group->replay, diag)));
    FT_TRY(ft_touched_caches_end(group->caches, diag));
    for (size_t k = 0; k < sharing->shape_count; k++) {
        const uint64_t *misses = ft_touched_caches_misses(group->caches, k);
        for (uint32_t j = 0; j < pass->simulation->reference_count; j++)
            sharing->misses[k][j] += misses[j];
    }
    return FT_OK;
}

static int end_groups(struct pass *pass, struct ft_diag *diag)
{
    for (size_t i = 0; i < pass->sharing_count; i++)
        for (uint32_t g = 0; g < pass->sharings[i].group_count; g++)
            FT_TRY(end_group(pass, &pass->sharings[i], &pass->sharings[i].groups[g], diag));
    return FT_OK;
}

static void copy_full_levels(const struct pass *pass)
{
    const struct ft_simulation *simulation = pass->simulation;
    for (size_t i = 0; i < pass->machine->level_count; i++)
        if (pass->machine->levels[i].ways == pass->machine->levels[i].blocks)
            for (uint32_t j = 0; j < simulation->reference_count; j++) {
                size_t index = i * simulation->reference_count + j;
                simulation->set_associative_misses[index] =
                    simulation->fully_associative_misses[index];
            }
}

/* ---- passes ---- */

/* Gives every batch to the group of its thread in each sharing until the source ends. */
static int take_source(struct pass *pass, struct ft_run_source *source,
                       struct ft_progress *progress, struct ft_diag *diag)
{
    uint64_t done = 0;
    for (;;) {
        struct ft_run_batch batch;
        FT_TRY(source->next(source, &batch, diag));
        if (batch.run_count == 0)
            return FT_OK;
        FT_TRY(ft_run_batch_check(source, &batch, diag));
        done += ft_run_batch_count(&batch, pass->simulation->accesses);
        for (size_t i = 0; i < pass->sharing_count; i++) {
            const struct sharing *sharing = &pass->sharings[i];
            const struct group *group = &sharing->groups[batch.thread / sharing->shared_by];
            FT_TRY(check_group(pass, group, ft_replay_take(group->replay, &batch, diag)));
        }
        ft_progress_update(progress, done, source->access_count, "accesses");
    }
}

static int simulate_source(struct pass *pass, struct ft_run_source *source,
                           struct ft_progress *progress, struct ft_diag *diag)
{
    FT_TRY(make_sharings(pass, diag));
    FT_TRY(begin_groups(pass, source, diag));
    FT_TRY(take_source(pass, source, progress, diag));
    return end_groups(pass, diag);
}

int ft_simulation_init(struct ft_simulation *simulation, size_t level_count,
                       uint32_t reference_count, struct ft_diag *diag)
{
    const size_t references = reference_count ? reference_count : 1;
    *simulation = (struct ft_simulation){
        .level_count = level_count,
        .reference_count = reference_count,
        .accesses = calloc(references, sizeof(uint64_t)),
        .set_associative_misses = calloc(level_count * references, sizeof(uint64_t)),
        .fully_associative_misses = calloc(level_count * references, sizeof(uint64_t)),
    };
    if (simulation->accesses && simulation->set_associative_misses &&
        simulation->fully_associative_misses)
        return FT_OK;
    ft_simulation_fini(simulation);
    return ft_fail_memory(diag, "the simulation");
}

/* The next smaller regions: pages, then the smallest blocks; 0 where there are none. */
static unsigned smaller_regions(const struct ft_machine *machine, unsigned region_shift)
{
    unsigned smallest = 63;
    for (size_t i = 0; i < machine->level_count; i++) {
        unsigned shift = (unsigned)__builtin_ctzll(machine->levels[i].block_bytes);
        smallest = shift < smallest ? shift : smallest;
    }
    unsigned next = region_shift > FT_PAGE_REGION_SHIFT && smallest < FT_PAGE_REGION_SHIFT
                        ? FT_PAGE_REGION_SHIFT
                        : smallest;
    return next < region_shift ? next : 0;
}

/* One pass over the source. The thread that reads it fills buffers of touches, which all threads of
 * the parallel region empty. */
static int simulate_once(struct pass *pass, ft_source_opener *open, void *context,
                         struct ft_progress *progress, struct ft_diag *diag)
{
    struct ft_run_source *source;
    FT_TRY(open(context, &source, diag));
    FT_TRY(ft_simulation_init(pass->simulation, pass->machine->level_count, source->reference_count,
                              diag));
    int status = FT_OK;
#pragma omp parallel
#pragma omp single
    status = simulate_source(pass, source, progress, diag);
    destroy_sharings(pass);
    if (status == FT_OK)
        copy_full_levels(pass);
    else
        ft_simulation_fini(pass->simulation);
    return status;
}

int ft_simulate(const struct ft_machine *machine, uint32_t thread_count, ft_source_opener *open,
                void *context, struct ft_progress *progress, struct ft_simulation *ret_simulation,
                struct ft_diag *diag)
{
    for (unsigned region_shift = FT_REGION_SHIFT;;) {
        struct ft_simulation simulation;
        struct pass pass = {
            .machine = machine,
            .thread_count = thread_count ? thread_count : 1,
            .region_shift = region_shift,
            .simulation = &simulation,
        };
        int status = simulate_once(&pass, open, context, progress, diag);
        if (status == FT_OK)
            *ret_simulation = simulation;
        region_shift = smaller_regions(machine, region_shift);
        if (status == FT_OK || pass.retry != FT_RETRY_SMALLER_REGIONS || region_shift == 0)
            return status;
    }
}

void ft_simulation_fini(struct ft_simulation *simulation)
{
    free(simulation->accesses);
    free(simulation->set_associative_misses);
    free(simulation->fully_associative_misses);
    *simulation = (struct ft_simulation){0};
}
