#include "engine/streams/interleaved_thread.h"

#include <stdlib.h>

#include "formats/base/array.h"

static int reserve(struct ft_interleaved_thread *thread, size_t runs, size_t entries,
                   struct ft_diag *diag)
{
    return FT_RESERVE(thread->runs, thread->run_capacity, runs + 1) &&
                   FT_RESERVE(thread->references, thread->reference_capacity, entries + 1) &&
                   FT_RESERVE(thread->addresses, thread->address_capacity, entries + 1) &&
                   FT_RESERVE(thread->strides, thread->stride_capacity, entries + 1)
               ? FT_OK
               : ft_fail_memory(diag, "what was read of a thread");
}

int ft_interleaved_thread_add(struct ft_interleaved_thread *thread,
                              const struct ft_run_batch *batch, size_t first_run,
                              struct ft_diag *diag)
{
    size_t entries = 0;
    for (size_t i = first_run; i < batch->run_count; i++)
        entries += batch->runs[i].reference_count;
    int status =
        reserve(thread, thread->run_count + batch->run_count, thread->entry_count + entries, diag);
    for (size_t i = first_run; !status && i < batch->run_count; i++) {
        const struct ft_run *run = &batch->runs[i];
        thread->runs[thread->run_count++] =
            (struct ft_run){thread->entry_count, run->reference_count, run->iteration_count};
        for (size_t j = run->first; j < run->first + run->reference_count; j++) {
            thread->references[thread->entry_count] = batch->references[j];
            thread->addresses[thread->entry_count] = batch->addresses[j];
            /* Strides of runs of one iteration are nobody's. */
            thread->strides[thread->entry_count++] =
                run->iteration_count > 1 ? batch->strides[j] : 0;
        }
    }
    return status;
}

struct ft_run_batch ft_interleaved_thread_batch(const struct ft_interleaved_thread *thread)
{
    return (struct ft_run_batch){
        .runs = thread->runs,
        .run_count = thread->run_count,
        .references = thread->references,
        .addresses = thread->addresses,
        .strides = thread->strides,
        .entry_count = thread->entry_count,
    };
}

void ft_interleaved_thread_fini(struct ft_interleaved_thread *thread)
{
    free(thread->runs);
    free(thread->references);
    free(thread->addresses);
    free(thread->strides);
    *thread = (struct ft_interleaved_thread){0};
}

/* ---- to a file, and from one ---- */

void ft_interleaved_thread_put(struct ft_sealed_output *output,
                               const struct ft_interleaved_thread *thread)
{
    const size_t runs = thread->run_count, entries = thread->entry_count;
    const uint64_t numbers[] = {thread->segment, thread->taken, thread->iteration,
                                thread->entry,   runs,          entries};
    ft_sealed_put(output, numbers, sizeof numbers);
    for (size_t i = 0; i < runs; i++) { /* their padding is nobody's */
        ft_sealed_put_u64(output, thread->runs[i].reference_count);
        ft_sealed_put_u64(output, thread->runs[i].iteration_count);
    }
    if (entries == 0)
        return;
    ft_sealed_put(output, thread->references, entries * sizeof *thread->references);
    ft_sealed_put(output, thread->addresses, entries * sizeof *thread->addresses);
    ft_sealed_put(output, thread->strides, entries * sizeof *thread->strides);
}

static bool is_good(const struct ft_interleaved_thread *thread)
{
    if (thread->run_count == 0)
        return thread->iteration == 0 && thread->entry == 0;
    const struct ft_run *first = &thread->runs[0];
    return thread->iteration <= first->iteration_count &&
           (thread->entry == 0 || thread->entry < first->reference_count);
}

/* Each run is a pair of numbers in the file: a count of them asks for no more than is there. */
static int get_runs(struct ft_sealed_input *input, struct ft_interleaved_thread *thread,
                    uint64_t count, uint64_t entries, struct ft_diag *diag)
{
    uint64_t *numbers = ft_sealed_get_array(input, 2 * count, sizeof *numbers);
    thread->runs = numbers ? calloc(count + 1, sizeof *thread->runs) : NULL;
    uint64_t at = 0;
    bool good = thread->runs != NULL;
    for (uint64_t i = 0; good && i < count; i++) {
        good = numbers[2 * i] <= entries - at;
        if (!good)
            break;
        thread->runs[i] = (struct ft_run){at, (uint32_t)numbers[2 * i], numbers[2 * i + 1]};
        at += numbers[2 * i];
    }
    free(numbers);
    thread->run_count = thread->run_capacity = good ? count : 0;
    return good && at == entries
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "the runs of a thread are inconsistent");
}

int ft_interleaved_thread_get(struct ft_sealed_input *input, struct ft_interleaved_thread *thread,
                              struct ft_diag *diag)
{
    uint64_t numbers[6];
    ft_sealed_get(input, numbers, sizeof numbers);
    const uint64_t runs = numbers[4], entries = numbers[5];
    *thread = (struct ft_interleaved_thread){.segment = numbers[0],
                                             .taken = numbers[1],
                                             .iteration = numbers[2],
                                             .entry = (uint32_t)numbers[3]};
    if (runs > UINT32_MAX || entries > UINT32_MAX || numbers[3] > UINT32_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "the runs of a thread are inconsistent");
    int status = get_runs(input, thread, runs, entries, diag);
    if (status || entries == 0)
        return status ? status
               : is_good(thread)
                   ? FT_OK
                   : ft_fail(diag, FT_ERROR_DATA, "the runs of a thread are inconsistent");
    thread->references = ft_sealed_get_array(input, entries, sizeof *thread->references);
    thread->addresses = ft_sealed_get_array(input, entries, sizeof *thread->addresses);
    thread->strides = ft_sealed_get_array(input, entries, sizeof *thread->strides);
    thread->entry_count = thread->reference_capacity = thread->address_capacity =
        thread->stride_capacity = entries;
    return thread->references && thread->addresses && thread->strides && is_good(thread)
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "the runs of a thread are inconsistent");
}
