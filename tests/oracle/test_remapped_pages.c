/*
 * First touches of pages since they were mapped again, against the definition, access by access: on
 * random runs of one thread and of several, with random mappings and a program break that rises and
 * falls. And of loops that stay in a page for long.
 */
#include "engine/data/remapped_pages.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "tests/support/random.h"
#include "tests/support/random_runs.h"
#include "tests/support/run_accesses.h"
#include "tests/support/tap.h"

#define THREADS_MAX 3U
#define EVENTS      40U
#define PAGE_BYTES  UINT64_C(4096)
#define BASE        UINT64_C(0xf0000) /* runs begin behind it */
#define PAGES       80U               /* of those that they touch */
#define MAPPED_MAX  6U                /* at once */

/* ---- the definition ---- */

struct expected {
    const struct ft_memory_events *events;
    const struct ft_run_source *source;
    uint32_t thread;
    uint64_t accesses[THREADS_MAX];
    size_t next[THREADS_MAX];
    bool is_touched[PAGES], is_given_back[PAGES];
    uint64_t program_break;
    uint64_t touches[RANDOM_REFERENCES];
};

static void give_back(struct expected *expected, uint64_t from, uint64_t to)
{
    for (uint64_t page = 0; page < PAGES; page++) {
        const uint64_t start = BASE + page * PAGE_BYTES;
        if (start >= from && start < to && expected->is_touched[page])
            expected->is_given_back[page] = true;
    }
}

static void apply(struct expected *expected, const struct ft_memory_event *event)
{
    if (event->kind == FT_MEMORY_MAPPED)
        give_back(expected, event->address, event->address + event->bytes);
    if (event->kind != FT_MEMORY_BREAK)
        return;
    if (event->address < expected->program_break)
        give_back(expected, event->address, expected->program_break);
    expected->program_break = event->address;
}

static void expect(void *context, uint32_t reference, uint64_t address)
{
    struct expected *expected = context;
    const struct ft_reference *from = &expected->source->references[reference];
    const uint32_t t = expected->thread;
    const struct ft_thread_memory *memory = &expected->events->threads[t];
    while (expected->next[t] < memory->count &&
           memory->events[expected->next[t]].position <= expected->accesses[t])
        apply(expected, &memory->events[expected->next[t]++]);
    expected->accesses[t] += from->kind != FT_FETCH;
    if (from->kind == FT_FETCH || from->kind == FT_PREFETCH)
        return;
    uint64_t last = UINT64_MAX;
    for (uint64_t byte = address; byte < address + from->size_bytes; byte++) {
        const uint64_t page = (byte - BASE) / PAGE_BYTES;
        if (page == last || page >= PAGES)
            continue;
        expected->touches[reference] += expected->is_given_back[page];
        expected->is_given_back[page] = false;
        expected->is_touched[page] = true;
        last = page;
    }
}

static void expect_all(struct expected *expected, struct ft_run_source *source)
{
    struct ft_run_batch batch = {.run_count = 1};
    struct ft_diag diag = {0};
    expected->source = source;
    while (source->next(source, &batch, &diag) == FT_OK && batch.run_count > 0) {
        expected->thread = batch.thread;
        visit_batch(&batch, expect, expected);
    }
}

/* ---- random programs ---- */

static int compare_events(const void *left, const void *right)
{
    const struct ft_memory_event *a = left, *b = right;
    return (a->position > b->position) - (a->position < b->position);
}

/* Where events can stand: before any access of what is not a loop, and between iterations. */
struct positions {
    uint64_t accesses;
    uint64_t *items;
    size_t count, capacity;
};

static void add_position(struct positions *positions)
{
    if (!FT_RESERVE(positions->items, positions->capacity, positions->count + 1))
        exit(99);
    positions->items[positions->count++] = positions->accesses;
}

static void list_positions(struct ft_run_source *source, struct positions *positions)
{
    struct ft_run_batch batch = {.run_count = 1};
    struct ft_diag diag = {0};
    while (source->next(source, &batch, &diag) == FT_OK && batch.run_count > 0)
        for (size_t r = 0; r < batch.run_count; r++) {
            const struct ft_run *run = &batch.runs[r];
            for (uint64_t i = 0; i < run->iteration_count; i++) {
                add_position(&positions[batch.thread]);
                for (uint32_t j = 0; j < run->reference_count; j++) {
                    const uint32_t reference = batch.references[run->first + j];
                    positions[batch.thread].accesses +=
                        source->references[reference].kind != FT_FETCH;
                    if (run->iteration_count == 1)
                        add_position(&positions[batch.thread]);
                }
            }
        }
}

