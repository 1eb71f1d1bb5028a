/*
 * A run whose references each stand in its body once has one step a reference from iteration to
 * iteration: all but the first count at once. Otherwise its accesses are taken one by one.
 */
#include "engine/simulate/signature/locality.h"

#include <math.h>
#include <stdlib.h>

struct seen {
    uint64_t address;
    uint64_t run; /* the last run of several iterations that it stood in, 1: of one; 0: none */
};

struct ft_spatial {
    struct ft_spatial_score *scores;
    struct seen *seen;
    uint64_t run;
};

int ft_spatial_create(uint32_t reference_count, struct ft_spatial **ret_spatial,
                      struct ft_diag *diag)
{
    size_t references = reference_count ? reference_count : 1;
    struct ft_spatial *spatial = calloc(1, sizeof *spatial);
    if (spatial) {
        spatial->scores = calloc(references, sizeof *spatial->scores);
        spatial->seen = calloc(references, sizeof *spatial->seen);
    }
    if (spatial)
        spatial->run = 1;
    if (!spatial || !spatial->scores || !spatial->seen) {
        ft_spatial_destroy(spatial);
        return ft_fail_memory(diag, "scores of locality");
    }
    *ret_spatial = spatial;
    return FT_OK;
}

void ft_spatial_destroy(struct ft_spatial *spatial)
{
    if (!spatial)
        return;
    free(spatial->scores);
    free(spatial->seen);
    free(spatial);
}

static void add_steps(struct ft_spatial_score *score, uint32_t size_bytes, uint64_t step,
                      uint64_t count)
{
    uint64_t length = step >> 63 ? -step : step;
    if (length == 0)
        return;
    score->steps += count;
    score->sum += (double)count * (length > size_bytes ? (double)size_bytes / (double)length : 1);
}

static uint32_t size_of(const struct ft_run_source *source, uint32_t reference)
{
    uint32_t size_bytes = source->references[reference].size_bytes;
    return size_bytes ? size_bytes : 1;
}

static void take_access(struct ft_spatial *spatial, const struct ft_run_source *source,
                        uint32_t reference, uint64_t address)
{
    struct seen *seen = &spatial->seen[reference];
    if (seen->run)
        add_steps(&spatial->scores[reference], size_of(source, reference), address - seen->address,
                  1);
    seen->address = address;
    seen->run += seen->run == 0;
}

/* Whether a reference stands in the body twice; marks all of them as standing in this run. */
static bool has_twice(struct ft_spatial *spatial, const struct ft_run_batch *batch,
                      const struct ft_run *run)
{
    bool twice = false;
    spatial->run++;
    for (uint32_t j = 0; j < run->reference_count; j++) {
        struct seen *seen = &spatial->seen[batch->references[run->first + j]];
        twice |= seen->run == spatial->run;
        seen->run = spatial->run;
    }
    return twice;
}

static void take_iteration(struct ft_spatial *spatial, const struct ft_run_source *source,
                           const struct ft_run_batch *batch, const struct ft_run *run,
                           uint64_t iteration)
{
    for (uint32_t j = 0; j < run->reference_count; j++) {
        size_t entry = run->first + j;
        uint64_t offset = iteration ? iteration * (uint64_t)batch->strides[entry] : 0;
        take_access(spatial, source, batch->references[entry], batch->addresses[entry] + offset);
    }
}

void ft_spatial_feed(struct ft_spatial *spatial, const struct ft_run_source *source,
                     const struct ft_run_batch *batch)
{
    for (size_t r = 0; r < batch->run_count; r++) {
        const struct ft_run *run = &batch->runs[r];
        if (run->iteration_count == 0)
            continue;
        take_iteration(spatial, source, batch, run, 0);
        uint64_t others = run->iteration_count - 1;
        if (others > 1 && has_twice(spatial, batch, run)) {
            for (uint64_t i = 1; i <= others; i++)
                take_iteration(spatial, source, batch, run, i);
            continue;
        }
        if (others > 1)
            for (uint32_t j = 0; j < run->reference_count; j++) {
                uint32_t reference = batch->references[run->first + j];
                uint64_t step = (uint64_t)batch->strides[run->first + j];
                add_steps(&spatial->scores[reference], size_of(source, reference), step,
                          others - 1);
                spatial->seen[reference].address += (others - 1) * step;
            }
        if (others > 0)
            take_iteration(spatial, source, batch, run, others);
    }
}

const struct ft_spatial_score *ft_spatial_scores(const struct ft_spatial *spatial)
{
    return spatial->scores;
}

double ft_temporal_sum(const struct ft_histogram *histogram)
{
    double sum = 0;
    for (size_t i = 0; i < histogram->bin_count; i++) {
        const struct ft_bin *bin = &histogram->bins[i];
        double mean = (double)bin->distance_sum / (double)bin->count;
        double weight = 1 - log2(1 + mean) / FT_TEMPORAL_OCTAVES_MAX;
        if (weight > 0)
            sum += (double)bin->count * weight;
    }
    return sum;
}
