/*
 * Loops whose cycles follow by hand, executed by the simulated core: those of
 * tests/support/core_by_hand.h, before caches of 5 and 14 cycles, memory of 200 and a TLB whose
 * misses cost 30.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/simulate/core/core_code.h"
#include "engine/simulate/core/core_simulation.h"
#include "tests/support/body_code.h"
#include "tests/support/core_by_hand.h"
#include "tests/support/tap.h"

#define NEAR       0.03
#define ITERATIONS 2000
#define CODE_MAX   16
#define MACHINE    "L1:32K:64:8@5,L2:1M:64:16@14,memory@200,TLB:256K:4K:full@30"

struct access {
    uint32_t instruction;
    bool stores;
    uint32_t size_bytes;
    uint64_t address, stride;
    uint8_t source;
    uint16_t tlb_cycles;
};

struct loop {
    const char *name;
    const char *code;          /* instructions in hexadecimal, a space between */
    struct access accesses[4]; /* of instructions with accesses; size_bytes 0: the end */
    uint32_t mispredicted;     /* one in so many iterations; 0: none */
    double cycles;             /* of an iteration */
    unsigned reason;           /* that most of the cycles have */
};

#define DEC_JNZ " 49ffcf 75f0" /* dec r15; jnz: one operation */
#define L1      FT_REASON_SOURCES
#define L2      (FT_REASON_SOURCES + 1)
#define MEMORY  (FT_REASON_SOURCES + 2)

static const struct loop loops[] = {
    {"a fused pair: as fast as branches are taken",
     "49ffcf 75f0",
     {{0}},
     0,
     1,
     FT_REASON_FRONT_END},
    {"a chain of three additions",
     "4801c0 4801c0 4801c0" DEC_JNZ,
     {{0}},
     0,
     3,
     FT_REASON_EXECUTION},
    {"a sum of numbers", "f20f58c1" DEC_JNZ, {{0}}, 0, 4, FT_REASON_EXECUTION},
    {"a sum of loads, no part of the chain",
     "f20f5800" DEC_JNZ,
     {{0, false, 8, 0x1000, 0, 0, 0}},
     0,
     4,
     FT_REASON_EXECUTION},
    {"three multiplications on one port",
     "4889c1 480fafc8 4889c2 480fafd0 4889c6 480faff0" DEC_JNZ,
     {{0}},
     0,
     3,
     FT_REASON_BASE},
    {"four loads on two ports",
     "488b07 488b0f 488b17 488b37" DEC_JNZ,
     {{0, false, 8, 0x1000, 0, 0, 0},
      {1, false, 8, 0x1000, 0, 0, 0},
      {2, false, 8, 0x1000, 0, 0, 0},
      {3, false, 8, 0x1000, 0, 0, 0}},
     0,
     2,
     FT_REASON_BASE},
    {"nothing but slots: nine, four a cycle",
     "4889c8 4889c8 4889c8 4889c8 4889c8 4889c8 4889c8 4889c8" DEC_JNZ,
     {{0}},
     0,
     2.25,
     FT_REASON_BASE},
    {"a zero idiom ends the chain: four additions on two ports",
     "31c0 4801c8 4801c8 4801c8" DEC_JNZ,
     {{0}},
     0,
     2,
     FT_REASON_BASE},
    {"a recurrence through memory: forwarded after 2 cycles, 1 to add",
     "48830701" DEC_JNZ,
     {{0, false, 8, 0x1000, 0, 0, 0}, {0, true, 8, 0x1000, 0, 0, 0}},
     0,
     3,
     FT_REASON_EXECUTION},
    {"each time elsewhere: two additions and a pair on two ports",
     "48830701 4883c708" DEC_JNZ,
     {{0, false, 8, 0x1000, 8, 0, 0}, {0, true, 8, 0x1000, 8, 0, 0}},
     0,
     1.5,
     FT_REASON_BASE},
    {"a pointer chase in the first cache",
     "488b00" DEC_JNZ,
     {{0, false, 8, 0x1000, 0, 0, 0}},
     0,
     5,
     L1},
    {"a pointer chase in the second",
     "488b00" DEC_JNZ,
     {{0, false, 8, 0x1000, 64, 1, 0}},
     0,
     14,
     L2},
    {"a pointer chase in memory",
     "488b00" DEC_JNZ,
     {{0, false, 8, 0x1000, 64, 2, 0}},
     0,
     200,
     MEMORY},
    {"with a page walk before each load",
     "488b00" DEC_JNZ,
     {{0, false, 8, 0x1000, 4096, 2, 30}},
     0,
     230,
     MEMORY},
    {"independent loads from memory: four buffers",
     "488b07" DEC_JNZ,
     {{0, false, 8, 0x1000, 64, 2, 0}},
     0,
     50,
     MEMORY},
    {"eight elements of a line: the window has room for three that miss",
     "488b07 4883c708" DEC_JNZ,
     {{0, false, 8, 0x1000, 8, 3, 0}},
     0,
     8.5,
     MEMORY},
    {"a walk at a time: 30 cycles each",
     "488b07" DEC_JNZ,
     {{0, false, 8, 0x1000, 4096, 0, 30}},
     0,
     30,
     FT_REASON_TLB},
    {"stores that miss: four buffers, then the store buffer is full",
     "488907" DEC_JNZ,
     {{0, true, 8, 0x1000, 64, 2, 0}},
     0,
     48.2, /* 50 but for the last ones, which are not waited for */
     FT_REASON_STORES},
    {"a mispredicted branch: dispatch, start, result, and 10 cycles to fetch again",
     "49ffcf 75f0",
     {{0}},
     1,
     12,
     FT_REASON_BRANCH},
    {"behind a load from memory a branch waits for it",
     "488b07 4801c0 480fafc0 4989c7" DEC_JNZ,
     {{0, false, 8, 0x1000, 64, 2, 0}},
     1,
     217,
     MEMORY},
};

