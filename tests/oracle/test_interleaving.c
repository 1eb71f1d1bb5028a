/*
 * The order of threads against its definition (reference_interleaving.h). And which stacks a trace
 * has, for what --share and machines say.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/replay.h"
#include "engine/reuse/work/sharing.h"
#include "engine/streams/interleaving.h"
#include "formats/base/array.h"
#include "tests/support/create_replay.h"
#include "tests/support/reference_distances.h"
#include "tests/support/reference_interleaving.h"
#include "tests/support/synthetic_runs.h"
#include "tests/support/tap.h"

#define THREADS_MAX 5

/* ---- programs ---- */

struct program {
    struct synthetic_runs runs[THREADS_MAX];
    struct ft_thread_order order;
};

/* Loops short and long, bodies of more entries than a slice has, empty runs, single accesses. */
static void make_thread(struct synthetic_runs *runs, uint32_t thread, uint64_t *seed)
{
    synthetic_init(runs);
    for (int i = 0; i < 8; i++)
        synthetic_reference(runs, 8);
    runs->runs_a_batch = 1 + random_below(seed, 9);
    for (uint64_t i = random_below(seed, 60); i > 0; i--) {
        uint64_t kind = random_below(seed, 5);
        uint64_t iterations = kind == 0 ? 0 : kind == 1 ? 1 : random_below(seed, 3000);
        uint64_t body = kind == 4 ? 300 : 1 + random_below(seed, 5);
        synthetic_run(runs, kind == 4 ? 1 + iterations % 9 : iterations);
        for (uint64_t j = 0; j < body; j++)
            synthetic_entry(runs, (uint32_t)random_below(seed, 8),
                            0x10000 * (1 + thread % 2) + random_below(seed, 5000),
                            (int64_t)random_below(seed, 40) - 20);
    }
}

static uint64_t count(struct synthetic_runs *runs)
{
    uint64_t accesses = 0;
    struct ft_run_batch batch = {.run_count = 1};
    while (runs->source.next(&runs->source, &batch, NULL) == FT_OK && batch.run_count)
        for (size_t i = 0; i < batch.run_count; i++)
            accesses += batch.runs[i].reference_count * batch.runs[i].iteration_count;
    synthetic_rewind(runs);
    return accesses;
}

/* density: of timestamps; 0: none at all. Many fall on the same access, or the same time. */
static void make_program(struct program *program, uint32_t threads, unsigned density,
                         uint64_t *seed)
{
    program->order.thread_count = threads;
    program->order.threads = calloc(threads, sizeof *program->order.threads);
    if (!program->order.threads)
        exit(99);
    for (uint32_t t = 0; t < threads; t++) {
        struct ft_thread_timestamps *thread = &program->order.threads[t];
        make_thread(&program->runs[t], t, seed);
        thread->accesses = count(&program->runs[t]);
        struct ft_timestamp timestamp = {0, 1000 + random_below(seed, 100)};
        for (uint64_t i = density ? random_below(seed, density) : 0; i > 0; i--) {
            if (!FT_RESERVE(thread->timestamps, thread->capacity, thread->count + 1))
                exit(99);
            thread->timestamps[thread->count++] = timestamp;
            timestamp.time += random_below(seed, 4) ? random_below(seed, UINT64_C(1) << 40) : 0;
            uint64_t left = thread->accesses - timestamp.accesses;
            timestamp.accesses += left ? random_below(seed, 3) * random_below(seed, left) / 2 : 0;
        }
    }
}

static void free_program(struct program *program)
{
    for (uint32_t t = 0; t < program->order.thread_count; t++)
        synthetic_fini(&program->runs[t]);
    ft_thread_order_fini(&program->order);
}

static struct interleaved_accesses sorted(struct program *program)
{
    struct interleaved_accesses all = {0};
    struct ft_run_source *sources[THREADS_MAX];
    for (uint32_t t = 0; t < program->order.thread_count; t++) {
        synthetic_rewind(&program->runs[t]);
        sources[t] = &program->runs[t].source;
    }
    interleaved_make(&all, sources, &program->order);
    for (uint32_t t = 0; t < program->order.thread_count; t++)
        synthetic_rewind(&program->runs[t]);
    return all;
}

