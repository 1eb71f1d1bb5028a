#include "tests/support/synthetic_runs.h"

#include <stdlib.h>

#include "formats/base/array.h"

static void need(bool enough)
{
    if (!enough)
        abort();
}

static int give(struct ft_run_source *source, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    (void)diag;
    struct synthetic_runs *runs = (struct synthetic_runs *)source;
    if (runs->given == runs->run_count && runs->generate) {
        runs->given = runs->run_count = runs->entry_count = 0;
        while (runs->run_count == 0 && runs->generate(runs))
            ;
    }
    size_t count = runs->run_count - runs->given;
    if (runs->runs_a_batch && count > runs->runs_a_batch)
        count = runs->runs_a_batch;
    *ret_batch = (struct ft_run_batch){
        .runs = runs->runs + runs->given,
        .run_count = count,
        .references = runs->entry_references,
        .addresses = runs->addresses,
        .strides = runs->strides,
        .entry_count = runs->entry_count,
    };
    runs->given += count;
    return FT_OK;
}

static void keep(struct ft_run_source *source)
{
    (void)source;
}

void synthetic_init(struct synthetic_runs *runs)
{
    *runs = (struct synthetic_runs){.source = {.next = give, .destroy = keep}};
}

void synthetic_fini(struct synthetic_runs *runs)
{
    free(runs->references);
    free(runs->runs);
    free(runs->entry_references);
    free(runs->addresses);
    free(runs->strides);
}

uint32_t synthetic_reference(struct synthetic_runs *runs, uint32_t size_bytes)
{
    uint32_t number = runs->source.reference_count++;
    need(FT_RESERVE(runs->references, runs->reference_capacity, number + 1));
    runs->references[number] = (struct ft_reference){
        .pc = 0x400000 + 4ULL * number, .offset = 4ULL * number, .size_bytes = size_bytes};
    runs->source.references = runs->references;
    return number;
}

void synthetic_run(struct synthetic_runs *runs, uint64_t iteration_count)
{
    need(FT_RESERVE(runs->runs, runs->run_capacity, runs->run_count + 1));
    runs->runs[runs->run_count++] =
        (struct ft_run){.first = runs->entry_count, .iteration_count = iteration_count};
}

void synthetic_entry(struct synthetic_runs *runs, uint32_t reference, uint64_t address,
                     int64_t stride)
{
    size_t place = runs->entry_count++;
    need(FT_RESERVE(runs->entry_references, runs->reference_entry_capacity, place + 1));
    need(FT_RESERVE(runs->addresses, runs->address_capacity, place + 1));
    need(FT_RESERVE(runs->strides, runs->stride_capacity, place + 1));
    runs->entry_references[place] = reference;
    runs->addresses[place] = address;
    runs->strides[place] = stride;
    runs->runs[runs->run_count - 1].reference_count++;
}

void synthetic_access(struct synthetic_runs *runs, uint32_t reference, uint64_t address)
{
    synthetic_run(runs, 1);
    synthetic_entry(runs, reference, address, 0);
}

void synthetic_rewind(struct synthetic_runs *runs)
{
    runs->given = 0;
}

#define UNROLLED_ITERATIONS 1024U

/* Appends iterations of the inner source's runs until there are enough for a batch. */
static bool unroll(struct synthetic_runs *own)
{
    struct unrolled_runs *unrolled = (struct unrolled_runs *)own;
    struct ft_run_batch *batch = &unrolled->batch;
    while (own->run_count < UNROLLED_ITERATIONS) {
        if (unrolled->run == batch->run_count) {
            if (own->run_count)
                return true;
            need(unrolled->inner->next(unrolled->inner, batch, NULL) == FT_OK);
            if (batch->run_count == 0)
                return false;
            unrolled->run = 0;
            unrolled->iteration = 0;
        }
        const struct ft_run *run = &batch->runs[unrolled->run];
        if (unrolled->iteration == run->iteration_count) {
            unrolled->run++;
            unrolled->iteration = 0;
            continue;
        }
        synthetic_run(own, 1);
        for (size_t j = run->first; j < run->first + run->reference_count; j++)
            synthetic_entry(own, batch->references[j],
                            batch->addresses[j] +
                                (run->iteration_count > 1
                                     ? unrolled->iteration * (uint64_t)batch->strides[j]
                                     : 0),
                            0);
        unrolled->iteration++;
    }
    return true;
}

void unrolled_init(struct unrolled_runs *unrolled, struct ft_run_source *inner)
{
    *unrolled = (struct unrolled_runs){.inner = inner};
    synthetic_init(&unrolled->own);
    unrolled->own.source.references = inner->references;
    unrolled->own.source.reference_count = inner->reference_count;
    unrolled->own.source.access_count = inner->access_count;
    unrolled->own.generate = unroll;
}

void unrolled_fini(struct unrolled_runs *unrolled)
{
    synthetic_fini(&unrolled->own);
}
