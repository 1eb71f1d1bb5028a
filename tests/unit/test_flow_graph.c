/*
 * The flow graph and the routines of a small program, written in bytes below, that has what real
 * ones have: a call that never returns in the middle of a loop, one that comes back by a jump, an
 * indirect jump, a branch that is never taken, a tail call, parts that were moved away or split
 * off, and an OpenMP region. With symbols and with unwind entries alone.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/block_exits.h"
#include "engine/program/graph/loop_edges.h"
#include "engine/program/structure.h"
#include "tests/support/cut_units.h"
#include "tests/support/tap.h"

#define BIAS UINT64_C(0x7f0000000000)

/* clang-format off */
static const uint8_t code[0x100] = {
    [0x00] = /* 1000 main: call f          */ 0xe8, 0x3b, 0x00, 0x00, 0x00,
             /* 1005       call g          */ 0xe8, 0x96, 0x00, 0x00, 0x00,
             /* 100a       dec ebx         */ 0xff, 0xcb,
             /* 100c       jne 1000        */ 0x75, 0xf2,
             /* 100e       call f.part.0   */ 0xe8, 0x7d, 0x00, 0x00, 0x00,
             /* 1013       jmp h           */ 0xe9, 0x98, 0x00, 0x00, 0x00,
    [0x40] = /* 1040 f:    nop             */ 0x90,
             /* 1041       test edi,edi    */ 0x85, 0xff,
             /* 1043       jne 104a        */ 0x75, 0x05,
             /* 1045       call die        */ 0xe8, 0x76, 0x00, 0x00, 0x00,
             /* 104a       dec esi         */ 0xff, 0xce,
             /* 104c       jne 1041        */ 0x75, 0xf3,
             /* 104e       cmp eax,3       */ 0x83, 0xf8, 0x03,
             /* 1051       ja f.cold       */ 0x77, 0x2d,
             /* 1053       jmp [rax]       */ 0xff, 0x20,
             /* 1055       test eax,eax    */ 0x85, 0xc0,
             /* 1057       je 1061         */ 0x74, 0x08,
             /* 1059       jmp 1060        */ 0xeb, 0x05,
             /* 105b       call f.part.0   */ 0xe8, 0x30, 0x00, 0x00, 0x00,
             /* 1060       ret             */ 0xc3,
             /* 1061       ret, never      */ 0xc3,
    [0x80] = /* 1080 f.cold: nop           */ 0x90,
             /* 1081       jmp 105b        */ 0xeb, 0xd8,
    [0x90] = /* 1090 f.part.0: nop         */ 0x90,
             /* 1091       ret             */ 0xc3,
    [0xa0] = /* 10a0 g:    pop rcx         */ 0x59,
             /* 10a1       jmp rcx         */ 0xff, 0xe1,
    [0xb0] = /* 10b0 h:    nop             */ 0x90,
             /* 10b1       ret             */ 0xc3,
    [0xc0] = /* 10c0 die:  syscall         */ 0x0f, 0x05,
    [0xd0] = /* 10d0 f._omp_fn.0: nop      */ 0x90,
             /* 10d1       ret             */ 0xc3,
    [0xe0] = /* 10e0 pool: call rax        */ 0xff, 0xd0,
             /* 10e2       ret             */ 0xc3,
};
/* clang-format on */

static char strings[] = "\0main\0f\0f.cold\0f.part.0\0g\0h\0die\0f._omp_fn.0\0pool\0f._omp_fn.1";
enum {
    NAME_MAIN = 1,
    NAME_F = 6,
    NAME_COLD = 8,
    NAME_PART = 15,
    NAME_G = 24,
    NAME_H = 26,
    NAME_DIE = 28,
    NAME_OMP = 32,
    NAME_POOL = 44,
    NAME_OMP_1 = 49
};
static const struct ft_symbol named[] = {
    {.start = 0x1000, .end = 0x1018, .name = NAME_MAIN},
    {.start = 0x1040, .end = 0x1062, .name = NAME_F},
    {.start = 0x1080, .end = 0x1083, .name = NAME_COLD},
    {.start = 0x1090, .end = 0x1092, .name = NAME_PART},
    {.start = 0x10a0, .end = 0x10a3, .name = NAME_G},
    {.start = 0x10b0, .end = 0x10b2, .name = NAME_H},
    {.start = 0x10c0, .end = 0x10c2, .name = NAME_DIE},
    {.start = 0x10d0, .end = 0x10d2, .name = NAME_OMP},
    {.start = 0x10e0, .end = 0x10e3, .name = NAME_POOL},
};
#define SYMBOLS (sizeof named / sizeof *named)