/* ---- against each other ---- */

/* Distances of the sorted accesses, by the definition, against what the batches gave. */
static bool same_distances(const struct interleaved_accesses *all, struct ft_histograms *histograms)
{
    struct synthetic_runs flat;
    struct reference_distances expected;
    synthetic_init(&flat);
    for (int i = 0; i < 8; i++)
        synthetic_reference(&flat, 8);
    for (size_t i = 0; i < all->count; i++)
        synthetic_access(&flat, all->items[i].reference, all->items[i].address);
    reference_distances_run(&expected, histograms->block_bytes[0], &flat.source);
    bool same = histograms->touches[0] == expected.touches &&
                histograms->distinct_blocks[0] == expected.block_count;
    for (uint32_t r = 0; same && r < 8; r++) {
        const struct ft_histogram *histogram = &histograms->histograms[r];
        uint64_t sum = 0, expected_sum = 0;
        for (size_t i = 0; i < histogram->bin_count; i++) {
            const struct ft_bin *bin = &histogram->bins[i];
            same = same && expected.references[r].counts[bin->bin] == bin->count &&
                   expected.references[r].sums[bin->bin] == bin->distance_sum;
            sum += bin->count;
        }
        for (uint32_t bin = 0; bin < FT_BIN_COUNT; bin++)
            expected_sum += expected.references[r].counts[bin];
        same = same && sum == expected_sum && histogram->cold == expected.references[r].cold;
    }
    reference_distances_fini(&expected);
    synthetic_fini(&flat);
    return same;
}

/* Leaves the order where it stands, and goes on from there, through a file in memory. */
static int interrupt(const struct program *program, struct ft_run_source *const *sources,
                     struct ft_interleaving **interleaving, struct ft_diag *diag)
{
    struct ft_interleaving_state state = {0};
    struct ft_sealed_output *output = NULL;
    struct ft_sealed_input *input = NULL;
    char *bytes = NULL;
    size_t size = 0;
    int status = ft_interleaving_leave(*interleaving, &state, diag);
    ft_interleaving_destroy(*interleaving);
    *interleaving = NULL;
    if (!status)
        status = ft_sealed_output_create_memory("order", 1, &bytes, &size, &output, diag);
    for (uint32_t t = 0; !status && t < state.thread_count; t++)
        ft_interleaved_thread_put(output, &state.threads[t]);
    if (!status)
        status = ft_sealed_output_finish(output, diag);
    ft_sealed_output_destroy(output);
    if (!status)
        status = ft_sealed_input_open_memory(bytes, size, "memory", "order", 1, &input, diag);
    for (uint32_t t = 0; !status && t < state.thread_count; t++) {
        ft_interleaved_thread_fini(&state.threads[t]);
        status = ft_interleaved_thread_get(input, &state.threads[t], diag);
    }
    ft_sealed_input_close(input);
    free(bytes);
    if (!status)
        status = ft_interleaving_create(sources, &program->order, UINT32_MAX, interleaving, diag);
    if (!status)
        status = ft_interleaving_resume(*interleaving, &state, diag);
    ft_interleaving_state_fini(&state);
    return status;
}

/* All batches: their accesses, and the distances that replay makes of them. every: batches until
 * the order is interrupted, 0: never. */
