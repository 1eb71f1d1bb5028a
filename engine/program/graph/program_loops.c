/*
 * Per routine: number its blocks, restrict the successors to it, find the loops.
 *
 * Then each loop is placed in the source. Its context, the inlined calls around the loop itself and
 * not only around parts of its body, is that of the branches back to its header, which belong to
 * the loop's condition: in an inlined routine they carry its call, around such a call they do not.
 * Where the condition itself was inlined the branches go too deep, so the context ends where most
 * of the loop's instructions no longer share it. Lines are then counted from that context.
 */
#include "engine/program/graph/program_loops.h"

#include <stdlib.h>
#include <string.h>

/* A context is shared where so much of a loop's code is inside it; compilers mix in the odd
 * instruction of other places. */
#define SHARED_PERCENT 80

/* Where a loop stands in the source. */
struct placement {
    struct ft_source_context context;
    uint64_t
        shared[FT_INLINE_DEPTH_MAX + 1]; /* instructions by how much of the context they share */
    struct ft_source_tally tally;
};

struct finder {
    const struct ft_flow_graph *graph;
    const struct ft_routines *routines;
    const struct ft_module *const *modules;
    struct ft_program_loops loops;
    uint32_t *local;           /* per block: its number in its routine */
    uint32_t *first_successor; /* of the routine at hand */
    uint32_t *successors;
    struct placement *placements; /* per loop */
};

/* The routine's part of the graph; gives the number of its entry block. */
static uint32_t take_routine(struct finder *finder, const struct ft_routine *routine)
{
    const struct ft_flow_graph *graph = finder->graph;
    const uint32_t *blocks = finder->routines->blocks + routine->first_block;
    uint32_t index = (uint32_t)(routine - finder->routines->items);
    uint32_t entry = 0, edge_count = 0;
    for (uint32_t i = 0; i < routine->block_count; i++) {
        finder->first_successor[i] = edge_count;
        uint32_t block = blocks[i];
        if (graph->blocks[block].offset == routine->start && graph->blocks[block].execution_count)
            entry = i;
        for (uint32_t s = graph->first_successor[block]; s < graph->first_successor[block + 1]; s++)
            if (finder->routines->of_block[graph->successors[s]] == index)
                finder->successors[edge_count++] = finder->local[graph->successors[s]];
    }
    finder->first_successor[routine->block_count] = edge_count;
    return entry;
}

/* Appends the routine's loops; false when out of memory. */
static bool find_in_routine(struct finder *finder, uint32_t index, struct ft_diag *diag)
{
    const struct ft_routine *routine = &finder->routines->items[index];
    const uint32_t *blocks = finder->routines->blocks + routine->first_block;
    uint32_t entry = take_routine(finder, routine);
    struct ft_loop_forest forest;
    if (ft_loops_find(routine->block_count, finder->first_successor, finder->successors, entry,
                      &forest, diag) != 0)
        return false;
    uint32_t first = (uint32_t)finder->loops.count;
    for (size_t i = 0; i < forest.loop_count; i++) {
        const struct ft_loop *loop = &forest.loops[i];
        finder->loops.items[finder->loops.count++] = (struct ft_program_loop){
            .routine = index,
            .header = blocks[loop->header],
            .irreducible = loop->irreducible,
            .parent = loop->parent == FT_NO_LOOP ? FT_NO_LOOP : first + loop->parent,
            .same_as = first + (uint32_t)i,
        };
    }
    for (uint32_t i = 0; i < routine->block_count; i++)
        finder->loops.of_block[blocks[i]] =
            forest.loop_of_node[i] == FT_NO_LOOP ? FT_NO_LOOP : first + forest.loop_of_node[i];
    ft_loop_forest_fini(&forest);
    return true;
}

static const struct ft_module *module_of(const struct finder *finder, uint32_t block)
{
    uint32_t module = finder->graph->blocks[block].module;
    return module == FT_NO_MODULE ? NULL : finder->modules[module];
}

typedef void loop_visitor(struct finder *finder, struct ft_program_loop *loop,
                          const struct ft_module *module, uint64_t offset);