static void steps(struct cut_execution *execution, const uint64_t *offsets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cut_execution_step(execution, offsets[i]);
}
#define STEPS(execution, ...)                                                                      \
    steps(execution, (const uint64_t[]){__VA_ARGS__},                                              \
          sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static struct cut_execution make_execution(void)
{
    struct cut_execution execution = {0};
    struct cut_execution *e = &execution;
    cut_execution_start(e); /* f with three iterations to the switch, with two to the cold part */
    STEPS(e, 0x1000, 0x1040);
    for (int turn = 0; turn < 3; turn++)
        STEPS(e, 0x1041, 0x1043, 0x104a, 0x104c);
    STEPS(e, 0x104e, 0x1051, 0x1053, 0x1055, 0x1057, 0x1059, 0x1060);
    STEPS(e, 0x1005, 0x10a0, 0x10a1, 0x100a, 0x100c, 0x1000, 0x1040);
    for (int turn = 0; turn < 2; turn++)
        STEPS(e, 0x1041, 0x1043, 0x104a, 0x104c);
    STEPS(e, 0x104e, 0x1051, 0x1080, 0x1081, 0x105b, 0x1090, 0x1091, 0x1060);
    STEPS(e, 0x1005, 0x10a0, 0x10a1, 0x100a, 0x100c);
    STEPS(e, 0x100e, 0x1090, 0x1091, 0x1013, 0x10b0, 0x10b1);
    cut_execution_start(e);
    STEPS(e, 0x10e0, 0x10d0, 0x10d1, 0x10e2);
    cut_execution_start(e);
    STEPS(e, 0x1000, 0x1040, 0x1041, 0x1043, 0x1045, 0x10c0);
    return execution;
}

static uint32_t block_at(const struct ft_structure *structure, uint64_t offset)
{
    return ft_flow_graph_block_at(&structure->graph, BIAS + offset, 0);
}

static uint32_t routine_at(const struct ft_structure *structure, uint64_t offset)
{
    return structure->routines.of_block[block_at(structure, offset)];
}

static const struct ft_scope *routine_scope(const struct ft_structure *structure, uint64_t offset)
{
    return &structure->scopes.scopes[structure->scope_of_routine[routine_at(structure, offset)]];
}

static uint32_t loop_at(const struct ft_structure *structure, uint64_t offset)
{
    return structure->loops.of_block[block_at(structure, offset)];
}

static const struct ft_scope *loop_scope(const struct ft_structure *structure, uint64_t offset)
{
    return &structure->scopes.scopes[structure->scope_of_loop[loop_at(structure, offset)]];
}

static void check_loops(const struct ft_structure *structure, const char *what)
{
    const uint32_t inner = loop_at(structure, 0x1041), outer = loop_at(structure, 0x1000);
    if (!tap_ok(structure->loops.count == 2 && inner != FT_NO_LOOP && outer != FT_NO_LOOP,
                "%s: two loops", what))
        return;
    tap_ok(loop_at(structure, 0x104a) == inner && loop_at(structure, 0x1045) == FT_NO_LOOP,
           "%s: a call that never returns is in no loop", what);
    tap_ok(loop_at(structure, 0x1005) == outer && loop_at(structure, 0x100a) == outer &&
               loop_at(structure, 0x100e) == FT_NO_LOOP,
           "%s: a call that comes back by a jump goes on", what);
    tap_ok(loop_scope(structure, 0x1041)->entry_count == 3 &&
               loop_scope(structure, 0x1041)->iteration_count == 6 &&
               loop_scope(structure, 0x1000)->entry_count == 2 &&
               loop_scope(structure, 0x1000)->iteration_count == 3,
           "%s: entries and iterations", what);
}

struct expected_exit {
    uint64_t from, pc, count;
    uint8_t kind;
    bool ran;
};

static void check_exits(const struct ft_structure *structure, const char *what)
{
    static const struct expected_exit expected[] = {
        {0x1000, 0x1005, 2, FT_EXIT_RETURNED, true}, {0x1005, 0x100a, 2, FT_EXIT_RETURNED, true},
        {0x100a, 0x1000, 1, FT_EXIT_TAKEN, true},    {0x100a, 0x100e, 1, FT_EXIT_NEXT, true},
        {0x100e, 0x1013, 1, FT_EXIT_RETURNED, true}, {0x1013, 0x10b0, 1, FT_EXIT_TAIL_CALL, true},
        {0x1040, 0x1041, 3, FT_EXIT_NEXT, true},     {0x1041, 0x1045, 1, FT_EXIT_NEXT, true},
        {0x1041, 0x104a, 5, FT_EXIT_TAKEN, true},    {0x104a, 0x1041, 3, FT_EXIT_TAKEN, true},
        {0x104a, 0x104e, 2, FT_EXIT_NEXT, true},     {0x104e, 0x1053, 1, FT_EXIT_NEXT, true},
        {0x104e, 0x1080, 1, FT_EXIT_TAKEN, true},    {0x1053, 0x1055, 1, FT_EXIT_INDIRECT, true},
        {0x1055, 0x1059, 1, FT_EXIT_NEXT, true},     {0x1055, 0x1061, 0, FT_EXIT_TAKEN, false},
        {0x1059, 0x1060, 1, FT_EXIT_TAKEN, true},    {0x105b, 0x1060, 1, FT_EXIT_RETURNED, true},
        {0x1080, 0x105b, 1, FT_EXIT_TAKEN, true},    {0x10c0, 0x10c2, 0, FT_EXIT_NEXT, false},
        {0x10e0, 0x10e2, 1, FT_EXIT_RETURNED, true},
    };
    const size_t count = sizeof expected / sizeof *expected;
    struct ft_block_exits exits;
    struct ft_diag diag;
    if (ft_block_exits_find(&structure->graph, &structure->routines, &exits, &diag) != 0) {
        tap_ok(false, "%s: %s", what, diag.message);
        return;
    }
    size_t same = 0, all = exits.first[structure->graph.block_count];
    for (uint32_t b = 0; b < structure->graph.block_count; b++)
        for (uint32_t e = exits.first[b]; e < exits.first[b + 1]; e++) {
            const struct ft_block_exit *exit = &exits.items[e];
            size_t i = 0;
            while (i < count && (expected[i].from != structure->graph.blocks[b].offset ||
                                 BIAS + expected[i].pc != exit->pc))
                i++;
            bool is = i < count && expected[i].count == exit->count &&
                      expected[i].kind == exit->kind &&
                      expected[i].ran == (exit->to != FT_NO_BLOCK);
            if (!is)
                printf("# 0x%llx to 0x%llx, %llu times, %s\n",
                       (unsigned long long)structure->graph.blocks[b].offset,
                       (unsigned long long)(exit->pc - BIAS), (unsigned long long)exit->count,
                       ft_exit_kind_names[exit->kind]);
            same += is;
        }
    tap_ok(same == all && all == count, "%s: %zu ways out of blocks, those never taken too", what,
           all);
    ft_block_exits_fini(&exits);
}

static void check_ways(const struct ft_structure *structure, const char *what)
{
    static const struct {
        uint64_t header, from, to, count; /* 0: nowhere */
        uint8_t kind;
    } expected[] = {
        {0x1000, 0x100a, 0x1000, 1, FT_LOOP_BACK}, {0x1000, 0x1000, 0, 1, FT_LOOP_EXIT},
        {0x1000, 0x100a, 0x100e, 1, FT_LOOP_EXIT}, {0x1041, 0x1040, 0x1041, 3, FT_LOOP_ENTRY},
        {0x1041, 0x104a, 0x1041, 3, FT_LOOP_BACK}, {0x1041, 0x1041, 0x1045, 1, FT_LOOP_EXIT},
        {0x1041, 0x104a, 0x104e, 2, FT_LOOP_EXIT},
    };
    const size_t count = sizeof expected / sizeof *expected;
    const struct ft_flow_graph *graph = &structure->graph;
    struct ft_block_exits exits = {0};
    struct ft_loop_edges ways = {0};
    struct ft_diag diag;
    if (ft_block_exits_find(graph, &structure->routines, &exits, &diag) != 0 ||
        ft_loop_edges_find(graph, &structure->routines, &structure->loops, &exits, &ways, &diag)) {
        tap_ok(false, "%s: %s", what, diag.message);
        return;
    }
    const size_t all = ways.first[structure->loops.count];
    size_t same = 0;
    for (size_t i = 0; i < all && i < count; i++) {
        const struct ft_loop_edge *way = &ways.items[i];
        uint64_t header = graph->blocks[structure->loops.items[way->loop].header].offset;
        uint64_t from = way->from == FT_NO_BLOCK ? 0 : graph->blocks[way->from].offset;
        uint64_t to = way->to == FT_NO_BLOCK ? 0 : graph->blocks[way->to].offset;
        bool is = header == expected[i].header && from == expected[i].from &&
                  to == expected[i].to && way->count == expected[i].count &&
                  way->kind == expected[i].kind;
        if (!is)
            printf("# loop 0x%llx: 0x%llx to 0x%llx, %llu times\n", (unsigned long long)header,
                   (unsigned long long)from, (unsigned long long)to,
                   (unsigned long long)way->count);
        same += is;
    }
    tap_ok(same == all && all == count, "%s: %zu ways into loops, back and out", what, all);
    tap_ok(ways.preheader[loop_at(structure, 0x1041)] == block_at(structure, 0x1040) &&
               ways.preheader[loop_at(structure, 0x1000)] == FT_NO_BLOCK,
           "%s: the inner loop has a preheader", what);
    ft_block_exits_fini(&exits);
    ft_loop_edges_fini(&ways);
}

static void check_named(const struct ft_structure *structure)
{
    const uint32_t f = routine_at(structure, 0x1040);
    tap_ok(routine_at(structure, 0x1080) == f && routine_at(structure, 0x1090) == f &&
               routine_at(structure, 0x10d0) == f && structure->routines.count == 6,
           "by names: the cold, the split and the parallel part are of f");
    tap_ok(
        strcmp(routine_scope(structure, 0x1040)->name, "f") == 0 &&
            routine_scope(structure, 0x1040)->entry_count == 4,
        "f was called three times, its part once from elsewhere; not by itself, nor by the pool");
    const uint8_t *starts = structure->routines.starts;
    tap_ok(starts[block_at(structure, 0x1040)] == FT_STARTS_ROUTINE &&
               starts[block_at(structure, 0x1041)] == FT_STARTS_NOTHING &&
               starts[block_at(structure, 0x1080)] == FT_STARTS_NOTHING &&
               starts[block_at(structure, 0x1090)] == FT_STARTS_PART &&
               starts[block_at(structure, 0x10d0)] == FT_STARTS_REGION,
           "what starts where");
    tap_ok(routine_scope(structure, 0x10b0)->entry_count == 1 &&
               routine_scope(structure, 0x10a0)->entry_count == 2 &&
               routine_scope(structure, 0x1000)->entry_count == 2,
           "a tail call enters a routine, an iteration of its first loop does not");
}

static void check_unwind(const struct ft_structure *structure)
{
    tap_ok(routine_at(structure, 0x1080) == routine_at(structure, 0x1040) &&
               structure->routines.count == 8,
           "by unwind entries: what jumps back into the middle of f is a part of it");
    tap_ok(strcmp(routine_scope(structure, 0x1080)->name, "routine at 0x1040") == 0 &&
               strcmp(routine_scope(structure, 0x1090)->name, "routine at 0x1090") == 0,
           "it has the name of the whole; what is called stands for itself");
}

static void check_regions(const struct ft_structure *structure)
{
    tap_ok(routine_at(structure, 0x10d0) == routine_at(structure, 0x10e0) &&
               strcmp(routine_scope(structure, 0x10d0)->name, "f") == 0 &&
               structure->routines.count == 8,
           "the regions of a routine that is nowhere else have its name");
}

static uint64_t runs_of(const struct ft_flow_graph *graph, uint64_t pc)
{
    uint32_t block = ft_flow_graph_block_at(graph, pc, 0);
    return block == FT_NO_BLOCK ? 0 : graph->blocks[block].execution_count;
}

static uint64_t into(const struct ft_flow_graph *graph, uint32_t block)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < graph->edge_count; i++)
        sum += graph->edges[i].to == block ? graph->edges[i].count : 0;
    return sum;
}

