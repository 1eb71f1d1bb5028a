#include "tests/support/random_runs.h"

#include <stdlib.h>
#include <string.h>

#include "formats/x86/instruction.h"
#include "tests/support/random.h"

static void fill_batch(struct random_runs *random, struct ft_run_batch *batch)
{
    static const int64_t strides[] = {0, 8, 8, 8, 4, -8, 24, 64, -64, 72, 256, 4096, 5000, -4096};
    uint64_t *state = &random->state;
    size_t entries = 0;
    *batch = (struct ft_run_batch){random->runs,    0, random->entry_references, random->addresses,
                                   random->strides, 0};
    while (batch->run_count < RANDOM_RUNS && entries + 20 < RANDOM_ENTRIES) {
        uint32_t body = 1 + (uint32_t)random_below(state, random_below(state, 4) ? 4 : 20);
        uint64_t iterations = random_below(state, 3) ? 1 + random_below(state, 300) : 1;
        random->runs[batch->run_count++] = (struct ft_run){entries, body, iterations};
        for (uint32_t j = 0; j < body; j++, entries++) {
            random->entry_references[entries] = (uint32_t)random_below(state, RANDOM_REFERENCES);
            random->addresses[entries] =
                0x100000 + 4 * random_below(state, random_below(state, 2) ? 64 : 16384);
            random->strides[entries] =
                strides[random_below(state, sizeof strides / sizeof *strides)];
            uint32_t reference = random->entry_references[entries];
            if (random->references[reference].kind == FT_FETCH) {
                random->addresses[entries] = random->references[reference].pc;
                random->strides[entries] = 0;
            }
        }
    }
    batch->entry_count = entries;
    batch->thread =
        random->thread_count > 1 ? (uint32_t)random_below(state, random->thread_count) : 0;
}

static int next_batch(struct ft_run_source *source, struct ft_run_batch *ret_batch,
                      struct ft_diag *diag)
{
    struct random_runs *random = (struct random_runs *)source;
    (void)diag;
    if (random->batches_left == 0)
        *ret_batch = (struct ft_run_batch){0};
    else
        fill_batch(random, ret_batch);
    random->batches_left -= random->batches_left > 0;
    return FT_OK;
}

void random_runs_init(struct random_runs *random, uint64_t seed)
{
    static const uint32_t sizes[] = {1, 4, 8, 8, 8, 16, 32, 64, 100};
    memset(random, 0, sizeof *random);
    random->seed = random->state = seed;
    random->source = (struct ft_run_source){
        .references = random->references, .reference_count = RANDOM_REFERENCES, .next = next_batch};
    for (int i = 0; i < RANDOM_REFERENCES; i++) {
        random->references[i].size_bytes =
            sizes[random_below(&random->state, sizeof sizes / sizeof *sizes)];
        random->references[i].kind = i % 3 == 2 ? 1 : 0; /* FT_STORE, FT_LOAD */
        random->references[i].pc = 0x1000 + 4 * (uint64_t)i;
    }
    random->batches_left = 5;
}

int random_runs_open(void *random, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct random_runs *runs = random;
    (void)diag;
    if (runs->thread_count > 1)
        random_runs_init_mixed(runs, runs->seed, runs->thread_count);
    else
        random_runs_init(runs, runs->seed);
    *ret_source = &runs->source;
    return FT_OK;
}

void random_runs_init_mixed(struct random_runs *random, uint64_t seed, uint32_t thread_count)
{
    random_runs_init(random, seed);
    random->thread_count = thread_count;
    random->batches_left = thread_count > 1 ? 20 : 5;
    for (int i = 1; i < RANDOM_REFERENCES; i += 2) {
        struct ft_reference *fetch = &random->references[i];
        fetch->kind = FT_FETCH;
        fetch->access_index = FT_FETCH_INDEX;
        fetch->size_bytes = 1 + (uint32_t)i;
        fetch->pc = 0x100000 + random_below(&random->state, 8192);
    }
}
