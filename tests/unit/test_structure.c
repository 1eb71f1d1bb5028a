/*
 * The scope tree of a program of three routines, written in bytes below, whose counts are known. An
 * execution is a list of addresses; it is cut into units as a capture does, with several limits of
 * the planner, and each must give the same tree.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/program/structure.h"
#include "formats/histograms/histograms.h"
#include "formats/x86/reference_unit.h"
#include "tests/support/cut_units.h"
#include "tests/support/tap.h"

#define BIAS     UINT64_C(0x7f0000000000)
#define CALLS    3
#define ELEMENTS 10

/* clang-format off */
static const uint8_t code[] = {
    /* 1000 sum:  xor eax,eax      */ 0x31, 0xc0,
    /* 1002       mov rdx,[rdi]    */ 0x48, 0x8b, 0x17,
    /* 1005       add rax,rdx      */ 0x48, 0x01, 0xd0,
    /* 1008       add rdi,8        */ 0x48, 0x83, 0xc7, 0x08,
    /* 100c       cmp rdi,rsi      */ 0x48, 0x39, 0xf7,
    /* 100f       jne 1002         */ 0x75, 0xf1,
    /* 1011       jmp 1030         */ 0xeb, 0x1d,
    /* 1013       nops             */ 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
    /* 101d                        */ 0x90, 0x90, 0x90,
    /* 1020 main: call 1000        */ 0xe8, 0xdb, 0xff, 0xff, 0xff,
    /* 1025       dec ebx          */ 0xff, 0xcb,
    /* 1027       jne 1020         */ 0x75, 0xf7,
    /* 1029       jne 102c         */ 0x75, 0x01,
    /* 102b       lock cmpxchg     */ 0xf0, 0x0f, 0xb1, 0x0f, /* 102c: without lock */
    /* 102f       ret              */ 0xc3,
    /* 1030 cold: addsd xmm0,[rdi] */ 0xf2, 0x0f, 0x58, 0x07,
    /* 1034       ret              */ 0xc3,
    /* 1035 gap:  nop              */ 0x90,
};
/* clang-format on */

/* "sum" is inlined nowhere; the addition at 1005 comes from a call in line 12. */
static char strings[] = "\0_ZN4test3sumEPl\0_ZN4test3sumEPl.cold\0main\0/src/sum.cc\0/src/main.c\0"
                        "add\0/src/add.h";
enum {
    NAME_SUM = 1,
    NAME_COLD = 17,
    NAME_MAIN = 38,
    FILE_SUM = 43,
    FILE_MAIN = 55,
    NAME_ADD = 67,
    FILE_ADD = 71
};
static struct ft_symbol symbols[] = {
    {0x1000, 0x1013, NAME_SUM, FT_SYMBOL_TABLE, FILE_SUM, 9, 10},
    {0x1020, 0x1030, NAME_MAIN, FT_SYMBOL_TABLE, FILE_MAIN, 3, 4},
    {0x1030, 0x1035, NAME_COLD, FT_SYMBOL_TABLE, 0, 0, 0},
};
static struct ft_line lines[] = {
    {0x1000, 0x1002, FILE_SUM, 10}, {0x1002, 0x1005, FILE_SUM, 12}, {0x1005, 0x1008, FILE_ADD, 99},
    {0x1008, 0x100c, FILE_SUM, 10}, {0x100c, 0x1011, FILE_SUM, 11}, {0x1011, 0x1013, FILE_SUM, 14},
    {0x1020, 0x1025, FILE_MAIN, 6}, {0x1025, 0x1029, FILE_MAIN, 5}, {0x1029, 0x1030, FILE_MAIN, 8},
    {0x1030, 0x1035, FILE_SUM, 15},
};
static struct ft_inline inlines[] = {{0x1005, 0x1008, NAME_ADD, FILE_SUM, 12, 0}};
static const struct ft_module module = {
    .path = (char *)"/opt/test",
    .build_id = {0xab, 0xcd},
    .build_id_bytes = 2,
    .load_bias = BIAS,
    .start = 0x1000,
    .end = 0x1036,
    .symbols = symbols,
    .symbol_count = 3,
    .lines = lines,
    .line_count = sizeof lines / sizeof *lines,
    .inlines = inlines,
    .inline_count = 1,
    .strings = strings,
    .strings_bytes = sizeof strings,
};

