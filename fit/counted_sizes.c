/*
 * 1. Each run must be of the traces' build. One of a training size has to agree with the trace
 *    there, start-up apart, which depends on the environment: block by block, in instructions.
 * 2. Entries stand in the order that matching needs, the largest trace last; columns by size.
 * 3. Replica i from the end, which lacks training sizes, lacks the i-th largest size of all as
 * well.
 */
#include "fit/counted_sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/matching/matched_parts.h"
#include "fit/training_sizes.h"
#include "formats/scopes/block_index.h"

#define DIFFERENT 0.01 /* of the instructions of a size: more is not start-up */

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the counted sizes");
}

/* ---- one run against the traces ---- */

/* The same code in two entries. */
struct pair {
    const struct ft_scopes *one, *other;
    struct ft_block_index index; /* of the other one */
    uint32_t *modules;           /* [module of the one]: of the other */
};

static void pair_fini(struct pair *pair)
{
    ft_block_index_fini(&pair->index);
    free(pair->modules);
}

/* false: out of memory. */
static bool pair_init(struct pair *pair, const struct ft_scopes *one, const struct ft_scopes *other)
{
    *pair = (struct pair){.one = one, .other = other};
    pair->modules = ft_map_modules(one, other);
    if (pair->modules && ft_block_index_init(&pair->index, other))
        return true;
    pair_fini(pair);
    return false;
}

/* The block of the other one that holds a block's first instruction, or NULL. */
static const struct ft_block *find(const struct pair *pair, const struct ft_block *block)
{
    const bool has = block->module != FT_NO_MODULE;
    const uint32_t module = has ? pair->modules[block->module] : FT_NO_MODULE;
    return has && module == FT_NO_MODULE ? NULL
                                         : ft_block_index_find(&pair->index, module, block->offset);
}

/* How far the counts of a run are from those of a trace of its size. */
struct difference {
    double instructions;
    double worst;      /* in one block; 0: they agree */
    const char *scope; /* of that block */
    uint64_t traced, counted;
};

static void add_block(struct difference *difference, const struct ft_scopes *scopes,
                      const struct ft_block *block, uint64_t traced, uint64_t counted)
{
    const double instructions =
        (double)block->instruction_count * fabs((double)traced - (double)counted);
    difference->instructions += instructions;
    if (instructions > difference->worst) {
        difference->worst = instructions;
        difference->scope = scopes->scopes[block->scope].name;
        difference->traced = traced;
        difference->counted = counted;
    }
}

/* Of the blocks of the trace, then of those that the run alone has. */
static int find_difference(const struct ft_scopes *traced, const struct ft_scopes *run,
                           struct difference *difference, struct ft_diag *diag)
{
    struct pair pair;
    *difference = (struct difference){0};
    if (!pair_init(&pair, traced, run))
        return no_memory(diag);
    for (size_t i = 0; i < traced->block_count; i++) {
        const struct ft_block *block = &traced->blocks[i], *found = find(&pair, block);
        add_block(difference, traced, block, block->execution_count,
                  found ? found->execution_count : 0);
    }
    pair_fini(&pair);
    if (!pair_init(&pair, run, traced))
        return no_memory(diag);
    for (size_t i = 0; i < run->block_count; i++)
        if (!find(&pair, &run->blocks[i]))
            add_block(difference, run, &run->blocks[i], 0, run->blocks[i].execution_count);
    pair_fini(&pair);
    return FT_OK;
}

static double all_instructions(const struct ft_scopes *scopes)
{
    double all = 0;
    for (size_t i = 0; i < scopes->block_count; i++)
        all +=
            (double)scopes->blocks[i].execution_count * (double)scopes->blocks[i].instruction_count;
    return all;
}

/* A run at a training size. */
static int compare(const struct ft_histograms *run, const char *path,
                   const struct ft_histograms *traced, const char *size, struct ft_diag *diag)
{
    struct difference difference;
    FT_TRY(find_difference(&traced->scopes, &run->scopes, &difference, diag));
    if (difference.instructions <= DIFFERENT * all_instructions(&traced->scopes))
        return FT_OK;
    return ft_fail(diag, FT_ERROR_USAGE,
                   "--counts %s: the trace at %s has other counts (a block of %s ran %llu times "
                   "there, %llu times here): these are different inputs, or the program does not "
                   "do the same twice; capture both with the same arguments, or leave one out",
                   path, size, difference.scope, (unsigned long long)difference.traced,
                   (unsigned long long)difference.counted);
}

