/*
 * From each use back to its reaching definitions: through the merges of the loop, along the edges
 * into their blocks. A back edge leads to the previous iteration. What reaches a merge is computed
 * once per loop.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/program/dependences/dependence_building.h"
#include "formats/base/array.h"

/* A definition that reaches a merge, an iteration before or in the same one. */
struct source {
    uint32_t value;
    bool before;
};

struct sources_of {
    uint32_t first, end; /* found: first <= end */
    bool found;
};

struct tracer {
    struct ft_dependence_loop *made;
    struct source *sources;
    size_t source_count, source_capacity;
    struct sources_of *of_value;
    uint32_t *seen; /* [2 * value + before]: the walk that saw it last */
    uint32_t walk;
    struct source *waiting;
    size_t waiting_count, waiting_capacity;
    bool out_of_memory;
};

static bool is_inside(const struct tracer *tracer, uint32_t block)
{
    return tracer->made->vertex_of_block[block] != FT_NO_VALUE;
}

static void wait(struct tracer *tracer, uint32_t value, bool before)
{
    uint32_t *seen = &tracer->seen[2 * (size_t)value + before];
    if (*seen == tracer->walk)
        return;
    *seen = tracer->walk;
    if (!FT_RESERVE(tracer->waiting, tracer->waiting_capacity, tracer->waiting_count + 1)) {
        tracer->out_of_memory = true;
        return;
    }
    tracer->waiting[tracer->waiting_count++] = (struct source){value, before};
}

static void pass_merge(struct tracer *tracer, struct source merge)
{
    const struct ft_routine_values *values = tracer->made->values;
    const struct ft_routine_code *code = &values->code;
    const struct ft_value *value = &values->def_use.values[merge.value];
    uint32_t graph_block = ft_code_graph_block(code, value->block);
    bool before = merge.before || value->block == tracer->made->header;
    for (uint32_t p = code->order->first_predecessor[graph_block];
         p < code->order->first_predecessor[graph_block + 1]; p++) {
        uint32_t from = ft_code_local_block(code, code->order->predecessors[p]);
        if (is_inside(tracer, from))
            wait(tracer,
                 values->def_use.at_end[(size_t)from * values->def_use.place_count + value->place],
                 before);
    }
}

static void add_source(struct tracer *tracer, struct source source)
{
    if (!FT_RESERVE(tracer->sources, tracer->source_capacity, tracer->source_count + 1)) {
        tracer->out_of_memory = true;
        return;
    }
    tracer->sources[tracer->source_count++] = source;
}

/* The definitions in the loop that reach a value of the loop. */
static struct sources_of find_sources(struct tracer *tracer, uint32_t value)
{
    const struct ft_value *values = tracer->made->values->def_use.values;
    struct sources_of *found = &tracer->of_value[value];
    if (found->found)
        return *found;
    found->first = (uint32_t)tracer->source_count;
    tracer->walk++;
    wait(tracer, value, false);
    while (tracer->waiting_count > 0) {
        struct source at = tracer->waiting[--tracer->waiting_count];
        const struct ft_value *v = &values[at.value];
        if (!is_inside(tracer, v->block) || v->kind == FT_VALUE_ENTRY)
            continue;
        if (v->kind == FT_VALUE_MERGE)
            pass_merge(tracer, at);
        else
            add_source(tracer, at);
    }
    found->end = (uint32_t)tracer->source_count;
    found->found = !tracer->out_of_memory;
    return *found;
}

/* ---- uses ---- */

static bool is_in_address(const struct ft_access *access, unsigned place)
{
    return access->base == place || access->index == place || (access->fs && place == FT_FS_BASE) ||
           (access->gs && place == FT_GS_BASE) || access->bit_offset == place ||
           (access->mode == FT_ACCESS_GATHER &&
            place == FT_PLACE_VECTORS + (unsigned)access->vector_index);
}