/* main calls sum CALLS times; the last two runs of main's end take the two ways to cmpxchg. */
static struct cut_execution make_execution(void)
{
    struct cut_execution execution = {0};
    static const uint64_t body[] = {0x1002, 0x1005, 0x1008, 0x100c, 0x100f};
    for (int end = 0; end < 2; end++) {
        cut_execution_start(&execution);
        for (int call = 0; call < CALLS; call++) {
            cut_execution_step(&execution, 0x1020);
            cut_execution_step(&execution, 0x1000);
            for (int i = 0; i < ELEMENTS; i++)
                for (size_t j = 0; j < sizeof body / sizeof *body; j++)
                    cut_execution_step(&execution, body[j]);
            cut_execution_step(&execution, 0x1011);
            cut_execution_step(&execution, 0x1030);
            cut_execution_step(&execution, 0x1034);
            cut_execution_step(&execution, 0x1025);
            cut_execution_step(&execution, 0x1027);
        }
        cut_execution_step(&execution, 0x1029);
        cut_execution_step(&execution, end ? 0x102b : 0x102c);
        cut_execution_step(&execution, 0x102f);
    }
    cut_execution_start(&execution);
    cut_execution_step(&execution, 0x1035);
    return execution;
}

static const struct ft_scope *scope_named(const struct ft_scopes *scopes, const char *name)
{
    for (size_t i = 0; i < scopes->scope_count; i++)
        if (strcmp(scopes->scopes[i].name, name) == 0)
            return &scopes->scopes[i];
    return NULL;
}

static const struct ft_block *block_at(const struct ft_scopes *scopes, uint64_t offset)
{
    for (size_t i = 0; i < scopes->block_count; i++)
        if (scopes->blocks[i].offset == offset)
            return &scopes->blocks[i];
    return NULL;
}

static uint64_t edge_count(const struct ft_scopes *scopes, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < scopes->edge_count; i++)
        if (scopes->blocks[scopes->edges[i].from].offset == from &&
            scopes->blocks[scopes->edges[i].to].offset == to)
            return scopes->edges[i].count;
    return 0;
}

static void check_blocks(const struct ft_scopes *scopes, size_t instructions, unsigned limit)
{
    static const struct {
        uint64_t offset;
        uint32_t instructions;
        uint64_t executions;
    } expected[] = {
        {0x1000, 1, 2 * CALLS}, {0x1002, 5, 2 * CALLS * ELEMENTS},
        {0x1011, 1, 2 * CALLS}, {0x1020, 1, 2 * CALLS},
        {0x1025, 2, 2 * CALLS}, {0x1029, 1, 2},
        {0x102b, 1, 1},         {0x102c, 1, 1},
        {0x102f, 1, 2},         {0x1030, 2, 2 * CALLS},
        {0x1035, 1, 1},
    };
    size_t count = sizeof expected / sizeof *expected;
    bool same = scopes->block_count == count;
    uint64_t executed = 0;
    for (size_t i = 0; same && i < count; i++) {
        const struct ft_block *block = &scopes->blocks[i];
        same = block->offset == expected[i].offset &&
               block->instruction_count == expected[i].instructions &&
               block->execution_count == expected[i].executions;
        executed += block->execution_count * block->instruction_count;
    }
    tap_ok(same, "limit %u: %zu blocks with their counts", limit, scopes->block_count);
    tap_ok(executed == instructions, "limit %u: %llu instructions in blocks", limit,
           (unsigned long long)executed);
    tap_ok(edge_count(scopes, 0x1002, 0x1002) == 2 * CALLS * (ELEMENTS - 1) &&
               edge_count(scopes, 0x1000, 0x1002) == 2 * CALLS &&
               edge_count(scopes, 0x1002, 0x1011) == 2 * CALLS &&
               edge_count(scopes, 0x1020, 0x1000) == 2 * CALLS &&
               edge_count(scopes, 0x1030, 0x1025) == 2 * CALLS &&
               edge_count(scopes, 0x102b, 0x102f) == 1 && edge_count(scopes, 0x102c, 0x102f) == 1 &&
               edge_count(scopes, 0x1029, 0x102c) == 1,
           "limit %u: edges", limit);
    const struct ft_block *body = block_at(scopes, 0x1002), *cold = block_at(scopes, 0x1030);
    tap_ok(body && body->mix[FT_MIX_LOAD] == 1 && body->mix[FT_MIX_INTEGER] >= 3 &&
               body->mix[FT_MIX_BRANCH] == 1 && body->flops == 0 && cold && cold->flops == 1 &&
               cold->mix[FT_MIX_FP_ADD] == 1 && cold->mix[FT_MIX_LOAD] >= 1,
           "limit %u: mix and flops", limit);
}

