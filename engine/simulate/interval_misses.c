/*
 * A simulation counts by reference, and to a cache it does not matter which reference an access is
 * of: so runs are cut where intervals end, and what an interval has of accesses of one size becomes
 * a reference of its own. Nothing of the walk, which takes several accesses or iterations at once,
 * has to be ended there.
 */
#include "engine/simulate/interval_misses.h"

#include <stdlib.h>

#include "engine/simulate/trace_runs.h"
#include "engine/streams/run_batch.h"
#include "formats/base/array.h"

struct cut_runs {
    struct ft_run_source source; /* first, so that a source is cast to its whole */
    struct ft_run_source *inner;
    uint64_t interval_accesses, accesses; /* given so far */
    size_t interval_count;
    uint32_t *size_of;               /* [reference of inner]: which size its accesses have */
    uint32_t size_count;             /* distinct ones */
    struct ft_reference *references; /* [interval * size_count + size] */
    struct ft_run *runs;
    uint32_t *entries;
    uint64_t *addresses;
    int64_t *strides;
    size_t run_count, run_capacity;
    size_t entry_count, entry_capacity, address_capacity, stride_capacity;
};

/* ---- cutting ---- */

static size_t interval_of(const struct cut_runs *cut)
{
    const uint64_t interval = cut->accesses / cut->interval_accesses;
    return interval < cut->interval_count ? (size_t)interval : cut->interval_count - 1;
}

/* Accesses until the interval ends. */
static uint64_t room(const struct cut_runs *cut)
{
    return interval_of(cut) + 1 < cut->interval_count
               ? cut->interval_accesses - cut->accesses % cut->interval_accesses
               : UINT64_MAX - cut->accesses;
}

/* Entries of a run's body, in so many iterations from `iteration` on, all in one interval. */
static int add_piece(struct cut_runs *cut, const struct ft_run_batch *batch, size_t first,
                     uint32_t entry_count, uint64_t iteration, uint64_t iteration_count,
                     struct ft_diag *diag)
{
    const uint32_t base = (uint32_t)interval_of(cut) * cut->size_count;
    const size_t end = cut->entry_count + entry_count;
    if (!FT_RESERVE(cut->runs, cut->run_capacity, cut->run_count + 1) ||
        !FT_RESERVE(cut->entries, cut->entry_capacity, end) ||
        !FT_RESERVE(cut->addresses, cut->address_capacity, end) ||
        !FT_RESERVE(cut->strides, cut->stride_capacity, end))
        return ft_fail_memory(diag, "the simulation");
    cut->runs[cut->run_count++] = (struct ft_run){cut->entry_count, entry_count, iteration_count};
    for (size_t i = first; i < first + entry_count; i++) {
        const size_t at = cut->entry_count++;
        cut->entries[at] = base + cut->size_of[batch->references[i]];
        cut->strides[at] = iteration_count > 1 ? batch->strides[i] : 0;
        cut->addresses[at] = batch->addresses[i];
        if (iteration > 0)
            cut->addresses[at] += iteration * (uint64_t)batch->strides[i];
    }
    cut->accesses += entry_count * iteration_count;
    return FT_OK;
}

/* An iteration in which intervals end. */
static int cut_iteration(struct cut_runs *cut, const struct ft_run_batch *batch,
                         const struct ft_run *run, uint64_t iteration, struct ft_diag *diag)
{
    for (uint32_t entry = 0; entry < run->reference_count;) {
        const uint64_t left = run->reference_count - entry;
        const uint32_t count = (uint32_t)(room(cut) < left ? room(cut) : left);
        FT_TRY(add_piece(cut, batch, run->first + entry, count, iteration, 1, diag));
        entry += count;
    }
    return FT_OK;
}

static int cut_run(struct cut_runs *cut, const struct ft_run_batch *batch, const struct ft_run *run,
                   struct ft_diag *diag)
{
    const uint32_t body = run->reference_count;
    for (uint64_t iteration = 0; body > 0 && iteration < run->iteration_count;) {
        const uint64_t left = run->iteration_count - iteration, whole = room(cut) / body;
        const uint64_t count = whole < left ? whole : left;
        FT_TRY(count > 0 ? add_piece(cut, batch, run->first, body, iteration, count, diag)
                         : cut_iteration(cut, batch, run, iteration, diag));
        iteration += count > 0 ? count : 1;
    }
    return FT_OK;
}

static int next(struct ft_run_source *source, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct cut_runs *cut = (struct cut_runs *)source;
    struct ft_run_batch batch;
    cut->run_count = cut->entry_count = 0;
    /* A batch of runs without iterations would be taken for the end. */
    do {
        FT_TRY(cut->inner->next(cut->inner, &batch, diag));
        FT_TRY(ft_run_batch_check(cut->inner, &batch, diag));
        for (size_t i = 0; i < batch.run_count; i++)
            FT_TRY(cut_run(cut, &batch, &batch.runs[i], diag));
    } while (batch.run_count > 0 && cut->run_count == 0);
    *ret_batch = (struct ft_run_batch){
        .runs = cut->runs,
        .run_count = cut->run_count,
        .references = cut->entries,
        .addresses = cut->addresses,
        .strides = cut->strides,
        .entry_count = cut->entry_count,
        .thread = batch.thread,
    };
    return FT_OK;
}

/* ---- the source ---- */

