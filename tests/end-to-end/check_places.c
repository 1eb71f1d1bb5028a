/*
 * check_places [--signals] TRACE...: every instruction that a trace has executed is in one block,
 * one path of loops and one routine, and all counts add up to the trace's. What each instruction
 * did is counted here by itself, from the fetches of all threads. Signals come between any two
 * instructions: with them there are more ways than edges.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/block_exits.h"
#include "engine/program/graph/loop_edges.h"
#include "engine/program/graph/trace_executions.h"
#include "engine/program/structure.h"
#include "engine/program/trip_counts.h"
#include "tests/support/tap.h"

struct program {
    const char *path;
    struct ft_trace *trace;
    struct ft_run_source *source; /* for its references */
    uint64_t *counts;             /* per reference: accesses, executions */
    struct ft_structure structure;
    struct ft_scope_steps steps;
    struct ft_trip_counter *trips;
};

static int count_fetches(struct program *program, uint32_t thread, struct ft_diag *diag)
{
    struct ft_run_source *source = NULL;
    struct ft_run_batch batch = {.run_count = 1};
    int status = ft_trace_runs_of(program->trace, thread, FT_RUN_FETCHES, NULL, &source, diag);
    while (!status && batch.run_count) {
        status = source->next(source, &batch, diag);
        if (!status)
            status = ft_trip_counter_take(program->trips, &batch, diag);
        for (size_t r = 0; !status && r < batch.run_count; r++)
            for (uint32_t j = 0; j < batch.runs[r].reference_count; j++)
                program->counts[batch.references[batch.runs[r].first + j]] +=
                    batch.runs[r].iteration_count;
    }
    if (source)
        source->destroy(source);
    return status ? status : ft_trip_counter_end_thread(program->trips, diag);
}

static int read_program(struct program *program, struct ft_diag *diag)
{
    struct ft_execution_counts executions = {0};
    int status = ft_trace_open(program->path, &(struct ft_trace_options){0}, &program->trace, diag);
    if (!status)
        status = ft_trace_runs_of(program->trace, 0, FT_RUN_ACCESSES | FT_RUN_FETCHES, NULL,
                                  &program->source, diag);
    if (status)
        return status;
    const uint32_t count = program->source->reference_count;
    program->counts = calloc(count + (size_t)1, sizeof *program->counts);
    if (!program->counts)
        exit(99);
    status = ft_trace_executions(program->trace, program->counts, &executions, diag);
    if (!status)
        status = ft_structure_of_trace(program->trace, &executions, program->source->references,
                                       count, NULL, &program->structure, diag);
    ft_execution_counts_fini(&executions);
    if (!status)
        status = ft_scope_steps_make(&program->structure, program->source->references, count,
                                     &program->steps, diag);
    if (!status)
        status = ft_trip_counter_create(&program->steps, &program->trips, diag);
    for (uint32_t t = 0; !status && t < ft_trace_thread_count(program->trace); t++)
        status = count_fetches(program, t, diag);
    return status;
}

/* ---- blocks ---- */

/* Executions of all instructions at pc. */
static uint64_t in_blocks(const struct ft_flow_graph *graph, uint64_t pc)
{
    uint64_t sum = 0;
    for (size_t i = ft_flow_graph_first_from(graph, pc);
         i < graph->instruction_count && graph->instructions[graph->by_pc[i]]->pc == pc; i++)
        sum += graph->blocks[graph->block_of[graph->by_pc[i]]].execution_count;
    return sum;
}

static void check_sums(const struct program *program)
{
    const struct ft_metadata *metadata = ft_trace_metadata(program->trace);
    uint64_t sums[2] = {0}, wrong = 0;
    for (uint32_t r = 0; r < program->source->reference_count; r++) {
        const struct ft_reference *reference = &program->source->references[r];
        bool fetch = reference->kind == FT_FETCH;
        sums[fetch] += program->counts[r];
        wrong += fetch && in_blocks(&program->structure.graph, reference->pc) != program->counts[r];
    }
    tap_ok(sums[0] == metadata->accesses && sums[1] == metadata->instructions,
           "%s: %" PRIu64 " instructions and %" PRIu64 " accesses, as the trace says",
           program->path, sums[1], sums[0]);
    tap_ok(wrong == 0, "%s: blocks ran as often as each of their instructions (%" PRIu64 " not)",
           program->path, wrong);
}

