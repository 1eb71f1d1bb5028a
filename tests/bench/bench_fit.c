/*
 * How long fit takes for many groups of references, on histograms made here:
 * bench_fit [GROUPS [BLOCK-SIZES [TRAINING-SIZES]]], 2000, 6 and 9 by default, in one thread.
 *
 * A group has three to five modes of touches: so many per n^2 or n^3, at distances that stay, or
 * grow like n or n^2, each spread over an octave. A third of the groups follows its laws but for
 * integers, a third scatters by 0.3 % and a third by 5 %, so that every path of the fit is
 * taken.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fit/fit_model.h"
#include "tests/support/random.h"

#define MODES_MAX 5
#define SPREAD    12 /* distances of one mode */
#define BLOCK_LOG 5  /* the smallest blocks are of 32 bytes */

struct mode {
    double touches, touches_exponent;
    double distance, distance_exponent;
};

static double uniform(uint64_t *state)
{
    return (double)random_below(state, 1U << 30) / (double)(1U << 30);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

/* The same laws at every size: the state starts with the group's number. */
static size_t draw_modes(uint64_t group, struct mode modes[MODES_MAX])
{
    uint64_t state = group;
    size_t count = 3 + random_below(&state, MODES_MAX - 2);
    for (size_t i = 0; i < count; i++)
        modes[i] =
            (struct mode){.touches = 1 + floor(32 * uniform(&state)) / 8,
                          .touches_exponent = i == 0 ? 3 : 2 + (double)(random_below(&state, 2)),
                          .distance = pow(4, (double)i) * (2 + 4 * uniform(&state)),
                          .distance_exponent = (double)(i < 2 ? i : 2)};
    return count;
}

static void add_touches(struct ft_histogram *histogram, double distance_blocks, double touches)
{
    uint64_t distance = (uint64_t)distance_blocks, count = (uint64_t)touches;
    uint32_t bin = ft_bin_of(distance);
    size_t at = 0;
    if (count == 0)
        return;
    while (at < histogram->bin_count && histogram->bins[at].bin < bin)
        at++;
    if (at == histogram->bin_count || histogram->bins[at].bin != bin) {
        memmove(&histogram->bins[at + 1], &histogram->bins[at],
                (histogram->bin_count - at) * sizeof *histogram->bins);
        histogram->bins[at] = (struct ft_bin){.bin = bin};
        histogram->bin_count++;
    }
    histogram->bins[at].count += count;
    histogram->bins[at].distance_sum += distance * count;
    histogram->touches += count;
}

static void make_histogram(struct ft_histogram *histogram, uint64_t group, size_t block_size,
                           double n)
{
    static const double noises[] = {0, 0.003, 0.05};
    struct mode modes[MODES_MAX];
    size_t count = draw_modes(group, modes);
    uint64_t state = group * 1000003 + block_size * 1009 + (uint64_t)n;
    histogram->bins = allocate(MODES_MAX * SPREAD, sizeof *histogram->bins);
    for (size_t i = 0; i < count; i++) {
        double share = exp2(-(double)block_size * (i == 0 ? 0 : 0.5));
        double touches = modes[i].touches * pow(n, modes[i].touches_exponent) * share / SPREAD;
        double distance = modes[i].distance * pow(n, modes[i].distance_exponent) * share;
        for (size_t j = 0; j < SPREAD; j++) {
            double noise = 1 + noises[group % 3] * (2 * uniform(&state) - 1);
            add_touches(histogram, distance * exp2((double)j / SPREAD), floor(touches) * noise);
        }
    }
    histogram->cold = (uint64_t)(n * n * exp2(-(double)block_size)) + 1;
    histogram->touches += histogram->cold;
}

/* A routine for each group: those of one routine may be joined. */
static void make_scopes(struct ft_scopes *scopes, size_t groups)
{
    *scopes = (struct ft_scopes){.modules = allocate(1, sizeof *scopes->modules),
                                 .module_count = 1,
                                 .scopes = allocate(2 + groups, sizeof *scopes->scopes),
                                 .scope_count = 2 + groups,
                                 .references = allocate(groups, sizeof *scopes->references),
                                 .reference_count = groups,
                                 .group_count = (uint32_t)groups};
    scopes->modules[0] = (struct ft_scope_module){strdup("program"), strdup("program"), "aa"};
    scopes->scopes[0] = (struct ft_scope){.module = FT_NO_MODULE, .kind = FT_SCOPE_PROGRAM};
    scopes->scopes[1] = (struct ft_scope){.kind = FT_SCOPE_MODULE};
    for (size_t i = 0; i < groups; i++) {
        scopes->scopes[2 + i] = (struct ft_scope){.parent = 1,
                                                  .kind = FT_SCOPE_ROUTINE,
                                                  .start_offset = 16 * i,
                                                  .end_offset = 16 * (i + 1)};
        scopes->references[i] = (struct ft_scoped_reference){
            .offset = 16 * i, .scope = (uint32_t)(2 + i), .group = (uint32_t)i, .size_bytes = 8};
    }
    for (size_t i = 0; i < scopes->scope_count; i++) {
        scopes->scopes[i].name = strdup("program");
        scopes->scopes[i].file = strdup("");
    }
}

static void make_entry(struct ft_histograms *entry, size_t groups, size_t block_sizes, double n)
{
    *entry = (struct ft_histograms){
        .size_count = block_sizes,
        .reference_count = groups,
        .trace_hash = strdup("made"),
        .block_bytes = allocate(block_sizes, sizeof *entry->block_bytes),
        .reference_accesses = allocate(groups, sizeof *entry->reference_accesses),
        .reference_strides = allocate(groups, sizeof *entry->reference_strides),
        .distinct_blocks = allocate(block_sizes, sizeof *entry->distinct_blocks),
        .histograms = allocate(groups * block_sizes, sizeof *entry->histograms)};
    entry->metadata.program = strdup("made");
    entry->metadata.parameters = allocate(1, sizeof *entry->metadata.parameters);
    entry->metadata.parameters[0] = (struct ft_parameter){strdup("N"), n};
    entry->metadata.parameter_count = 1;
    make_scopes(&entry->scopes, groups);
    for (size_t size = 0; size < block_sizes; size++)
        entry->block_bytes[size] = UINT64_C(1) << (BLOCK_LOG + size);
    for (size_t i = 0; i < groups; i++)
        for (size_t size = 0; size < block_sizes; size++) {
            struct ft_histogram *histogram = &entry->histograms[i * block_sizes + size];
            make_histogram(histogram, i + 1, size, n);
            entry->distinct_blocks[size] += histogram->cold;
            entry->reference_accesses[i] = histogram->touches;
        }
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    size_t counts[3] = {2000, 6, 9};
    for (int i = 1; i < argc && i <= 3; i++)
        counts[i - 1] = strtoull(argv[i], NULL, 10);
    if (counts[0] == 0 || counts[1] == 0 || counts[2] < 3 || counts[2] > FT_TRAINING_MAX)
        return 2;
    struct ft_histograms *entries = allocate(counts[2], sizeof *entries);
    for (size_t k = 0; k < counts[2]; k++)
        make_entry(&entries[k], counts[0], counts[1], 32 + 16 * (double)k);
    struct ft_fit_options options = {.threads = 1};
    struct ft_model model;
    struct ft_diag diag = {0};
    double start = cpu_seconds();
    if (ft_fit_model(entries, counts[2], &options, &model, NULL, &diag) < 0) {
        fprintf(stderr, "bench_fit: %s\n", diag.message);
        return 1;
    }
    double seconds = cpu_seconds() - start;
    size_t bins = 0;
    for (size_t i = 0; i < model.group_count; i++)
        for (size_t size = 0; size < model.size_count; size++)
            bins += ft_member_bins_count(model.groups[i].histograms[size].members[0].bins);
    printf("%zu groups x %zu block sizes x %zu training sizes: %.2f s of CPU, %zu groups and %zu "
           "bins in the model\n",
           counts[0], counts[1], counts[2], seconds, model.group_count, bins);
    ft_model_fini(&model);
    for (size_t k = 0; k < counts[2]; k++)
        ft_histograms_fini(&entries[k]);
    free(entries);
    return 0;
}