/* What CORE_BY_HAND_LATER takes. */
static const struct loop later_loops[] = {
    {"a sum of numbers, chained", "f20f58c1" DEC_JNZ, {{0}}, 0, 2, FT_REASON_EXECUTION},
    {"a sum and a product", "f20f58c1 f20f59c2" DEC_JNZ, {{0}}, 0, 7, FT_REASON_EXECUTION},
    {"renamed memory: no more than the addition",
     "488b07 4801c8 488907" DEC_JNZ,
     {{0, false, 8, 0x1000, 0, 0, 0}, {2, true, 8, 0x1000, 0, 0, 0}},
     0,
     1,
     FT_REASON_BASE},
    {"a sum in memory of a register: forwarded",
     "480107" DEC_JNZ,
     {{0, false, 8, 0x1000, 0, 0, 0}, {0, true, 8, 0x1000, 0, 0, 0}},
     0,
     3,
     FT_REASON_EXECUTION},
    {"memory to vectors: forwarded",
     "0f1007 f20f58c1 0f1107" DEC_JNZ,
     {{0, false, 16, 0x1000, 0, 0, 0}, {2, true, 16, 0x1000, 0, 0, 0}},
     0,
     6,
     FT_REASON_EXECUTION},
    {"stores to two lines",
     "488907 488906" DEC_JNZ,
     {{0, true, 8, 0x1000, 8, 0, 0}, {1, true, 8, 0x8000, 8, 0, 0}},
     0,
     2,
     FT_REASON_STORES},
    {"stores to a line, in pairs",
     "488907 48894708" DEC_JNZ,
     {{0, true, 8, 0x1000, 16, 0, 0}, {1, true, 8, 0x1008, 16, 0, 0}},
     0,
     1,
     FT_REASON_BASE},
    {"three stores to a line, then another",
     "488907 48894708 48894710" DEC_JNZ,
     {{0, true, 8, 0x1000, 128, 0, 0},
      {1, true, 8, 0x1008, 128, 0, 0},
      {2, true, 8, 0x1010, 128, 0, 0}},
     0,
     2,
     FT_REASON_BASE},
};

/* The last two are a pair. */
static uint32_t decode(const struct ft_core *core, const struct loop *loop,
                       struct ft_core_code *table, struct ft_core_instruction made[CODE_MAX],
                       struct ft_body_code code[CODE_MAX])
{
    static uint8_t bytes[CODE_MAX][16];
    bool fuses = false, unknown;
    const uint32_t count = body_code_of_text(loop->code, 0x1000, bytes, code) - 1;
    if (ft_core_code_fuses(core, &code[count - 1], &fuses, NULL) != FT_OK || !fuses)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (ft_core_instruction_make(core, &code[i], i + 1 == count ? 2 : 1, table, &made[i],
                                     &unknown, NULL) != FT_OK ||
            unknown)
            return 0;
    return count;
}

static uint32_t accesses_of(const struct loop *loop, uint32_t instruction, uint64_t iteration,
                            struct ft_executed_access *ret_accesses)
{
    uint32_t count = 0;
    for (const struct access *from = loop->accesses;
         from < loop->accesses + 4 && from->size_bytes > 0; from++) {
        if (from->instruction != instruction)
            continue;
        const uint64_t address = from->address + iteration * from->stride;
        /* Source 3: memory, for the first element of a line. */
        const uint8_t source = from->source < 3 ? from->source : address % 64 ? 0 : 2;
        ret_accesses[count++] = (struct ft_executed_access){.address = address,
                                                            .line = address / 64,
                                                            .size_bytes = from->size_bytes,
                                                            .source = source,
                                                            .stores = from->stores,
                                                            .walks = from->tlb_cycles > 0,
                                                            .tlb_cycles = from->tlb_cycles};
    }
    return count;
}

