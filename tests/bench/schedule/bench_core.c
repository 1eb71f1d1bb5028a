/*
 * bench_core CORE: reads loops from stdin, one a line, the address and the instructions in
 * hexadecimal with spaces between, the last two a pair that closes the loop, and prints for each a
 * line of JSON: the cycles of an iteration on the simulated core (engine/simulate/core/), with its
 * data in the first cache, those of the schedule, what limits it, and the first form that the
 * core's file lacks. Registers that addresses are based on hold a page each, others 40, after a
 * load again: as in the blocks that bench_schedule measures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/schedule/body_making.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/core/core_code.h"
#include "engine/simulate/core/core_simulation.h"
#include "formats/x86/known_registers.h"
#include "tests/bench/schedule/bench_blocks.h"

#define MACHINE    "L1:32K:64:8@4,memory@300"
#define ITERATIONS 600 /* of which the second half is measured */
#define LINE_BYTES 16384

struct loop {
    uint8_t bytes[BLOCK_INSTRUCTIONS_MAX + 2][16];
    struct ft_body_code code[BLOCK_INSTRUCTIONS_MAX + 2];
    struct ft_core_instruction made[BLOCK_INSTRUCTIONS_MAX + 2];
    struct ft_instruction instructions[BLOCK_INSTRUCTIONS_MAX + 2];
    struct ft_effect effects[BLOCK_INSTRUCTIONS_MAX + 2];
    bool fused[BLOCK_INSTRUCTIONS_MAX + 2]; /* with the one before */
    uint32_t count;
    struct ft_registers first, registers;
};

static uint32_t read_line(char *text, struct loop *loop)
{
    uint32_t count = 0;
    uint64_t pc = strtoull(text, &text, 16);
    for (char *word = strtok(text, " \n"); word && count < BLOCK_INSTRUCTIONS_MAX + 2;
         word = strtok(NULL, " \n"), count++) {
        size_t length = 0;
        for (; length < 16 && word[2 * length] && word[2 * length + 1]; length++) {
            const char digits[3] = {word[2 * length], word[2 * length + 1], 0};
            loop->bytes[count][length] = (uint8_t)strtoul(digits, NULL, 16);
        }
        loop->code[count] =
            (struct ft_body_code){.code = loop->bytes[count], .length = length, .pc = pc};
        pc += length;
    }
    return count;
}

static int decode(const struct ft_core *core, struct loop *loop, struct ft_core_code *table,
                  struct ft_diag *diag)
{
    uint32_t bases = 0;
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct ft_body_code *code = &loop->code[i];
        bool unknown;
        loop->fused[i] = false;
        if (i > 0 && !loop->fused[i - 1])
            FT_TRY(ft_core_code_fuses(core, code - 1, &loop->fused[i], diag));
        FT_TRY(ft_core_instruction_make(core, code - loop->fused[i], loop->fused[i] ? 2 : 1, table,
                                        &loop->made[i - loop->fused[i]], &unknown, diag));
        FT_TRY(ft_effect_decode(code->code, code->length, code->pc, &loop->instructions[i],
                                &loop->effects[i], diag));
        for (unsigned a = 0; a < loop->instructions[i].access_count; a++)
            if (loop->instructions[i].accesses[a].base < FT_REGISTER_COUNT)
                bases |= UINT32_C(1) << loop->instructions[i].accesses[a].base;
    }
    loop->first = (struct ft_registers){0};
    for (unsigned r = 0; r < FT_REGISTER_COUNT; r++)
        ft_registers_set(&loop->first, r,
                         bases >> r & 1 ? UINT64_C(0x10000000) + r * UINT64_C(0x1000000) : 40);
    loop->registers = loop->first;
    return FT_OK;
}

static uint32_t accesses_of(const struct loop *loop, uint32_t index,
                            struct ft_executed_access ret_accesses[FT_ACCESSES_MAX])
{
    const struct ft_instruction *instruction = &loop->instructions[index];
    uint32_t count = 0;
    for (unsigned a = 0; a < instruction->access_count; a++) {
        const struct ft_access *access = &instruction->accesses[a];
        const uint64_t address = ft_access_address(access, loop->registers.value);
        if (access->kind == FT_PREFETCH)
            continue;
        ret_accesses[count++] = (struct ft_executed_access){.address = address,
                                                            .line = address / 64,
                                                            .size_bytes = access->size_bytes,
                                                            .stores = access->kind != FT_LOAD};
    }
    return count;
}

