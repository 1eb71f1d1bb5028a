/*
 * check_register_graph TRACE [CHAINS]: the dependences through registers of a captured program's
 * loops, and the classes of their loads, against the instructions that were executed.
 *
 * Of each activation of a routine every register keeps which instruction has defined it last, and
 * in which iterations. What an instruction reads must be an edge of each active loop that the
 * definition is in, too: of distance 0 where that was in the same iteration, of 1 where it was in
 * an earlier one. And each register keeps how many loads of the active loop lie behind its value,
 * one after the other: none behind the address of a load that is said to be independent, at most as
 * many as are told behind one that is indirect.
 *
 * CHAINS: so many loads of the program's own loops that are said to be a chain must have had more
 * loads behind them than iterations are in a tenth of their loop.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/dependences/dependences.h"
#include "engine/program/values/stack_frame.h"
#include "tests/support/routine_walk.h"
#include "tests/support/tap.h"

#define REPORTED_MAX 20

static void *need(void *memory)
{
    if (!memory)
        exit(99);
    return memory;
}

struct link {
    uint32_t from, to; /* instructions */
    uint8_t place, distance;
};

struct facts { /* of a loop */
    bool made;
    struct link *links; /* sorted */
    size_t count;
};

struct definition {
    bool known;
    uint32_t instruction;
    unsigned depth;
    struct active_loop at[WALK_LEVELS_MAX];
    uint64_t loads[WALK_LEVELS_MAX]; /* behind the value, in the loop of each level */
};

struct check {
    struct routine_walk walk; /* first */
    struct ft_dependences dependences;
    struct facts *facts;                       /* per loop */
    const struct ft_dependence_node **node_of; /* per instruction, in its innermost loop */
    struct ft_value_flow *flows;               /* per instruction */
    bool *decoded;                             /* per instruction */
    bool *grew;                                /* per instruction: a chain */
    uint64_t reads, loads, contradictions;
    unsigned reported;
};

/* ---- the graph ---- */

static int compare_links(const void *left, const void *right)
{
    const struct link *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->distance > b->distance) - (a->distance < b->distance);
}

static const struct facts *facts_of(struct check *check, uint32_t loop)
{
    const struct ft_loop_dependences *item = &check->dependences.loops[loop];
    struct facts *facts = &check->facts[loop];
    if (facts->made)
        return facts;
    facts->made = true;
    facts->links = need(calloc(item->edge_count + 1, sizeof *facts->links));
    for (size_t e = 0; e < item->edge_count; e++) {
        const struct ft_dependence *edge = &item->edges[e];
        if (edge->place != FT_NO_PLACE)
            facts->links[facts->count++] = (struct link){
                edge->from_instruction, edge->to_instruction, edge->place, (uint8_t)edge->distance};
    }
    qsort(facts->links, facts->count, sizeof *facts->links, compare_links);
    return facts;
}

/* The loop right inside another one that an instruction is in, or FT_NO_LOOP. */
static uint32_t loop_inside(const struct check *check, uint32_t loop, uint32_t instruction)
{
    const struct ft_structure *structure = &check->walk.structure;
    uint32_t inside = FT_NO_LOOP;
    for (uint32_t l = structure->loops.of_block[structure->graph.block_of[instruction]]; l != loop;
         l = structure->loops.items[l].parent)
        inside = l;
    return inside;
}

/* ---- what was executed ---- */

static const struct ft_value_flow *flow_of(struct check *check, uint32_t instruction)
{
    const struct ft_flow_graph *graph = &check->walk.structure.graph;
    const struct ft_instruction *item = graph->instructions[instruction];
    struct ft_value_flow *flow = &check->flows[instruction];
    if (!check->decoded[instruction] &&
        ft_value_flow_decode(ft_unit_code(graph->units[instruction], item), item->length, item->pc,
                             flow, NULL) != 0)
        exit(98);
    check->decoded[instruction] = true;
    return flow;
}