static void check_scopes(const struct ft_scopes *scopes, unsigned limit)
{
    const struct ft_scope *all = scopes->scopes;
    const struct ft_scope *sum = scope_named(scopes, "test::sum(long*)");
    const struct ft_scope *caller = scope_named(scopes, "main");
    const struct ft_scope *inner = scope_named(scopes, "loop at sum.cc:11");
    const struct ft_scope *outer = scope_named(scopes, "loop at main.c:5");
    const struct ft_scope *gap = scope_named(scopes, "unknown at 0x1035");
    if (!tap_ok(sum && caller && inner && outer && gap && scopes->scope_count == 7,
                "limit %u: program, module, three routines and two loops", limit))
        return;
    tap_ok(all[0].kind == FT_SCOPE_PROGRAM && strcmp(all[0].name, "test") == 0 &&
               all[1].kind == FT_SCOPE_MODULE && sum->parent == 1 && gap->parent == 1 &&
               &all[inner->parent] == sum && &all[outer->parent] == caller,
           "limit %u: the tree", limit);
    tap_ok(sum->first_line == 9 && sum->last_line == 14 && strcmp(sum->file, "/src/sum.cc") == 0,
           "limit %u: lines of a routine", limit);
    tap_ok(inner->first_line == 11 && inner->last_line == 12 &&
               strcmp(inner->file, "/src/sum.cc") == 0,
           "limit %u: lines of a loop: neither the routine's head nor inlined ones", limit);
    tap_ok(sum->entry_count == 2 * CALLS && caller->entry_count == 2 && gap->entry_count == 1,
           "limit %u: routines were entered", limit);
    tap_ok(inner->entry_count == 2 * CALLS && inner->iteration_count == 2 * CALLS * ELEMENTS,
           "limit %u: the inner loop's counts", limit);
    tap_ok(outer->entry_count == 2 && outer->iteration_count == 2 * CALLS,
           "limit %u: the outer loop's counts, entered with its routine", limit);
    const struct ft_block *cold = block_at(scopes, 0x1030);
    tap_ok(cold && &all[cold->scope] == sum, "limit %u: the cold part is its routine's", limit);
    tap_ok(strcmp(scopes->modules[0].build_id, "abcd") == 0 &&
               strcmp(scopes->modules[0].name, "test") == 0,
           "limit %u: the module", limit);
}

/* The load of the inner loop twice (as if of two accesses), and the load of the cold part. */
static void check_references(const struct ft_structure_input *base)
{
    struct ft_reference references[] = {
        {BIAS + 0x1002, 0x1002, 0, 8, 0, FT_LOAD}, {BIAS + 0x1030, 0x1030, 0, 8, 0, FT_LOAD},
        {BIAS + 0x1002, 0x1002, 0, 8, 0, FT_LOAD}, {BIAS + 0x1030, 0x1030, 0, 8, 0, FT_LOAD},
        {BIAS + 0x1002, 0x1002, 0, 8, 0, FT_LOAD},
    };
    static const int64_t strides[] = {8, FT_STRIDE_NONE, 8, FT_STRIDE_NONE, 16};
    struct ft_structure_input input = *base;
    input.references = references;
    input.reference_count = 5;
    input.strides = strides;
    struct ft_scopes scopes = {0};
    struct ft_diag diag;
    if (!tap_ok(ft_structure_build_from(&input, &scopes, &diag) == 0, "references"))
        return;
    const struct ft_scoped_reference *placed = scopes.references;
    tap_ok(scopes.reference_count == 5 && scopes.group_count == 2 && placed[0].group == 0 &&
               placed[1].group == 1 && placed[2].group == 0 && placed[3].group == 1 &&
               placed[4].group == 0,
           "groups by what the code says, whatever strides were seen");
    tap_ok(strcmp(scopes.scopes[placed[0].scope].name, "loop at sum.cc:11") == 0 &&
               placed[0].line == 12 && scopes.blocks[placed[0].block].offset == 0x1002 &&
               placed[1].line == 15 && scopes.scopes[placed[1].scope].kind == FT_SCOPE_ROUTINE,
           "scope, block and line");
    ft_scopes_fini(&scopes);

    input.strides = NULL;
    if (ft_structure_build_from(&input, &scopes, &diag) == 0)
        tap_ok(scopes.group_count == 5, "without strides each is a group");
    ft_scopes_fini(&scopes);
    references[3].pc = BIAS + 0x1031;
    tap_ok(ft_structure_build_from(&input, &scopes, &diag) == FT_ERROR_DATA,
           "a reference in no unit: %s", diag.message);
}

/* ---- References without code ---- */

/* An instruction that loads; more loads of it; one that loads and stores, and one without accesses
 * in one unit; a load at a pc that nothing was executed at. They run in turn, round and round. */
static const struct ft_reference_entry entries[] = {
    {0x10, 3, true, 1, {{8, FT_LOAD, false}}},
    {0x10, 0, false, 1, {{8, FT_LOAD, false}}},
    {0x13, 4, true, 2, {{4, FT_LOAD, false}, {4, FT_STORE, true}}},
    {0x17, 2, true, 0, {{0}}},
    {0x5000, 0, false, 1, {{1, FT_LOAD, false}}},
};
static const struct {
    unsigned entry, count;
    uint64_t executions;
} pieces[] = {{0, 1, 10}, {1, 1, 30}, {2, 2, 10}, {4, 1, 10}};
#define PIECES (sizeof pieces / sizeof *pieces)