/* The sizes of accesses that there are, each once. */
static int find_sizes(struct cut_runs *cut, uint32_t **ret_sizes, struct ft_diag *diag)
{
    const uint32_t count = cut->inner->reference_count;
    uint32_t *sizes = calloc(count + (size_t)1, sizeof *sizes);
    cut->size_of = calloc(count + (size_t)1, sizeof *cut->size_of);
    if (!sizes || !cut->size_of) {
        free(sizes);
        return ft_fail_memory(diag, "the simulation");
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = 0;
        while (size < cut->size_count && sizes[size] != cut->inner->references[i].size_bytes)
            size++;
        sizes[size] = cut->inner->references[i].size_bytes;
        cut->size_of[i] = size;
        cut->size_count += size == cut->size_count;
    }
    *ret_sizes = sizes;
    return FT_OK;
}

static int make_references(struct cut_runs *cut, struct ft_diag *diag)
{
    uint32_t *sizes = NULL;
    FT_TRY(find_sizes(cut, &sizes, diag));
    const size_t count = cut->interval_count * cut->size_count;
    int status = count > UINT32_MAX ? ft_fail(diag, FT_ERROR_UNSUPPORTED,
                                              "accesses of too many sizes for so many intervals")
                                    : FT_OK;
    if (status == FT_OK && !(cut->references = calloc(count + 1, sizeof *cut->references)))
        status = ft_fail_memory(diag, "the simulation");
    for (size_t i = 0; status == FT_OK && i < count; i++)
        cut->references[i].size_bytes = sizes[i % cut->size_count];
    free(sizes);
    cut->source.references = cut->references;
    cut->source.reference_count = (uint32_t)count;
    cut->source.access_count = cut->inner->access_count;
    return status;
}

static void fini(struct cut_runs *cut)
{
    free(cut->size_of);
    free(cut->references);
    free(cut->runs);
    free(cut->entries);
    free(cut->addresses);
    free(cut->strides);
}

struct opener {
    ft_source_opener *open;
    void *context;
    uint64_t interval_accesses;
    size_t interval_count;
    struct cut_runs cut;
};

static int open_cut(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct opener *opener = context;
    fini(&opener->cut);
    opener->cut = (struct cut_runs){
        .source.next = next,
        .interval_accesses = opener->interval_accesses,
        .interval_count = opener->interval_count,
    };
    FT_TRY(opener->open(opener->context, &opener->cut.inner, diag));
    FT_TRY(make_references(&opener->cut, diag));
    *ret_source = &opener->cut.source;
    return FT_OK;
}

/* ---- results ---- */

static int sum_up(const struct ft_simulation *simulation, uint32_t size_count,
                  struct ft_interval_misses *misses, struct ft_diag *diag)
{
    const size_t cells = misses->interval_count * simulation->level_count;
    misses->level_count = simulation->level_count;
    misses->accesses = calloc(misses->interval_count + 1, sizeof *misses->accesses);
    misses->set_associative = calloc(cells + 1, sizeof *misses->set_associative);
    misses->fully_associative = calloc(cells + 1, sizeof *misses->fully_associative);
    if (!misses->accesses || !misses->set_associative || !misses->fully_associative)
        return ft_fail_memory(diag, "the simulation");
    for (uint32_t j = 0; j < simulation->reference_count; j++) {
        const size_t interval = j / size_count;
        misses->accesses[interval] += simulation->accesses[j];
        for (size_t level = 0; level < simulation->level_count; level++) {
            const size_t cell = interval * simulation->level_count + level;
            const size_t from = level * simulation->reference_count + j;
            misses->set_associative[cell] += simulation->set_associative_misses[from];
            misses->fully_associative[cell] += simulation->fully_associative_misses[from];
        }
    }
    return FT_OK;
}

int ft_simulate_intervals(const struct ft_machine *machine, uint32_t thread_count,
                          ft_source_opener *open, void *context, uint64_t interval_accesses,
                          size_t interval_count, struct ft_progress *progress,
                          struct ft_interval_misses *ret_misses, struct ft_diag *diag)
{
    struct opener opener = {.open = open,
                            .context = context,
                            .interval_accesses = interval_accesses,
                            .interval_count = interval_count};
    struct ft_interval_misses misses = {.interval_count = interval_count};
    struct ft_simulation simulation = {0};
    int status = ft_simulate(machine, thread_count, open_cut, &opener, progress, &simulation, diag);
    if (status == FT_OK) {
        status = sum_up(&simulation, opener.cut.size_count, &misses, diag);
        ft_simulation_fini(&simulation);
    }
    fini(&opener.cut);
    if (status == FT_OK)
        *ret_misses = misses;
    else
        ft_interval_misses_fini(&misses);
    return status;
}

void ft_interval_misses_fini(struct ft_interval_misses *misses)
{
    free(misses->accesses);
    free(misses->set_associative);
    free(misses->fully_associative);
    *misses = (struct ft_interval_misses){0};
}

/* ---- of a trace ---- */

int ft_trace_interval_misses(struct ft_trace *trace, const struct ft_machine *machine,
                             uint64_t interval_accesses, size_t interval_count,
                             struct ft_progress *progress, struct ft_interval_misses *ret_misses,
                             struct ft_diag *diag)
{
    struct ft_trace_runs runs = {.trace = trace};
    int status =
        ft_simulate_intervals(machine, ft_trace_thread_count(trace), ft_trace_runs_open, &runs,
                              interval_accesses, interval_count, progress, ret_misses, diag);
    ft_trace_runs_close(&runs);
    return status;
}