/* Five times a signal stops a unit behind its first instructions: these ran five times more. */
static void check_stopped(const struct cut_units *cut, const struct ft_module *const *modules)
{
    struct ft_flow_graph whole, stopped;
    struct ft_execution_counts counts = cut->counts;
    size_t wrong = 0, tried = 0;
    if (ft_flow_graph_build(cut->pointers, cut->unit_count, &cut->counts, modules, &whole, NULL))
        exit(99);
    for (uint32_t id = 1; id < cut->unit_count; id++)
        for (uint32_t n = 1; n <= cut->units[id].instruction_count; n++, tried++) {
            struct ft_unit_part part = {id, n, 5};
            counts.parts = &part;
            counts.part_count = 1;
            if (ft_flow_graph_build(cut->pointers, cut->unit_count, &counts, modules, &stopped,
                                    NULL))
                exit(99);
            uint64_t more = 0;
            for (size_t b = 0; b < stopped.block_count; b++)
                more += stopped.blocks[b].execution_count * stopped.blocks[b].instruction_count;
            for (size_t b = 0; b < whole.block_count; b++)
                more -= whole.blocks[b].execution_count * whole.blocks[b].instruction_count;
            wrong += more != UINT64_C(5) * n;
            for (uint32_t i = 0; i < n; i++) {
                const uint64_t pc = cut->units[id].instructions[i].pc;
                const uint32_t block = ft_flow_graph_block_at(&stopped, pc, 0);
                wrong += runs_of(&stopped, pc) != runs_of(&whole, pc) + 5;
                if (i > 0 && stopped.blocks[block].pc == pc) /* on the way from the one before */
                    wrong += into(&stopped, block) < 5;
            }
            ft_flow_graph_fini(&stopped);
        }
    tap_ok(wrong == 0 && tried > 20, "stopped in %zu places: blocks ran as often as what ran",
           tried);
    ft_flow_graph_fini(&whole);
}