static void check_blocks(const struct program *program)
{
    const struct ft_flow_graph *graph = &program->structure.graph;
    const struct ft_routines *routines = &program->structure.routines;
    uint8_t *seen = calloc(graph->block_count + 1, 1);
    uint32_t next = 0;
    bool whole = seen != NULL, once = whole;
    for (uint32_t b = 0; whole && b < graph->block_count; b++) {
        const struct ft_flow_block *block = &graph->blocks[b];
        whole = block->first_instruction == next && block->instruction_count > 0;
        for (uint32_t i = 0; i < block->instruction_count; i++)
            whole &= graph->block_of[next + i] == b;
        next += block->instruction_count;
    }
    tap_ok(whole && next == graph->instruction_count, "%s: %zu blocks share out %zu instructions",
           program->path, graph->block_count, graph->instruction_count);
    for (uint32_t r = 0; once && r < routines->count; r++)
        for (uint32_t i = 0; i < routines->items[r].block_count; i++) {
            uint32_t block = routines->blocks[routines->items[r].first_block + i];
            once &= routines->of_block[block] == r && !seen[block]++;
        }
    for (uint32_t b = 0; once && b < graph->block_count; b++)
        once = seen[b];
    tap_ok(once, "%s: %zu routines share out the blocks", program->path, routines->count);
    free(seen);
}

/* ---- loops ---- */

static bool is_around(const struct ft_program_loops *loops, uint32_t outer, uint32_t loop)
{
    while (loop != FT_NO_LOOP && loop != outer)
        loop = loops->items[loop].parent;
    return loop == outer;
}

/* The path of loops of a block leads to its routine, in the tree of scopes as in the code. */
static bool has_path(const struct ft_structure *structure, uint32_t block)
{
    const struct ft_program_loops *loops = &structure->loops;
    uint32_t routine = structure->routines.of_block[block];
    uint32_t scope = structure->scopes.blocks[block].scope;
    for (uint32_t l = loops->of_block[block]; l != FT_NO_LOOP; l = loops->items[l].parent) {
        if (loops->items[l].routine != routine || structure->scope_of_loop[l] != scope)
            return false;
        scope = structure->scopes.scopes[scope].parent;
    }
    return scope == structure->scope_of_routine[routine];
}

static void check_loops(const struct program *program)
{
    const struct ft_structure *structure = &program->structure;
    const struct ft_program_loops *loops = &structure->loops;
    bool paths = true, headers = true, latches = true;
    for (uint32_t b = 0; b < structure->graph.block_count; b++)
        paths &= has_path(structure, b);
    uint8_t *turns_back = calloc(loops->count + 1, 1);
    for (uint32_t b = 0; turns_back && b < structure->graph.block_count; b++)
        for (uint32_t s = structure->graph.first_successor[b];
             s < structure->graph.first_successor[b + 1]; s++) {
            uint32_t to = structure->graph.successors[s], loop = loops->of_block[to];
            if (loop != FT_NO_LOOP && loops->items[loop].header == to &&
                structure->routines.of_block[b] == structure->routines.of_block[to] &&
                is_around(loops, loop, loops->of_block[b]))
                turns_back[loop] = 1;
        }
    for (uint32_t l = 0; turns_back && l < loops->count; l++) {
        headers &= loops->of_block[loops->items[l].header] == l;
        latches &= turns_back[l];
    }
    tap_ok(paths && headers && latches && turns_back,
           "%s: %zu loops: blocks have one path of them, headers are theirs, and all turn back",
           program->path, loops->count);
    free(turns_back);
}