static int64_t execute(struct ft_core_simulation *simulation, const struct loop *loop,
                       const struct ft_core_instruction *made, const struct ft_body_code *code,
                       uint32_t count)
{
    int status = FT_OK;
    for (uint64_t i = 0; i < ITERATIONS; i++)
        for (uint32_t c = 0; c < count && status == FT_OK; c++) {
            struct ft_executed_access accesses[4];
            const bool last = c + 1 == count;
            const uint64_t end = code[count].pc + code[count].length - 1; /* of the branch */
            const struct ft_executed executed = {.code = &made[c],
                                                 .first_byte = code[c].pc,
                                                 .last_byte = last ? end : code[c].pc,
                                                 .accesses = accesses,
                                                 .access_count = accesses_of(loop, c, i, accesses),
                                                 .measured = true,
                                                 .taken = last,
                                                 .mispredicted = last && loop->mispredicted &&
                                                                 i % loop->mispredicted == 0};
            status = ft_core_simulation_feed(simulation, &executed, NULL);
        }
    return status == FT_OK && ft_core_simulation_finish(simulation, NULL) == FT_OK
               ? ft_core_simulation_cycles(simulation)
               : -1;
}

static void check_loop(const struct ft_core *core, const struct ft_core_model *model,
                       const struct loop *loop)
{
    struct ft_core_code table = {0};
    struct ft_core_instruction made[CODE_MAX];
    struct ft_body_code code[CODE_MAX];
    struct ft_core_simulation *simulation;
    const uint32_t count = decode(core, loop, &table, made, code);
    if (count == 0 || ft_core_simulation_create(model, 1, &simulation, NULL) != FT_OK) {
        tap_ok(false, "%s: decoded", loop->name);
        return;
    }
    const double cycles = (double)execute(simulation, loop, made, code, count) / ITERATIONS;
    const double *stack = ft_core_simulation_accounts(simulation);
    unsigned most = 0;
    double sum = 0;
    for (unsigned r = 0; r < FT_CORE_REASONS; r++) {
        sum += stack[r];
        most = stack[r] > stack[most] ? r : most;
    }
    tap_ok(fabs(cycles - loop->cycles) <= NEAR * loop->cycles, "%s: %.2f cycles", loop->name,
           cycles);
    tap_ok(most == loop->reason && fabs(sum / ITERATIONS - cycles) <= NEAR * cycles,
           "  of which most, %.0f %%, have reason %u", 100 * stack[most] / sum, most);
    ft_core_simulation_destroy(simulation);
    ft_core_code_fini(&table);
}

static void check_loops(enum core_by_hand version, const struct loop *checked, size_t count)
{
    struct ft_core core = {0};
    struct ft_machine machine;
    struct ft_core_model model;
    core_by_hand(version, &core);
    if (ft_machine_parse(MACHINE, &machine, NULL) != FT_OK ||
        ft_core_model_make(&core, &machine, &model, NULL) != FT_OK)
        abort();
    tap_ok(model.mispredict_cycles == 10 && model.store_buffer == 32 && model.source_count == 3 &&
               model.sources[2].more_cycles == 195,
           "numbers of the core and the machine");
    for (size_t i = 0; i < count; i++)
        check_loop(&core, &model, &checked[i]);
    ft_machine_fini(&machine);
    ft_core_fini(&core);
}

/* What CORE_BY_HAND_FOURTH takes. */
static const struct loop fourth_loops[] = {
    {"memory with an index: forwarded",
     "488b04cf 4801d0 488904cf" DEC_JNZ,
     {{0, false, 8, 0x1000, 0, 0, 0}, {2, true, 8, 0x1000, 0, 0, 0}},
     0,
     3,
     FT_REASON_EXECUTION},
    {"memory to vectors: forwarded later",
     "0f1007 f20f58c1 0f1107" DEC_JNZ,
     {{0, false, 16, 0x1000, 0, 0, 0}, {2, true, 16, 0x1000, 0, 0, 0}},
     0,
     11,
     FT_REASON_EXECUTION},
};

/* What CORE_BY_HAND_FIFTH takes. */
static const struct loop fifth_loops[] = {
    {"two entries of a window", "4889ca 4889ca 4889ca" DEC_JNZ, {{0}}, 0, 1, FT_REASON_BASE},
    {"a branch over a window's end",
     "4889ca 4889ca 4889ca 4889ca" DEC_JNZ,
     {{0}},
     0,
     4,
     FT_REASON_FRONT_END},
    {"a branch in a window of its own",
     "450f10c8 450f10c8 450f10c8 450f10c8" DEC_JNZ,
     {{0}},
     0,
     2,
     FT_REASON_BASE},
};

int main(void)
{
    check_loops(CORE_BY_HAND_SECOND, loops, sizeof loops / sizeof *loops);
    check_loops(CORE_BY_HAND_LATER, later_loops, sizeof later_loops / sizeof *later_loops);
    check_loops(CORE_BY_HAND_FOURTH, fourth_loops, sizeof fourth_loops / sizeof *fourth_loops);
    check_loops(CORE_BY_HAND_FIFTH, fifth_loops, sizeof fifth_loops / sizeof *fifth_loops);
    return tap_plan_done();
}