static int check_build(const struct ft_histograms *run, const char *path,
                       const struct ft_histograms *traced, struct ft_diag *diag)
{
    const struct ft_histograms *both[] = {run, traced};
    if (ft_count_builds(both, 2) == 1)
        return FT_OK;
    char *one = ft_metadata_command(&run->metadata);
    char *other = ft_metadata_command(&traced->metadata);
    int status =
        ft_fail(diag, FT_ERROR_USAGE,
                "--counts %s: ran '%.200s', another program or build than the traces' '%.200s': "
                "capture --counts with the same file, or replay all traces of the new build",
                path, one ? one : "", other ? other : "");
    free(one);
    free(other);
    return status;
}

/* ---- all of them ---- */

/* What is being made: values are by entry at first. */
struct making {
    struct ft_counted_sizes *sizes;
    double values[FT_TRAINING_MAX * FT_PARAMETERS_MAX];
    const char *paths[FT_TRAINING_MAX];
    const char *const *parameters;
    size_t width;
};

/* Puts a run in its place among those before. */
static int sort_in(struct making *making, const struct ft_histograms *run, const char *path,
                   const double *values, struct ft_diag *diag)
{
    struct ft_counted_sizes *sizes = making->sizes;
    const size_t width = making->width;
    char text[256];
    size_t at = sizes->alone;
    for (; at > 0; at--) {
        const int order = ft_training_compare(making->values + (at - 1) * width, values, width);
        if (order == 0)
            return ft_fail(
                diag, FT_ERROR_USAGE, "--counts %s and %s both have %s: pass only one of them",
                making->paths[at - 1], path,
                ft_training_values_text(text, sizeof text, making->parameters, width, values));
        if (order < 0)
            break;
        memcpy(making->values + at * width, making->values + (at - 1) * width,
               width * sizeof *values);
        sizes->entries[at] = sizes->entries[at - 1];
        making->paths[at] = making->paths[at - 1];
    }
    memcpy(making->values + at * width, values, width * sizeof *values);
    sizes->entries[at] = run;
    making->paths[at] = path;
    sizes->alone++;
    return FT_OK;
}

static int add_run(struct making *making, const struct ft_histograms *run, const char *path,
                   const struct ft_histograms *const *traced, const double *traced_values,
                   size_t traced_count, struct ft_diag *diag)
{
    const size_t width = making->width;
    double values[FT_PARAMETERS_MAX];
    char text[256];
    FT_TRY(check_build(run, path, traced[traced_count - 1], diag));
    FT_TRY(ft_training_values(run, making->parameters, width, values, diag));
    for (size_t e = 0; e < traced_count; e++)
        if (ft_training_compare(traced_values + e * width, values, width) == 0) {
            ft_training_values_text(text, sizeof text, making->parameters, width, values);
            return compare(run, path, traced[e], text, diag);
        }
    if (making->sizes->alone + traced_count >= FT_TRAINING_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "--counts %s: a model has at most %u sizes", path,
                       FT_TRAINING_MAX);
    return sort_in(making, run, path, values, diag);
}

/* The entries are in their places, with their values. */
static int set_columns(struct making *making, struct ft_diag *diag)
{
    struct ft_counted_sizes *sizes = making->sizes;
    const size_t width = making->width;
    sizes->values = calloc(sizes->count * width + 1, sizeof *sizes->values);
    if (!sizes->values)
        return no_memory(diag);
    for (size_t e = 0; e < sizes->count; e++) {
        const double *values = making->values + e * width;
        for (size_t other = 0; other < sizes->count; other++)
            sizes->columns[e] +=
                ft_training_compare(making->values + other * width, values, width) < 0;
        memcpy(sizes->values + sizes->columns[e] * width, values, width * sizeof *values);
    }
    return ft_match_scopes(&sizes->match, sizes->entries, sizes->count, diag);
}

int ft_counted_sizes_init(struct ft_counted_sizes *sizes, const struct ft_histograms *const *traced,
                          const double *values, size_t traced_count,
                          const struct ft_histograms *runs, const char *const *paths,
                          size_t run_count, const char *const *parameters, size_t width,
                          struct ft_diag *diag)
{
    struct making making = {.sizes = sizes, .parameters = parameters, .width = width};
    *sizes = (struct ft_counted_sizes){.count = traced_count};
    if (run_count == 0)
        return FT_OK;
    if (ft_count_builds(traced, traced_count) > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--counts %s: the traces are of a build per size, whose code differs; "
                       "counts without addresses need one build that takes its size as an argument",
                       paths[0]);
    sizes->entries = calloc(FT_TRAINING_MAX + 1, sizeof *sizes->entries);
    int status = sizes->entries ? FT_OK : no_memory(diag);
    for (size_t i = 0; i < run_count && status == FT_OK; i++)
        status = add_run(&making, &runs[i], paths[i], traced, values, traced_count, diag);
    if (status == FT_OK && sizes->alone > 0) {
        sizes->count += sizes->alone;
        memcpy(sizes->entries + sizes->alone, traced, traced_count * sizeof *traced);
        memcpy(making.values + sizes->alone * width, values, traced_count * width * sizeof *values);
        status = set_columns(&making, diag);
    }
    if (status < 0)
        ft_counted_sizes_fini(sizes);
    return status;
}