static int interleave(struct program *program, unsigned every, struct interleaved_accesses *given,
                      struct ft_histograms *histograms, struct ft_diag *diag)
{
    static const uint64_t line = 64;
    struct ft_run_source *sources[THREADS_MAX];
    struct ft_interleaving *interleaving = NULL;
    struct ft_replay *replay = NULL;
    struct ft_run_batch batch = {.run_count = 1};
    for (uint32_t t = 0; t < program->order.thread_count; t++)
        sources[t] = &program->runs[t].source;
    int status = ft_interleaving_create(sources, &program->order, UINT32_MAX, &interleaving, diag);
    if (!status)
        status = create_replay(&line, 1, NULL, &replay, diag);
    if (!status)
        status = ft_replay_begin(replay, sources[0]->references, 8, diag);
    for (unsigned taken = 1; !status && batch.run_count; taken++) {
        uint32_t thread = 0;
        if (every && taken % every == 0)
            status = interrupt(program, sources, &interleaving, diag);
        if (status)
            break;
        status = ft_interleaving_next(interleaving, &thread, &batch, diag);
        if (!status && batch.run_count) {
            interleaved_add(given, thread, &batch);
            status = ft_replay_take(replay, &batch, diag);
        }
    }
    if (!status)
        status = ft_replay_end(replay, diag);
    if (!status)
        status = ft_replay_finish(replay, histograms, diag);
    ft_replay_destroy(replay);
    ft_interleaving_destroy(interleaving);
    return status;
}

static void check_program(uint32_t threads, unsigned density, unsigned every, uint64_t seed)
{
    struct program program = {0};
    struct interleaved_accesses given = {0};
    struct ft_histograms histograms = {0};
    struct ft_diag diag = {0};
    make_program(&program, threads, density, &seed);
    struct interleaved_accesses wanted = sorted(&program);
    int status = interleave(&program, every, &given, &histograms, &diag);
    bool same = !status && given.count == wanted.count;
    for (size_t i = 0; same && i < wanted.count; i++)
        same = given.items[i].thread == wanted.items[i].thread &&
               given.items[i].reference == wanted.items[i].reference &&
               given.items[i].address == wanted.items[i].address;
    tap_ok(same, "%u threads, %s%s: %zu accesses in the order defined %s", threads,
           density ? "stamps" : "no timestamps", every ? ", interrupted" : "", wanted.count,
           diag.message);
    tap_ok(!status && same_distances(&wanted, &histograms), "their distances");
    ft_histograms_fini(&histograms);
    free_program(&program);
    free(given.items);
    free(wanted.items);
}

/* Logs that hold more or fewer accesses than were counted. */
static void check_counts(void)
{
    for (int more = -1; more <= 1; more += 2) {
        uint64_t seed = 8;
        struct program program = {0};
        struct interleaved_accesses given = {0};
        struct ft_histograms histograms = {0};
        struct ft_diag diag = {0};
        make_program(&program, 2, 4, &seed);
        program.order.threads[1].accesses += (uint64_t)more;
        tap_ok(interleave(&program, 0, &given, &histograms, &diag) == FT_ERROR_DATA, "%s",
               diag.message);
        ft_histograms_fini(&histograms);
        free_program(&program);
        free(given.items);
    }
}

/* States that are of no such order. */
static void check_foreign_states(void)
{
    uint64_t seed = 5;
    struct program program = {0};
    make_program(&program, 2, 9, &seed);
    for (unsigned wrong = 0; wrong < 6; wrong++) {
        struct ft_run_source *sources[] = {&program.runs[0].source, &program.runs[1].source};
        struct ft_interleaving *interleaving = NULL;
        struct ft_interleaving_state state = {0};
        struct ft_run_batch batch;
        struct ft_diag diag = {0};
        uint32_t thread;
        synthetic_rewind(&program.runs[0]);
        synthetic_rewind(&program.runs[1]);
        bool done =
            !ft_interleaving_create(sources, &program.order, UINT32_MAX, &interleaving, &diag) &&
            !ft_interleaving_next(interleaving, &thread, &batch, &diag) &&
            !ft_interleaving_leave(interleaving, &state, &diag);
        ft_interleaving_destroy(interleaving);
        interleaving = NULL;
        if (!done)
            exit(99);
        struct ft_interleaved_thread *other = &state.threads[1 - thread];
        if (wrong == 0)
            other->segment = program.order.threads[1 - thread].count + 1;
        else if (wrong == 1)
            other->taken = UINT64_MAX;
        else if (wrong == 2)
            state.granted = UINT64_MAX, state.current = thread;
        else if (wrong == 3)
            state.granted = 1, state.current = 2;
        else if (wrong == 4 && state.threads[thread].entry_count)
            state.threads[thread].references[0] = 8;
        const bool is_good = wrong == 5 || (wrong == 4 && !state.threads[thread].entry_count);
        done = !ft_interleaving_create(sources, &program.order, UINT32_MAX, &interleaving, &diag);
        int status = done ? ft_interleaving_resume(interleaving, &state, &diag) : FT_ERROR_FAILURE;
        tap_ok(status == (is_good ? FT_OK : FT_ERROR_DATA), "a state, %s %s",
               is_good ? "the right one" : "refused:", diag.message);
        ft_interleaving_state_fini(&state);
        ft_interleaving_destroy(interleaving);
    }
    free_program(&program);
}

