/*
 * The core simulation against the reference, on random streams on random cores: the same cycles,
 * and the same accounts of where they went.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/simulate/core/core_simulation.h"
#include "tests/support/random.h"
#include "tests/support/reference_core.h"
#include "tests/support/tap.h"

#define INSTRUCTIONS 40 /* different ones */
#define SHAPES       12
#define EXECUTED_MAX 1500

struct stream {
    struct ft_core_model model;
    struct ft_core_port_use uses[SHAPES][3];
    uint8_t use_counts[SHAPES];
    struct ft_core_instruction code[INSTRUCTIONS];
    struct ft_executed executed[EXECUTED_MAX];
    struct ft_executed_access accesses[EXECUTED_MAX][4];
    uint32_t count;
    uint32_t calm; /* 1 to 1024: of so many accesses, branches and fetches one is late */
};

/* ---- random cores ---- */

static uint32_t between(uint64_t *random, uint32_t min, uint32_t max)
{
    return min + (uint32_t)random_below(random, max - min + 1U);
}

static void make_model(uint64_t *random, struct ft_core_model *model)
{
    *model = (struct ft_core_model){
        .dispatch_milli = between(random, 1000, 6000),
        .fetch = between(random, 1, 8),
        .taken_branches = between(random, 1, 2),
        .retire = between(random, 1, 8),
        .window = between(random, 4, 60),
        .load_buffer = between(random, 1, 20),
        .store_buffer = between(random, 1, 12),
        .miss_buffers = between(random, 1, 6),
        .page_walks = between(random, 1, 3),
        .mispredict_cycles = between(random, 1, 15),
        .commits_lines = random_below(random, 2),
        .port_count = between(random, 2, 9),
        .source_count = 4,
    };
    if (random_below(random, 2))
        model->op_cache = (struct ft_op_cache){.window_bytes = 8U << random_below(random, 4),
                                               .entry_instructions = between(random, 1, 6),
                                               .entries = between(random, 1, 2),
                                               .decode_cycles = between(random, 1, 4)};
    for (unsigned s = 1; s < model->source_count; s++) {
        model->sources[s].more_cycles = s == 3 ? between(random, 50, 1500) : 10 * s;
        model->sources[s].load_line_cycles = (double)random_below(random, 40) / 4;
        model->sources[s].store_line_cycles = (double)random_below(random, 40) / 4;
    }
}

static void make_shapes(uint64_t *random, struct stream *stream)
{
    const uint64_t all = (UINT64_C(1) << stream->model.port_count) - 1;
    for (unsigned s = 0; s < SHAPES; s++) {
        stream->use_counts[s] = (uint8_t)random_below(random, 4);
        for (unsigned u = 0; u < stream->use_counts[s]; u++) {
            struct ft_core_port_use *use = &stream->uses[s][u];
            use->ports = 0;
            while (!use->ports)
                use->ports = random_next(random) & random_next(random) & all;
            use->cycles = random_below(random, 8) ? 1 : between(random, 2, 6);
            use->pressure =
                (uint64_t)(use->cycles * FT_PRESSURE_UNITS / __builtin_popcountll(use->ports));
        }
    }
}

static uint64_t random_places(uint64_t *random)
{
    uint64_t places = 0;
    for (unsigned left = (unsigned)random_below(random, 3); left > 0; left--)
        places |= UINT64_C(1) << random_below(random, 40);
    return places;
}

static void make_instruction(uint64_t *random, const struct stream *stream,
                             struct ft_core_instruction *code)
{
    const unsigned parts = (unsigned)random_below(random, 8); /* 0: a part of the one before */
    code->operation_count = code->result = 0;
    for (uint8_t part = 0; part < 3; part++) {
        if (!(parts >> part & 1))
            continue;
        struct ft_core_operation *operation = &code->operations[code->operation_count++];
        operation->part = part;
        operation->shape = (uint16_t)random_below(random, SHAPES);
        operation->use_count = stream->use_counts[operation->shape];
        operation->uses = stream->uses[operation->shape];
        operation->slots = code->operation_count > 1  ? 0
                           : random_below(random, 10) ? 1
                                                      : (uint16_t)between(random, 2, 12);
        operation->latency_cycles = part == FT_PART_LOAD    ? (int32_t)between(random, 1, 6)
                                    : part == FT_PART_STORE ? 0
                                                            : (int32_t)random_below(random, 6);
        operation->chained_cycles = part == FT_PART_COMPUTE && operation->latency_cycles > 0
                                        ? (int32_t)random_below(random, operation->latency_cycles)
                                        : 0;
        operation->forward_cycles = (int32_t)between(random, 0, 5);
        operation->is_direct = part != FT_PART_COMPUTE && random_below(random, 2);
        operation->reads = random_places(random);
        if (part != FT_PART_STORE)
            code->result = (uint8_t)(code->operation_count - 1);
    }
    code->written = random_places(random);
}