/* An iteration; the loop's own branch is taken, others are not. */
static int iterate(struct ft_core_simulation *simulation, struct loop *loop, struct ft_diag *diag)
{
    for (uint32_t i = 0; i < loop->count; i++) {
        struct ft_executed_access accesses[FT_ACCESSES_MAX];
        const uint32_t end = i + (i + 1 < loop->count && loop->fused[i + 1]);
        const struct ft_body_code *last = &loop->code[end];
        const bool branches = loop->instructions[end].flow != FT_FLOW_NEXT;
        const struct ft_executed executed = {
            .code = &loop->made[i],
            .first_byte = loop->code[i].pc,
            .last_byte = branches ? last->pc + last->length - 1 : loop->code[i].pc,
            .accesses = accesses,
            .access_count = accesses_of(loop, i, accesses),
            .taken =
                i + 1 == loop->count || (i + 2 == loop->count && loop->fused[loop->count - 1])};
        if (!loop->fused[i])
            FT_TRY(ft_core_simulation_feed(simulation, &executed, diag));
        ft_registers_step(&loop->registers, &loop->effects[i], false);
        for (unsigned r = 0; r < FT_REGISTER_COUNT; r++)
            if (!(loop->registers.known >> r & 1))
                ft_registers_set(&loop->registers, r, loop->first.value[r]);
    }
    return FT_OK;
}

/* Cycles up to the end of so many iterations. */
static int run(const struct ft_core_model *model, struct loop *loop, uint32_t iterations,
               int64_t *ret_cycles, struct ft_diag *diag)
{
    struct ft_core_simulation *simulation;
    FT_TRY(ft_core_simulation_create(model, 1, &simulation, diag));
    int status = FT_OK;
    loop->registers = loop->first;
    for (uint32_t i = 0; i < iterations && status == FT_OK; i++)
        status = iterate(simulation, loop, diag);
    if (status == FT_OK)
        status = ft_core_simulation_finish(simulation, diag);
    *ret_cycles = ft_core_simulation_cycles(simulation);
    ft_core_simulation_destroy(simulation);
    return status;
}

static int simulate(const struct ft_core *core, const struct ft_core_model *model,
                    struct loop *loop, double *ret_cycles, struct ft_diag *diag)
{
    struct ft_core_code table = {0};
    int64_t half = 0, all = 0;
    int status = decode(core, loop, &table, diag);
    if (status == FT_OK)
        status = run(model, loop, ITERATIONS / 2, &half, diag);
    if (status == FT_OK)
        status = run(model, loop, ITERATIONS, &all, diag);
    *ret_cycles = 2.0 * (double)(all - half) / ITERATIONS;
    ft_core_code_fini(&table);
    return status;
}

static int print(const struct ft_core *core, const struct ft_core_model *model, struct loop *loop,
                 struct ft_diag *diag)
{
    struct ft_body body;
    struct ft_schedule schedule;
    double simulated;
    char limit[256];
    FT_TRY(simulate(core, model, loop, &simulated, diag));
    loop->code[loop->count - 1].taken = true;
    FT_TRY(ft_body_make(core, &(struct ft_body_path){loop->code, loop->count, true, NULL, 0}, &body,
                        diag));
    int status = ft_schedule_find(&body, true, &schedule, diag);
    if (status == FT_OK) {
        ft_schedule_limit_text(core, &schedule, limit, sizeof limit);
        printf("{\"simulated\": %.3f, \"predicted\": %.3f, \"limit\": \"%s\", "
               "\"unknown_form\": \"%s\"}\n",
               simulated, schedule.cycles, limit, body.unknown_form);
    }
    ft_body_fini(&body);
    return status;
}

int main(int argc, char **argv)
{
    static struct loop loop;
    static char line[LINE_BYTES];
    struct ft_core core = {0};
    struct ft_machine machine = {0};
    struct ft_core_model model;
    struct ft_diag diag = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: bench_core CORE < LOOPS\n");
        return 2;
    }
    int status = ft_core_load(argv[1], &core, &diag);
    if (status == FT_OK)
        status = ft_machine_parse(MACHINE, &machine, &diag);
    if (status == FT_OK)
        status = ft_core_model_make(&core, &machine, &model, &diag);
    while (status == FT_OK && fgets(line, sizeof line, stdin)) {
        loop.count = read_line(line, &loop);
        status = print(&core, &model, &loop, &diag);
    }
    if (status != FT_OK)
        fprintf(stderr, "bench_core: %s\n", diag.message);
    ft_machine_fini(&machine);
    ft_core_fini(&core);
    return ft_exit_code(status);
}