void ft_counted_sizes_fini(struct ft_counted_sizes *sizes)
{
    ft_match_fini(&sizes->match);
    ft_axis_fini(&sizes->axis);
    ft_leave_out_axes_fini(&sizes->without);
    free(sizes->entries);
    free(sizes->values);
    *sizes = (struct ft_counted_sizes){0};
}

void ft_counted_sizes_order(const struct ft_counted_sizes *sizes, double *rows, size_t row_count)
{
    double row[FT_TRAINING_MAX];
    for (size_t i = 0; i < row_count && sizes->alone > 0; i++) {
        double *from = rows + i * sizes->count;
        for (size_t e = 0; e < sizes->count; e++)
            row[sizes->columns[e]] = from[e];
        memcpy(from, row, sizes->count * sizeof *row);
    }
}

int ft_counted_sizes_leave_out(struct ft_counted_sizes *sizes, const struct ft_left_out_sets *sets,
                               struct ft_diag *diag)
{
    const struct ft_left_out_sets own = ft_left_out_sets_of(&sizes->axis);
    struct ft_left_out_sets both = {.count = sets->count};
    for (size_t i = 0; i < sets->count; i++) {
        for (size_t e = sizes->alone; e < sizes->count; e++)
            if (sets->sizes[i] >> (e - sizes->alone) & 1)
                both.sizes[i] |= (uint64_t)1 << sizes->columns[e];
        const size_t from_end = sets->count - i;
        const uint64_t more =
            both.sizes[i] | (from_end <= own.count ? own.sizes[own.count - from_end] : 0);
        if (ft_left_out_is_spared(&sizes->axis, more))
            both.sizes[i] = more;
    }
    return both.count > 0 ? ft_leave_out_axes_init(&sizes->without, &sizes->axis, &both, diag)
                          : FT_OK;
}

size_t ft_counted_sizes_traced(const struct ft_counted_sizes *sizes, size_t smallest)
{
    size_t traced = 0;
    for (size_t e = sizes->alone; e < sizes->count; e++)
        traced += sizes->columns[e] < smallest;
    return traced;
}

/* ---- code without a trace ---- */

/* The instructions of each scope of a run that are in blocks which no trace has. */
static int sum_untraced(const struct ft_counted_sizes *sizes, const struct ft_scopes *run,
                        double *untraced, struct ft_diag *diag)
{
    bool *is_traced = calloc(run->block_count + 1, sizeof *is_traced);
    int status = is_traced ? FT_OK : no_memory(diag);
    for (size_t e = sizes->alone; e < sizes->count && status == FT_OK; e++) {
        struct pair pair;
        if (!pair_init(&pair, run, &sizes->entries[e]->scopes)) {
            status = no_memory(diag);
            break;
        }
        for (size_t i = 0; i < run->block_count; i++)
            is_traced[i] = is_traced[i] || find(&pair, &run->blocks[i]);
        pair_fini(&pair);
    }
    for (size_t i = 0; i < run->block_count && status == FT_OK; i++)
        if (!is_traced[i])
            untraced[run->blocks[i].scope] +=
                (double)run->blocks[i].execution_count * (double)run->blocks[i].instruction_count;
    free(is_traced);
    return status;
}

int ft_counted_sizes_look(const struct ft_counted_sizes *sizes, struct ft_counted_notes *notes,
                          struct ft_diag *diag)
{
    for (size_t e = 0; e < sizes->alone; e++) {
        const struct ft_scopes *run = &sizes->entries[e]->scopes;
        double *untraced = calloc(run->scope_count + 1, sizeof *untraced);
        int status = untraced ? sum_untraced(sizes, run, untraced, diag) : no_memory(diag);
        double sum = 0;
        size_t worst = 0;
        for (size_t i = 0; i < run->scope_count && status == FT_OK; i++) {
            sum += untraced[i];
            worst = untraced[i] > untraced[worst] ? i : worst;
        }
        free(untraced);
        if (status < 0)
            return status;
        const double share = sum / fmax(all_instructions(run), 1);
        if (share > notes->untraced_share) {
            notes->untraced_share = share;
            notes->scope = &run->scopes[worst];
            notes->run = e;
        }
    }
    return FT_OK;
}