/* Whether control runs into a block from the code before it. */
static bool falls_into(const struct ft_flow_graph *graph, uint32_t block)
{
    const struct ft_flow_block *b = &graph->blocks[block];
    if (block == 0 || b[-1].module != b->module || b[-1].offset + b[-1].code_bytes != b->offset)
        return false;
    uint8_t flow = ft_flow_last_instruction(graph, block - 1)->flow;
    return flow != FT_FLOW_JUMP && flow != FT_FLOW_JUMP_INDIRECT && flow != FT_FLOW_RETURN &&
           flow != FT_FLOW_INTERRUPT_RETURN && flow != FT_FLOW_TRAP;
}

/* Calls visit for each instruction of known modules with each loop around it; not for those that
 * have their line only from unrelated code before their block. */
static void for_each_instruction(struct finder *finder, loop_visitor *visit)
{
    const struct ft_flow_graph *graph = finder->graph;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const struct ft_flow_block *block = &graph->blocks[b];
        const struct ft_module *module = module_of(finder, b);
        if (!module || finder->loops.of_block[b] == FT_NO_LOOP)
            continue;
        bool falls = falls_into(graph, b);
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            uint64_t offset =
                graph->instructions[block->first_instruction + i]->pc - module->load_bias;
            const struct ft_line *line = ft_module_line(module, offset);
            if (!line || (line->start < block->offset && !falls))
                continue;
            for (uint32_t l = finder->loops.of_block[b]; l != FT_NO_LOOP;
                 l = finder->loops.items[l].parent)
                visit(finder, &finder->loops.items[l], module, offset);
        }
    }
}

static struct placement *placement_of(struct finder *finder, const struct ft_program_loop *loop)
{
    return &finder->placements[loop - finder->loops.items];
}

/* Narrows each loop's context over the branches back to its header. */
static void narrow_to_latches(struct finder *finder)
{
    const struct ft_flow_graph *graph = finder->graph;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const struct ft_module *module = module_of(finder, b);
        for (uint32_t l = finder->loops.of_block[b]; module && l != FT_NO_LOOP;
             l = finder->loops.items[l].parent)
            for (uint32_t s = graph->first_successor[b]; s < graph->first_successor[b + 1]; s++)
                if (graph->successors[s] == finder->loops.items[l].header)
                    ft_source_narrow(module,
                                     ft_flow_last_instruction(graph, b)->pc - module->load_bias,
                                     &finder->placements[l].context);
    }
}

static void count_shared(struct finder *finder, struct ft_program_loop *loop,
                         const struct ft_module *module, uint64_t offset)
{
    struct placement *placement = placement_of(finder, loop);
    int depth = ft_source_shared_depth(module, offset, &placement->context);
    if (depth >= 0)
        placement->shared[depth]++;
}

/* Ends each context where most of the loop no longer shares it. */
static void cut_contexts(struct finder *finder)
{
    for (size_t i = 0; i < finder->loops.count; i++) {
        struct placement *placement = &finder->placements[i];
        uint64_t all = 0, shared = 0;
        for (uint32_t depth = 0; depth <= FT_INLINE_DEPTH_MAX; depth++)
            all += placement->shared[depth];
        uint32_t depth = placement->context.depth;
        for (shared = placement->shared[depth]; depth > 0 && shared * 100 < all * SHARED_PERCENT;)
            shared += placement->shared[--depth];
        placement->context.depth = depth;
        finder->loops.items[i].context_depth = depth;
    }
}

/* Whether a line is of the head of the loop's routine, its definition to the opening brace.
 * Compilers give such lines to code further down too, where they fetch a parameter again; so no
 * loop has them unless it has no others. */
static bool is_head(const struct finder *finder, const struct ft_program_loop *loop,
                    const struct ft_module *module, struct ft_source_range line)
{
    const struct ft_symbol *symbol =
        ft_module_symbol(module, finder->routines->items[loop->routine].start);
    return loop->context_depth == 0 && symbol && symbol->line && line.file == symbol->file &&
           line.first_line >= symbol->line &&
           (line.first_line == symbol->line || line.first_line <= symbol->body_line);
}

static void count_line(struct finder *finder, struct ft_program_loop *loop,
                       const struct ft_module *module, uint64_t offset)
{
    struct placement *placement = placement_of(finder, loop);
    if (ft_source_shared_depth(module, offset, &placement->context) != (int)loop->context_depth)
        return;
    struct ft_source_range line = ft_source_line(module, offset, loop->context_depth);
    if (is_head(finder, loop, module, line))
        loop->range = line;
    else
        ft_source_count(&placement->tally, line);
}

