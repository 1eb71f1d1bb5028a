#include "tests/support/reference_interleaving.h"

#include <stdlib.h>

#include "formats/base/array.h"

__extension__ typedef unsigned __int128 wide;

void interleaved_add(struct interleaved_accesses *accesses, uint32_t thread,
                     const struct ft_run_batch *batch)
{
    for (const struct ft_run *run = batch->runs; run < batch->runs + batch->run_count; run++)
        for (uint64_t i = 0; i < run->iteration_count; i++)
            for (size_t j = run->first; j < run->first + run->reference_count; j++) {
                const uint64_t beyond =
                    run->iteration_count > 1 ? i * (uint64_t)batch->strides[j] : 0;
                if (!FT_RESERVE(accesses->items, accesses->capacity, accesses->count + 1))
                    abort();
                accesses->items[accesses->count++] =
                    (struct interleaved_access){.address = batch->addresses[j] + beyond,
                                                .thread = thread,
                                                .reference = batch->references[j]};
            }
}

/* From the first timestamp of all to the last. */
struct times {
    uint64_t first, last;
};

static struct times times_of(const struct ft_thread_order *order)
{
    struct times times = {UINT64_MAX, 0};
    for (uint32_t t = 0; t < order->thread_count; t++)
        for (size_t i = 0; i < order->threads[t].count; i++) {
            uint64_t time = order->threads[t].timestamps[i].time;
            times.first = time < times.first ? time : times.first;
            times.last = time > times.last ? time : times.last;
        }
    return times.first == UINT64_MAX ? (struct times){0, UINT64_C(1) << 62} : times;
}

/* The time at which the slice of a thread's access begins. */
static uint64_t time_of(const struct ft_thread_timestamps *thread, struct times times, size_t index)
{
    uint64_t begin = 0, end = thread->accesses, start = times.first, stop = times.last;
    for (size_t i = 0; i < thread->count; i++)
        if (thread->timestamps[i].accesses <= index) {
            begin = thread->timestamps[i].accesses;
            start = thread->timestamps[i].time;
        }
    for (size_t i = thread->count; i-- > 0;)
        if (thread->timestamps[i].accesses > index) {
            end = thread->timestamps[i].accesses;
            stop = thread->timestamps[i].time;
        }
    uint64_t in_slice = (index - begin) / FT_SLICE_ACCESSES * FT_SLICE_ACCESSES;
    return start + (uint64_t)((wide)(stop - start) * in_slice / (end - begin));
}

static int by_time(const void *left, const void *right)
{
    const struct interleaved_access *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

void interleaved_make(struct interleaved_accesses *accesses, struct ft_run_source *const *sources,
                      const struct ft_thread_order *order)
{
    const struct times times = times_of(order);
    for (uint32_t t = 0; t < order->thread_count; t++) {
        struct ft_run_batch batch;
        const size_t first = accesses->count;
        while (sources[t]->next(sources[t], &batch, NULL) == FT_OK && batch.run_count)
            interleaved_add(accesses, t, &batch);
        for (size_t i = first; i < accesses->count; i++) {
            accesses->items[i].index = i - first;
            accesses->items[i].time = time_of(&order->threads[t], times, i - first);
        }
    }
    if (accesses->count)
        qsort(accesses->items, accesses->count, sizeof *accesses->items, by_time);
}