int main(void)
{
    static const unsigned limits[] = {64, 2, 1};
    static struct cut_units cut;
    struct cut_execution execution = make_execution();
    const struct cut_code all = {code, sizeof code, 0x1000, BIAS};
    struct ft_symbol unwind[SYMBOLS], regions[SYMBOLS];
    memcpy(unwind, named, sizeof named);
    memcpy(regions, named, sizeof named);
    for (size_t i = 0; i < SYMBOLS; i++) {
        unwind[i].name = 0;
        unwind[i].source = FT_SYMBOL_UNWIND;
    }
    regions[1].name = NAME_H; /* no f; and h twice, so that nothing is meant by it */
    regions[8].name = NAME_OMP_1;
    const struct {
        const char *what;
        struct ft_symbol *symbols;
        void (*check)(const struct ft_structure *structure);
    } kinds[] = {{"names", (struct ft_symbol *)named, check_named},
                 {"unwind entries", unwind, check_unwind},
                 {"regions", regions, check_regions}};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            struct ft_module module = {.path = (char *)"/opt/test",
                                       .load_bias = BIAS,
                                       .start = 0x1000,
                                       .end = 0x1100,
                                       .symbols = kinds[k].symbols,
                                       .symbol_count = SYMBOLS,
                                       .strings = strings,
                                       .strings_bytes = sizeof strings};
            const struct ft_module *modules = &module;
            cut_units(&cut, &all, &execution, limits[i]);
            struct ft_structure_input input = {.program = "/opt/test",
                                               .units = cut.pointers,
                                               .unit_count = cut.unit_count,
                                               .modules = &modules,
                                               .module_count = 1,
                                               .counts = &cut.counts};
            struct ft_structure structure;
            struct ft_diag diag = {0};
            if (tap_ok(ft_structure_make(&input, &structure, &diag) == 0, "%s, limit %u: %s",
                       kinds[k].what, limits[i], diag.message)) {
                if (k < 2) {
                    check_loops(&structure, kinds[k].what);
                    check_exits(&structure, kinds[k].what);
                    check_ways(&structure, kinds[k].what);
                }
                kinds[k].check(&structure);
                ft_structure_fini(&structure);
                check_stopped(&cut, &modules);
            }
            cut_units_fini(&cut);
        }
    return tap_plan_done();
}