static void find_extents(struct finder *finder)
{
    const struct ft_flow_graph *graph = finder->graph;
    for (uint32_t b = 0; b < graph->block_count; b++)
        for (uint32_t l = finder->loops.of_block[b]; l != FT_NO_LOOP;
             l = finder->loops.items[l].parent) {
            uint64_t end = graph->blocks[b].offset + graph->blocks[b].code_bytes;
            if (end > finder->loops.items[l].end_offset)
                finder->loops.items[l].end_offset = end;
        }
}

/* The lines counted; a loop that has no others keeps the head's. */
static void set_ranges(struct finder *finder)
{
    for (size_t i = 0; i < finder->loops.count; i++)
        if (finder->placements[i].tally.file_count)
            finder->loops.items[i].range = ft_source_main_range(&finder->placements[i].tally);
}

/* The inlined calls around each loop. */
static bool keep_calls(struct finder *finder)
{
    struct ft_program_loops *loops = &finder->loops;
    for (size_t i = 0; i < loops->count; i++)
        loops->call_count += loops->items[i].context_depth;
    loops->calls = calloc(loops->call_count + 1, sizeof *loops->calls);
    if (!loops->calls)
        return false;
    uint32_t first = 0;
    for (size_t i = 0; i < loops->count; i++) {
        struct ft_program_loop *loop = &loops->items[i];
        loop->first_call = first;
        for (uint32_t depth = 0; depth < loop->context_depth; depth++)
            loops->calls[first++] = finder->placements[i].context.calls[depth];
    }
    return true;
}

static int find_all(struct finder *finder, struct ft_diag *diag)
{
    const struct ft_flow_graph *graph = finder->graph;
    size_t block_count = graph->block_count;
    size_t edge_count = block_count ? graph->first_successor[block_count] : 0;
    finder->loops.items = calloc(block_count + 1, sizeof *finder->loops.items);
    finder->loops.of_block = calloc(block_count + 1, sizeof *finder->loops.of_block);
    finder->local = calloc(block_count + 1, sizeof *finder->local);
    finder->first_successor = calloc(block_count + 2, sizeof *finder->first_successor);
    finder->successors = calloc(edge_count + 1, sizeof *finder->successors);
    if (!finder->loops.items || !finder->loops.of_block || !finder->local ||
        !finder->first_successor || !finder->successors)
        return ft_fail_memory(diag, "the loops of a program");
    for (size_t r = 0; r < finder->routines->count; r++) {
        const struct ft_routine *routine = &finder->routines->items[r];
        for (uint32_t i = 0; i < routine->block_count; i++)
            finder->local[finder->routines->blocks[routine->first_block + i]] = i;
    }
    for (size_t r = 0; r < finder->routines->count; r++)
        if (!find_in_routine(finder, (uint32_t)r, diag))
            return FT_ERROR_MEMORY;
    finder->placements = calloc(finder->loops.count + 1, sizeof *finder->placements);
    if (!finder->placements)
        return ft_fail_memory(diag, "the lines of loops");
    find_extents(finder);
    narrow_to_latches(finder);
    for_each_instruction(finder, count_shared);
    cut_contexts(finder);
    for_each_instruction(finder, count_line);
    set_ranges(finder);
    return keep_calls(finder) ? FT_OK : ft_fail_memory(diag, "the lines of loops");
}

int ft_program_loops_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                          const struct ft_module *const *modules,
                          struct ft_program_loops *ret_loops, struct ft_diag *diag)
{
    struct finder finder = {.graph = graph, .routines = routines, .modules = modules};
    int status = find_all(&finder, diag);
    free(finder.local);
    free(finder.first_successor);
    free(finder.successors);
    free(finder.placements);
    if (status == 0)
        *ret_loops = finder.loops;
    else
        ft_program_loops_fini(&finder.loops);
    return status;
}

void ft_program_loops_fini(struct ft_program_loops *loops)
{
    free(loops->items);
    free(loops->of_block);
    free(loops->calls);
    *loops = (struct ft_program_loops){0};
}