static void report(struct check *check, const char *what, uint32_t from, uint32_t to, uint32_t loop,
                   uint64_t number)
{
    const struct ft_program_loop *item = &check->walk.structure.loops.items[loop];
    const struct ft_flow_block *header = &check->walk.structure.graph.blocks[item->header];
    check->contradictions++;
    if (check->reported++ < REPORTED_MAX)
        printf("# %s: 0x%" PRIx64 " and 0x%" PRIx64 ", %" PRIu64 ", loop at 0x%" PRIx64 " in %s\n",
               what, routine_walk_offset(&check->walk, from), routine_walk_offset(&check->walk, to),
               number, header->offset, check->walk.structure.routines.items[item->routine].symbol);
}

static void check_read(struct check *check, const struct activation *activation,
                       uint32_t instruction, unsigned place, const struct definition *definition)
{
    for (unsigned d = 0; d < activation->depth && d < definition->depth; d++) {
        const struct active_loop *now = &activation->loops[d];
        if (!routine_walk_same_loop(now, &definition->at[d]))
            return;
        bool before = definition->at[d].iteration != now->iteration;
        uint32_t inside = loop_inside(check, now->loop, instruction);
        if (!before && inside != FT_NO_LOOP &&
            inside == loop_inside(check, now->loop, definition->instruction))
            continue;
        struct link wanted = {definition->instruction, instruction, (uint8_t)place, before};
        const struct facts *facts = facts_of(check, now->loop);
        check->reads++;
        if (!bsearch(&wanted, facts->links, facts->count, sizeof wanted, compare_links))
            report(check, "read without an edge", definition->instruction, instruction, now->loop,
                   before);
    }
}

static bool is_in_loaded_address(const struct ft_instruction *instruction, unsigned place)
{
    for (unsigned a = 0; a < instruction->access_count; a++) {
        const struct ft_access *access = &instruction->accesses[a];
        if (access->kind == FT_LOAD &&
            (access->base == place || access->index == place || access->bit_offset == place ||
             (access->mode == FT_ACCESS_GATHER &&
              place == FT_PLACE_VECTORS + (unsigned)access->vector_index)))
            return true;
    }
    return false;
}

static bool loads(const struct ft_instruction *instruction)
{
    for (unsigned a = 0; a < instruction->access_count; a++)
        if (instruction->accesses[a].kind == FT_LOAD)
            return true;
    return false;
}

/* Loads behind a value in the loop at a level, if that is still the same activation of it. */
static uint64_t loads_behind(const struct activation *activation,
                             const struct definition *definition, unsigned level)
{
    return definition->known && level < definition->depth &&
                   routine_walk_same_loop(&activation->loops[level], &definition->at[level])
               ? definition->loads[level]
               : 0;
}

static void check_load(struct check *check, const struct activation *activation,
                       uint32_t instruction, uint64_t behind)
{
    const struct ft_dependence_node *node = check->node_of[instruction];
    const struct active_loop *own = &activation->loops[activation->depth - 1];
    if (!node)
        return;
    check->loads++;
    if ((node->load_class == FT_LOAD_INDEPENDENT && behind) ||
        (node->load_class == FT_LOAD_INDIRECT && behind > node->depth))
        report(check, "more loads behind it", instruction, instruction, own->loop, behind);
    if (node->in_chain && own->iteration >= 20 && behind > own->iteration / 10)
        check->grew[instruction] = true;
}

static void execute(struct routine_walk *walk, struct activation *activation, uint32_t instruction)
{
    struct check *check = (struct check *)walk;
    const struct ft_instruction *item = walk->structure.graph.instructions[instruction];
    struct definition *definitions = activation->data;
    const struct ft_value_flow *flow = flow_of(check, instruction);
    bool calls = item->flow == FT_FLOW_CALL || item->flow == FT_FLOW_CALL_INDIRECT;
    uint64_t written = calls ? ~FT_CALL_KEEPS : flow->written;
    struct definition made = {
        .known = true, .instruction = instruction, .depth = activation->depth};
    uint64_t address[WALK_LEVELS_MAX] = {0};
    memcpy(made.at, activation->loops, sizeof made.at);
    for (unsigned place = 0; place < FT_PLACE_REGISTERS; place++) {
        if (!(flow->read >> place & 1) || place == FT_RSP)
            continue;
        if (definitions[place].known)
            check_read(check, activation, instruction, place, &definitions[place]);
        bool in_address = is_in_loaded_address(item, place);
        for (unsigned d = 0; d < activation->depth; d++) {
            uint64_t behind = loads_behind(activation, &definitions[place], d);
            made.loads[d] = behind > made.loads[d] ? behind : made.loads[d];
            if (in_address && behind > address[d])
                address[d] = behind;
        }
    }
    if (loads(item) && activation->depth)
        check_load(check, activation, instruction, address[activation->depth - 1]);
    for (unsigned d = 0; loads(item) && d < activation->depth; d++)
        made.loads[d] = made.loads[d] > address[d] + 1 ? made.loads[d] : address[d] + 1;
    for (unsigned place = 0; place < FT_PLACE_REGISTERS; place++)
        if (written >> place & 1)
            definitions[place] = made;
}