/* By two ways: the walk of what was executed, and the counts of edges between units. */
static void check_turns(const struct program *program, bool signals)
{
    const struct ft_structure *structure = &program->structure;
    const struct ft_scopes *scopes = &structure->scopes;
    struct ft_trips *sums = calloc(scopes->scope_count + 1, sizeof *sums);
    size_t iterations = 0, entries = 0, count = 0;
    for (uint32_t l = 0; sums && l < structure->loops.count; l++)
        ft_trips_add(&sums[structure->scope_of_loop[l]], &ft_trip_counter_loops(program->trips)[l]);
    for (size_t i = 0; sums && i < scopes->scope_count; i++) {
        const struct ft_scope *scope = &scopes->scopes[i];
        if (scope->kind != FT_SCOPE_LOOP)
            continue;
        count++;
        iterations += sums[i].iterations != scope->iteration_count;
        entries += sums[i].entries != scope->entry_count;
        if (sums[i].iterations != scope->iteration_count ||
            (!signals && sums[i].entries != scope->entry_count))
            printf("# %s in %s: %" PRIu64 " entries walked, %" PRIu64 " by edges; %" PRIu64
                   " iterations walked, %" PRIu64 " by blocks\n",
                   scope->name, scopes->scopes[scope->parent].name, sums[i].entries,
                   scope->entry_count, sums[i].iterations, scope->iteration_count);
    }
    tap_ok(sums && count > 0 && iterations == 0,
           "%s: iterations of %zu loops are executions of headers", program->path, count);
    if (!signals)
        tap_ok(entries == 0, "%s: loops are entered as often as edges lead into them",
               program->path);
    free(sums);
}

/* What goes into a block goes out of it, but where threads end. */
static void check_flow(const struct program *program)
{
    const struct ft_flow_graph *graph = &program->structure.graph;
    struct ft_block_exits exits;
    uint64_t lost = 0;
    bool fits = true;
    if (ft_block_exits_find(graph, &program->structure.routines, &exits, NULL) != 0)
        exit(99);
    for (uint32_t b = 0; b < graph->block_count; b++) {
        uint64_t out = 0;
        for (uint32_t e = exits.first[b]; e < exits.first[b + 1]; e++)
            out += exits.items[e].count;
        uint8_t flow = ft_flow_last_instruction(graph, b)->flow;
        fits &= out <= graph->blocks[b].execution_count;
        if (flow == FT_FLOW_NEXT || flow == FT_FLOW_BRANCH || flow == FT_FLOW_JUMP)
            lost += graph->blocks[b].execution_count - out;
    }
    tap_ok(fits && lost <= ft_trace_thread_count(program->trace),
           "%s: as much goes out of blocks as into them, but for %" PRIu64 " ends of threads",
           program->path, lost);
    ft_block_exits_fini(&exits);
}

/* A turn begins with a way in or a way back; but where threads start in a loop, or jump into it. */
static void check_ways(const struct program *program)
{
    const struct ft_structure *structure = &program->structure;
    struct ft_block_exits exits;
    struct ft_loop_edges edges;
    size_t wrong = 0;
    if (ft_block_exits_find(&structure->graph, &structure->routines, &exits, NULL) != 0 ||
        ft_loop_edges_find(&structure->graph, &structure->routines, &structure->loops, &exits,
                           &edges, NULL) != 0)
        exit(99);
    for (uint32_t l = 0; l < structure->loops.count; l++) {
        const struct ft_trips *trips = &ft_trip_counter_loops(program->trips)[l];
        uint64_t sums[FT_LOOP_EXIT + 1] = {0};
        for (uint32_t i = edges.first[l]; i < edges.first[l + 1]; i++)
            sums[edges.items[i].kind] += edges.items[i].count;
        if (!structure->loops.items[l].irreducible)
            wrong += sums[FT_LOOP_ENTRY] != trips->entries ||
                     sums[FT_LOOP_ENTRY] + sums[FT_LOOP_BACK] != trips->iterations;
    }
    tap_ok(wrong == 0, "%s: iterations of loops are ways in and back (%zu not)", program->path,
           wrong);
    ft_loop_edges_fini(&edges);
    ft_block_exits_fini(&exits);
}

static void check(const char *path, bool signals)
{
    struct program program = {.path = path};
    struct ft_diag diag = {0};
    if (tap_ok(read_program(&program, &diag) == 0, "%s: read %s", path, diag.message)) {
        check_sums(&program);
        check_blocks(&program);
        check_loops(&program);
        check_turns(&program, signals);
        if (!signals) {
            check_flow(&program);
            check_ways(&program);
        }
    }
    ft_trip_counter_destroy(program.trips);
    ft_scope_steps_fini(&program.steps);
    ft_structure_fini(&program.structure);
    free(program.counts);
    if (program.source)
        program.source->destroy(program.source);
    ft_trace_close(program.trace);
}

int main(int argc, char **argv)
{
    const bool signals = argc > 1 && strcmp(argv[1], "--signals") == 0;
    for (int i = 1 + signals; i < argc; i++)
        check(argv[i], signals);
    return tap_plan_done();
}