static void make_access(uint64_t *random, bool stores, uint32_t calm,
                        struct ft_executed_access *access)
{
    const bool near = random_below(random, 4) > 0;
    access->address = near ? 0x1000 + random_below(random, 64) : random_below(random, 1U << 14);
    access->size_bytes = 1U << random_below(random, 6);
    access->line = access->address / 64;
    access->source = near || random_below(random, calm) ? 0 : (uint8_t)between(random, 1, 3);
    access->stores = stores;
    access->tlb_cycles = random_below(random, 4 * calm) ? 0 : (uint16_t)between(random, 1, 40);
    access->walks = access->tlb_cycles > 20;
    access->prefetches = random_below(random, 4 * calm) == 0;
}

static void execute(uint64_t *random, struct stream *stream, uint32_t i)
{
    struct ft_executed *executed = &stream->executed[i];
    const struct ft_core_instruction *code = &stream->code[random_below(random, INSTRUCTIONS)];
    const uint64_t first = i > 0 && !executed[-1].taken
                               ? executed[-1].last_byte + between(random, 1, 11)
                               : random_below(random, 1U << 12);
    *executed = (struct ft_executed){
        .code = code,
        .first_byte = first,
        .last_byte = first + (random_below(random, 3) ? 0 : between(random, 1, 14)),
        .accesses = stream->accesses[i],
        .account = i,
        .fetch_cycles = random_below(random, 8 * stream->calm) ? 0 : between(random, 1, 30),
        .measured = random_below(random, 8) > 0,
        .taken = random_below(random, 6) == 0,
        .mispredicted = code->operation_count > 0 && random_below(random, 8 * stream->calm) == 0};
    for (unsigned o = 0; o < code->operation_count; o++) {
        const uint8_t part = code->operations[o].part;
        if (part == FT_PART_COMPUTE || random_below(random, 20) == 0)
            continue;
        for (unsigned left = random_below(random, 10) ? 1 : 2; left > 0; left--)
            make_access(random, part == FT_PART_STORE, stream->calm,
                        &stream->accesses[i][executed->access_count++]);
    }
}

static void make_stream(uint64_t seed, struct stream *stream)
{
    uint64_t random = seed;
    make_model(&random, &stream->model);
    make_shapes(&random, stream);
    for (unsigned i = 0; i < INSTRUCTIONS; i++)
        make_instruction(&random, stream, &stream->code[i]);
    stream->count = between(&random, 1, EXECUTED_MAX);
    stream->calm = 1U << random_below(&random, 11);
    for (uint32_t i = 0; i < stream->count; i++)
        execute(&random, stream, i);
}

/* ---- comparison ---- */

static bool same_accounts(const double *left, const double *right, uint32_t count)
{
    for (size_t i = 0; i < (size_t)count * FT_CORE_REASONS; i++)
        if (fabs(left[i] - right[i]) > 1e-6) {
            fprintf(stderr, "instruction %zu, reason %zu: %g, not %g\n", i / FT_CORE_REASONS,
                    i % FT_CORE_REASONS, left[i], right[i]);
            return false;
        }
    return true;
}

static int64_t simulate(struct ft_core_simulation *simulation, const struct stream *stream)
{
    int status = FT_OK;
    ft_core_simulation_reset(simulation);
    for (uint32_t i = 0; i < stream->count && status == FT_OK; i++)
        status = ft_core_simulation_feed(simulation, &stream->executed[i], NULL);
    if (status == FT_OK)
        status = ft_core_simulation_finish(simulation, NULL);
    return status == FT_OK ? ft_core_simulation_cycles(simulation) : -1;
}

static bool compare(uint64_t seed, double *base_share)
{
    static struct stream stream;
    struct ft_core_simulation *simulation;
    make_stream(seed, &stream);
    double *expected = calloc((size_t)EXECUTED_MAX * FT_CORE_REASONS, sizeof *expected);
    if (!expected ||
        ft_core_simulation_create(&stream.model, EXECUTED_MAX, &simulation, NULL) != FT_OK)
        abort();
    const int64_t cycles =
        reference_core_run(&stream.model, stream.executed, stream.count, expected);
    double *accounts = ft_core_simulation_accounts(simulation);
    bool same = true;
    for (int round = 0; round < 2; round++) { /* a reset leaves nothing behind */
        memset(accounts, 0, (size_t)EXECUTED_MAX * FT_CORE_REASONS * sizeof *accounts);
        const int64_t simulated = simulate(simulation, &stream);
        if (simulated != cycles)
            fprintf(stderr, "seed %lu: %ld cycles, not %ld\n", (unsigned long)seed, (long)simulated,
                    (long)cycles);
        same &= simulated == cycles && same_accounts(accounts, expected, EXECUTED_MAX);
    }
    for (uint32_t i = 0; i < stream.count; i++)
        *base_share += expected[i * FT_CORE_REASONS] / (double)cycles;
    ft_core_simulation_destroy(simulation);
    free(expected);
    return same;
}

int main(void)
{
    const unsigned count = tap_repetitions(2000, 120, 15);
    unsigned same = 0;
    double base_share = 0;
    for (unsigned i = 0; i < count; i++)
        same += compare(i + 1, &base_share);
    tap_ok(same == count, "%u of %u random streams: cycles and accounts as in the reference", same,
           count);
    tap_ok(base_share > 0.05 * count && base_share < 0.9 * count,
           "streams that neither flow nor stand: %.2f of the cycles retire", base_share / count);
    return tap_plan_done();
}