static void begin_activation(struct routine_walk *walk, struct activation *activation)
{
    (void)walk;
    activation->data = need(calloc(FT_PLACE_REGISTERS, sizeof(struct definition)));
}

static void end_activation(struct routine_walk *walk, struct activation *activation)
{
    (void)walk;
    free(activation->data);
}

static void take_access(struct routine_walk *walk, struct activation *activation,
                        uint32_t instruction, unsigned index, uint64_t address)
{
    (void)walk, (void)activation, (void)instruction, (void)index, (void)address;
}

/* ---- results ---- */

static int prepare(struct check *check, const char *path, struct ft_diag *diag)
{
    int status = routine_walk_open(path, &check->walk, diag);
    if (status)
        return status;
    const struct ft_structure *structure = &check->walk.structure;
    size_t count = structure->graph.instruction_count + 1;
    check->facts = need(calloc(structure->loops.count + 1, sizeof *check->facts));
    check->node_of = need(calloc(count, sizeof *check->node_of));
    check->flows = need(calloc(count, sizeof *check->flows));
    check->decoded = need(calloc(count, sizeof *check->decoded));
    check->grew = need(calloc(count, sizeof *check->grew));
    status = ft_dependences_find(&structure->graph, &structure->routines, &structure->loops,
                                 FT_ALL_ROUTINES, false, &check->dependences, diag);
    for (size_t l = 0; status == 0 && l < check->dependences.loop_count; l++)
        for (uint32_t n = 0; n < check->dependences.loops[l].node_count; n++) {
            const struct ft_dependence_node *node = &check->dependences.loops[l].nodes[n];
            if (node->instruction != FT_NO_BLOCK)
                check->node_of[node->instruction] = node;
        }
    return status;
}

static uint64_t own_chains(const struct check *check)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < check->walk.structure.graph.instruction_count; i++)
        count += check->grew[i] && routine_walk_is_own(&check->walk, i);
    return count;
}

int main(int argc, char **argv)
{
    static const struct walk_listener listener = {begin_activation, end_activation, take_access,
                                                  execute};
    struct check check = {.walk = {.listener = &listener}};
    struct ft_diag diag = {0};
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: %s TRACE [CHAINS]\n", argv[0]);
        return 2;
    }
    int status = prepare(&check, argv[1], &diag);
    if (status == 0)
        status = routine_walk_follow(&check.walk, &diag);
    if (tap_ok(status == 0, "registers of %s %s", argv[1], diag.message)) {
        uint64_t asked = argc == 3 ? strtoull(argv[2], NULL, 10) : 0, own = own_chains(&check);
        tap_ok(check.contradictions == 0 && check.reads > 0 && check.loads > 0,
               "%" PRIu64 " reads of what a loop defines have edges, %" PRIu64
               " loads are of their class; %" PRIu64 " contradict",
               check.reads, check.loads, check.contradictions);
        tap_ok(own >= asked,
               "%" PRIu64 " loads of own loops were seen in chains, at least %" PRIu64, own, asked);
    }
    for (size_t l = 0; check.facts && l < check.walk.structure.loops.count; l++)
        free(check.facts[l].links);
    free(check.facts);
    free(check.node_of);
    free(check.flows);
    free(check.decoded);
    free(check.grew);
    ft_dependences_fini(&check.dependences);
    routine_walk_close(&check.walk);
    return tap_plan_done();
}