static void check_scopes_without_code(const struct ft_scopes *scopes)
{
    uint64_t instructions = 0, loads = 0, stores = 0;
    for (size_t b = 0; b < scopes->block_count; b++) {
        const struct ft_block *block = &scopes->blocks[b];
        instructions += block->execution_count * block->instruction_count;
        loads += block->execution_count * block->mix[FT_MIX_LOAD];
        stores += block->execution_count * block->mix[FT_MIX_STORE];
    }
    tap_ok(instructions == 30, "%llu instructions, those that were executed",
           (unsigned long long)instructions);
    tap_ok(loads == 60 && stores == 10, "loads and stores of all of them");
    tap_ok(scopes->scope_count == 3 && scopes->scopes[2].kind == FT_SCOPE_ROUTINE &&
               strcmp(scopes->scopes[2].name, "unknown") == 0,
           "one routine that is not known, and no loops");
    const struct ft_scoped_reference *placed = scopes->references;
    tap_ok(scopes->reference_count == 4 && scopes->blocks[placed[0].block].offset == 0x10 &&
               scopes->blocks[placed[2].block].offset == 0x13 &&
               scopes->blocks[placed[3].block].offset == 0x5000 && placed[3].line == 0,
           "references in their blocks");
    tap_ok(scopes->group_count == 3 && placed[0].group == 0 && placed[1].group == 0 &&
               placed[2].group == 1 && placed[3].group == 2,
           "groups: equal strides of one scope; none without runs");
}

static void check_without_code(void)
{
    static const struct ft_reference references[] = {
        {0x10, 0x10, FT_NO_MODULE, 8, 0, FT_LOAD},
        {0x13, 0x13, FT_NO_MODULE, 4, 0, FT_LOAD},
        {0x13, 0x13, FT_NO_MODULE, 4, 1, FT_STORE},
        {0x5000, 0x5000, FT_NO_MODULE, 1, 0, FT_LOAD},
    };
    static const int64_t strides[] = {8, 8, 16, FT_STRIDE_NONE};
    struct ft_unit units[PIECES + 1] = {0};
    const struct ft_unit *pointers[PIECES + 1] = {NULL};
    uint64_t executions[PIECES + 1] = {0}, loop_entries[PIECES + 1] = {0};
    struct ft_unit_edge edges[] = {{0, 1, 1},  {1, 2, 10}, {2, 2, 20},
                                   {2, 3, 10}, {3, 4, 10}, {4, 1, 9}};
    struct ft_diag diag = {0};
    int status = 0;
    for (unsigned i = 0; i < PIECES && status == 0; i++) {
        status = ft_reference_unit_create(&entries[pieces[i].entry], pieces[i].count, &units[i + 1],
                                          &diag);
        units[i + 1].id = i + 1;
        pointers[i + 1] = &units[i + 1];
        executions[i + 1] = pieces[i].executions;
    }
    struct ft_execution_counts counts = {.units = executions,
                                         .loop_entries = loop_entries,
                                         .edges = edges,
                                         .edge_count = sizeof edges / sizeof *edges};
    struct ft_structure_input input = {.program = "imported",
                                       .units = pointers,
                                       .unit_count = PIECES + 1,
                                       .counts = &counts,
                                       .references = references,
                                       .reference_count = 4,
                                       .strides = strides};
    struct ft_scopes scopes;
    if (status == 0)
        status = ft_structure_build_from(&input, &scopes, &diag);
    if (tap_ok(status == 0, "without code: built %s", diag.message)) {
        check_scopes_without_code(&scopes);
        ft_scopes_fini(&scopes);
    }
    for (unsigned i = 1; i <= PIECES; i++)
        ft_unit_fini(&units[i]);
}

int main(void)
{
    static const unsigned limits[] = {64, 3, 2, 1};
    const struct cut_code all = {code, sizeof code, 0x1000, BIAS};
    struct cut_execution execution = make_execution();
    const struct ft_module *modules = &module;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        static struct cut_units cut;
        cut_units(&cut, &all, &execution, limits[i]);
        struct ft_structure_input input = {
            .program = "/opt/test",
            .units = cut.pointers,
            .unit_count = cut.unit_count,
            .modules = &modules,
            .module_count = 1,
            .counts = &cut.counts,
        };
        struct ft_scopes scopes;
        struct ft_diag diag = {0};
        if (tap_ok(ft_structure_build_from(&input, &scopes, &diag) == 0, "limit %u: built %s",
                   limits[i], diag.message)) {
            check_blocks(&scopes, execution.count, limits[i]);
            check_scopes(&scopes, limits[i]);
            ft_scopes_fini(&scopes);
        }
        if (i == 0)
            check_references(&input);
        cut_units_fini(&cut);
    }
    check_without_code();
    return tap_plan_done();
}