/* ---- which stacks ---- */

/* wanted: the stacks, those of the sum in brackets: "[0-1] [2] 0 1". */
static void check_stacks(const char *share, bool private_stacks, const char *machine,
                         uint32_t threads, const char *wanted)
{
    struct ft_sharing sharing;
    struct ft_machine described = {0};
    struct ft_stack_layouts layouts = {0};
    struct ft_diag diag = {0};
    char found[256] = "";
    int status = machine ? ft_machine_parse(machine, &described, &diag) : FT_OK;
    for (size_t i = 0; i < described.level_count; i++) /* the second level by 2, the third by 4 */
        described.levels[i].shared_by = 1U << i;
    if (!status)
        status =
            ft_sharing_init(&sharing, share, private_stacks, machine ? &described : NULL, &diag);
    if (!status) {
        status = ft_stack_layouts_make(&sharing, threads, &layouts, &diag);
        ft_sharing_fini(&sharing);
    }
    for (size_t i = 0; i < layouts.count; i++) {
        char *text = ft_stack_layout_text(&layouts.layouts[i]);
        size_t length = strlen(found);
        snprintf(found + length, sizeof found - length,
                 layouts.layouts[i].in_sum ? "%s[%s]" : "%s%s", i ? " " : "", text);
        free(text);
    }
    bool same = status ? strstr(diag.message, wanted) != NULL : strcmp(found, wanted) == 0;
    tap_ok(same, "%s%s, %u threads: %s%s",
           share     ? share
           : machine ? machine
                     : "nothing said",
           private_stacks ? " and private" : "", threads, found, status ? diag.message : "");
    ft_stack_layouts_fini(&layouts);
    ft_machine_fini(&described);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= tap_repetitions(12, 4, 1); seed++)
        for (unsigned every = 0; every <= 3; every += 1 + every)
            check_program(1 + (uint32_t)seed % THREADS_MAX, seed % 4 ? (unsigned)(seed * seed) : 0,
                          every, seed);
    check_foreign_states();
    check_counts();
    check_stacks(NULL, false, NULL, 3, "[0] [1] [2]");
    check_stacks("all", false, NULL, 3, "[0-2]");
    check_stacks("all", true, NULL, 3, "[0] [1] [2] 0-2");
    check_stacks("all", true, NULL, 1, "[0]");
    check_stacks("1-2", false, NULL, 4, "[0] [1-2] [3]");
    check_stacks("2-3,0-1", true, NULL, 4, "[0] [1] [2] [3] 0-1 2-3");
    check_stacks("by-2", false, NULL, 5, "[0-1] [2-3] [4]");
    check_stacks(NULL, false, "L1:32K:64:8@4,L2:1M:64:16@14,L3:8M:64:16@40,memory@200", 5,
                 "[0] [1] [2] [3] [4] 0-1 2-3 0-3");
    check_stacks("0-3", false, NULL, 2, "names thread 3");
    check_stacks("0-1,1-2", false, NULL, 4, "thread 1 is in two groups");
    static const char *const bad[] = {"",     "a",    "1-",   "0-1,",      "3-1", "-1",
                                      "0 -1", "0,,1", "by-0", "by-2,by-4", "by-", "0-1048576"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_stacks(bad[i], false, NULL, 8, "not 'all'");
    return tap_plan_done();
}