/* Everything is mapped at first, and the first thread's break is where it begins. */
static void make_events(uint64_t *state, uint32_t threads, const struct positions *positions,
                        struct ft_memory_event events[THREADS_MAX][EVENTS],
                        struct ft_thread_memory *memory)
{
    for (uint32_t t = 0; t < threads; t++) {
        for (size_t i = 0; i < EVENTS; i++) {
            struct ft_memory_event *event = &events[t][i];
            const uint64_t page = 1 + random_below(state, PAGES - MAPPED_MAX);
            const size_t at = positions[t].count ? random_below(state, positions[t].count) : 0;
            *event = (struct ft_memory_event){
                .position = positions[t].count ? positions[t].items[at] : 0,
                .kind = FT_MEMORY_MAPPED,
                .address = BASE + page * PAGE_BYTES,
                .bytes = random_below(state, MAPPED_MAX) * PAGE_BYTES};
            if (t == 0 && i % 2)
                *event = (struct ft_memory_event){.position = event->position,
                                                  .kind = FT_MEMORY_BREAK,
                                                  .address = event->address};
        }
        events[t][0] = (struct ft_memory_event){
            .kind = FT_MEMORY_MAPPED, .address = BASE, .bytes = PAGES * PAGE_BYTES};
        events[t][1].position = 0;
        if (t == 0)
            events[t][1] =
                (struct ft_memory_event){.kind = FT_MEMORY_BREAK, .address = BASE + PAGE_BYTES};
        qsort(events[t] + 2, EVENTS - 2, sizeof *events[t], compare_events);
        memory[t] = (struct ft_thread_memory){events[t], EVENTS, EVENTS, 0};
    }
}

static void check_random(uint64_t seed, uint32_t threads)
{
    struct random_runs random;
    struct ft_memory_event events[THREADS_MAX][EVENTS];
    struct ft_thread_memory memory[THREADS_MAX];
    const struct ft_memory_events all = {memory, threads, false};
    struct expected expected = {.events = &all};
    uint64_t touches[RANDOM_REFERENCES] = {0}, state = seed, sum = 0;
    struct positions positions[THREADS_MAX] = {{0}};
    struct ft_diag diag = {0};
    random_runs_init_mixed(&random, seed, threads);
    list_positions(&random.source, positions);
    make_events(&state, threads, positions, events, memory);
    random_runs_init_mixed(&random, seed, threads);
    expect_all(&expected, &random.source);
    random_runs_init_mixed(&random, seed, threads);
    const int status = ft_remapped_pages_count(&all, &random.source, touches, &diag);
    for (size_t r = 0; r < RANDOM_REFERENCES; r++)
        sum += touches[r];
    tap_ok(status == FT_OK && memcmp(touches, expected.touches, sizeof touches) == 0,
           "seed %u, %u threads: %u first touches %s", (unsigned)seed, threads, (unsigned)sum,
           diag.message);
    for (uint32_t t = 0; t < threads; t++)
        free(positions[t].items);
}

/* ---- a loop ---- */

#define ITERATIONS 100000U
#define START      (UINT64_C(0x7fff00000000))

struct loop {
    struct ft_run_source source;
    unsigned sweeps_left;
};

static const struct ft_reference loop_references[] = {{.size_bytes = 8, .kind = FT_STORE},
                                                      {.size_bytes = 8, .kind = FT_LOAD}};

/* A sweep up, and the other reference down. */
static int next_sweep(struct ft_run_source *source, struct ft_run_batch *ret_batch,
                      struct ft_diag *diag)
{
    static const struct ft_run run = {0, 2, ITERATIONS};
    static const uint32_t references[] = {0, 1};
    static const uint64_t addresses[] = {START, START + 8U * (ITERATIONS - 1)};
    static const int64_t strides[] = {8, -8};
    struct loop *loop = (struct loop *)source;
    (void)diag;
    *ret_batch =
        (struct ft_run_batch){&run,    loop->sweeps_left > 0,         references, addresses,
                              strides, loop->sweeps_left > 0 ? 2 : 0, 0};
    loop->sweeps_left -= loop->sweeps_left > 0;
    return FT_OK;
}

/* Mapped again at the start of each sweep but the first, and once in the middle of the last. */
static void check_loop(void)
{
    const uint64_t bytes = 8U * ITERATIONS, pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    struct loop loop = {{loop_references, 2, 0, next_sweep, NULL}, 3};
    struct ft_memory_event events[4];
    struct ft_thread_memory memory = {events, 4, 4, 0};
    const struct ft_memory_events all = {&memory, 1, false};
    uint64_t touches[2] = {0};
    struct ft_diag diag = {0};
    for (uint64_t i = 0; i < 4; i++)
        events[i] =
            (struct ft_memory_event){.kind = FT_MEMORY_MAPPED,
                                     .position = 2U * ITERATIONS * i - (i == 3 ? ITERATIONS : 0),
                                     .address = START,
                                     .bytes = bytes};
    tap_ok(ft_remapped_pages_count(&all, &loop.source, touches, &diag) == FT_OK, "loops %s",
           diag.message);
    /* Of a sweep each reference is the first in half of the pages; behind the middle of the last
     * each goes on through what the other one has touched. */
    tap_ok(touches[0] + touches[1] == 3 * pages, "%u and %u first touches of 3 times %u pages",
           (unsigned)touches[0], (unsigned)touches[1], (unsigned)pages);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (uint32_t threads = 1; threads <= THREADS_MAX; threads++)
            check_random(seed, threads);
    check_loop();
    return tap_plan_done();
}