/* In what addresses of an instruction a place is. */
static uint8_t address_flags(const struct ft_routine_code *code, uint32_t i, unsigned place)
{
    const struct ft_instruction *instruction = ft_code_instruction(code, i);
    const struct ft_move *move = &code->flows[i].move;
    bool is_data = move->kind != FT_MOVE_NONE && (move->a == place || move->b == place);
    uint8_t flags = 0;
    for (unsigned a = 0; a < instruction->access_count; a++) {
        const struct ft_access *access = &instruction->accesses[a];
        if (access->kind == FT_PREFETCH || !is_in_address(access, place))
            continue;
        if (access->kind == FT_LOAD)
            flags |= FT_DEPENDENCE_LOADS_AT;
        else if (!is_data)
            flags |= FT_DEPENDENCE_STORES_AT;
    }
    return flags & FT_DEPENDENCE_LOADS_AT ? FT_DEPENDENCE_LOADS_AT : flags;
}

static bool add_edge(struct tracer *tracer, uint32_t i, unsigned place, struct source source)
{
    struct ft_dependence_loop *made = tracer->made;
    const struct ft_routine_code *code = &made->values->code;
    uint32_t from = made->values->def_use.values[source.value].instruction;
    struct ft_dependence edge = {
        .from = ft_dependence_node(made, from),
        .to = ft_dependence_node(made, i),
        .from_instruction = code->graph_instruction[from],
        .to_instruction = code->graph_instruction[i],
        .distance = source.before,
        .kind = FT_DEPENDENCE_FLOW,
        .flags = address_flags(code, i, place),
        .place = (uint8_t)place,
    };
    if (edge.from == edge.to && !source.before)
        return true; /* within a loop inside */
    return ft_dependence_add(made, &edge);
}

static bool add_use(struct tracer *tracer, uint32_t i, const struct ft_use *use)
{
    const struct ft_value *value = &tracer->made->values->def_use.values[use->value];
    if (value->kind == FT_VALUE_ENTRY || !is_inside(tracer, value->block))
        return true;
    if (value->kind != FT_VALUE_MERGE)
        return add_edge(tracer, i, use->place, (struct source){use->value, false});
    struct sources_of sources = find_sources(tracer, use->value);
    bool complete = !tracer->out_of_memory;
    for (uint32_t s = sources.first; complete && s < sources.end; s++)
        complete = add_edge(tracer, i, use->place, tracer->sources[s]);
    return complete;
}

/* The stack pointer's value is known to who renames registers, wherever pushes and calls have
 * moved it. */
static bool add_uses_of_block(struct tracer *tracer, uint32_t block)
{
    const struct ft_routine_values *values = tracer->made->values;
    const struct ft_def_use *def_use = &values->def_use;
    struct ft_stack_state state = values->frame.at_start[block];
    bool complete = true;
    for (uint32_t i = values->code.first_instruction[block];
         complete && i < values->code.first_instruction[block + 1]; i++) {
        for (uint32_t u = def_use->first_use[i]; complete && u < def_use->first_use[i + 1]; u++) {
            const struct ft_use *use = &def_use->uses[u];
            if (use->place < FT_PLACE_REGISTERS &&
                (use->place != FT_RSP || !state.registers[FT_RSP].base))
                complete = add_use(tracer, i, use);
        }
        ft_stack_step(&values->code, i, &state);
    }
    return complete;
}

bool ft_register_dependences_add(struct ft_dependence_loop *made)
{
    size_t value_count = (size_t)made->values->def_use.value_count + 1;
    struct tracer tracer = {
        .made = made,
        .of_value = calloc(value_count, sizeof *tracer.of_value),
        .seen = calloc(2 * value_count, sizeof *tracer.seen),
    };
    bool complete = tracer.of_value && tracer.seen;
    for (uint32_t b = 0; complete && b < made->block_count; b++)
        complete = add_uses_of_block(&tracer, made->blocks[b]);
    free(tracer.sources);
    free(tracer.of_value);
    free(tracer.seen);
    free(tracer.waiting);
    return complete && !tracer.out_of_memory;
}
