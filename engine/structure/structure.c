/*
 * Units to blocks (flow_graph), blocks to routines (routines), routines to loops (program_loops);
 * here all of it becomes the tree: the program, each module with its routines, each routine with
 * its loops, in order of address. Blocks, edges and references follow, with how often each scope
 * was entered: an edge enters every scope that holds its target and not its source, where the
 * source of a return is the block that made the call.
 */
#include "engine/structure/structure.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/structure/group_references.h"
#include "engine/structure/routine_names.h"
#include "engine/structure/steps_of_graph.h"

struct builder {
    const struct ft_structure_input *input;
    struct ft_structure made;
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool copy_module(const struct ft_module *module, struct ft_scope_module *copy)
{
    copy->path = strdup(module->path ? module->path : "");
    copy->name = strdup(file_name(module->path ? module->path : ""));
    const uint8_t *bytes = module->build_id;
    size_t count = module->build_id_bytes;
    static const uint8_t no_hash[sizeof module->sha256];
    if (count == 0 && memcmp(module->sha256, no_hash, sizeof no_hash) != 0) {
        bytes = module->sha256;
        count = sizeof module->sha256;
    }
    for (size_t i = 0; i < count; i++)
        snprintf(copy->build_id + 2 * i, 3, "%02x", bytes[i]);
    return copy->path && copy->name;
}

static bool copy_modules(struct builder *builder)
{
    size_t count = builder->input->module_count;
    builder->made.scopes.modules = calloc(count + 1, sizeof *builder->made.scopes.modules);
    if (!builder->made.scopes.modules)
        return false;
    for (size_t i = 0; i < count; i++) {
        builder->made.scopes.module_count++;
        if (!copy_module(builder->input->modules[i], &builder->made.scopes.modules[i]))
            return false;
    }
    return true;
}

/* A new scope without counts; false when out of memory. name is taken over. */
static bool add_scope(struct builder *builder, const struct ft_scope *scope, char *name,
                      const char *file, uint32_t context_depth)
{
    struct ft_scopes *scopes = &builder->made.scopes;
    struct ft_scope *added = &scopes->scopes[scopes->scope_count];
    *added = *scope;
    added->name = name;
    added->file = strdup(file);
    builder->made.context_depth[scopes->scope_count] = context_depth;
    scopes->scope_count++;
    return added->name && added->file;
}

__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...)
{
    va_list arguments;
    char *made = NULL;
    va_start(arguments, format);
    if (vasprintf(&made, format, arguments) < 0)
        made = NULL;
    va_end(arguments);
    return made;
}

static const struct ft_module *module_at(const struct builder *builder, uint32_t module)
{
    return module == FT_NO_MODULE ? NULL : builder->input->modules[module];
}

static bool add_module(struct builder *builder, uint32_t index)
{
    const struct ft_module *module = module_at(builder, index);
    struct ft_scope scope = {.kind = FT_SCOPE_MODULE, .module = index};
    if (module) {
        scope.start_offset = module->start;
        scope.end_offset = module->end;
    }
    return add_scope(builder, &scope,
                     strdup(module ? builder->made.scopes.modules[index].name : "unknown"), "", 0);
}

static bool add_routine(struct builder *builder, uint32_t parent, uint32_t index)
{
    const struct ft_routine *routine = &builder->made.routines.items[index];
    const struct ft_module *module = module_at(builder, routine->module);
    struct ft_source_range range = {0};
    if (module && !routine->in_gap)
        range = ft_source_of_routine(module, routine->start, routine->end);
    struct ft_scope scope = {
        .parent = parent,
        .module = routine->module,
        .kind = FT_SCOPE_ROUTINE,
        .first_line = range.first_line,
        .last_line = range.last_line,
        .start_offset = routine->start,
        .end_offset = routine->end,
    };
    builder->made.scope_of_routine[index] = (uint32_t)builder->made.scopes.scope_count;
    char *name = *routine->symbol  ? ft_routine_name(routine->symbol)
                 : !module         ? strdup("unknown")
                 : routine->in_gap ? text("unknown at 0x%" PRIx64, routine->start)
                                   : text("routine at 0x%" PRIx64, routine->start);
    return add_scope(builder, &scope, name, module ? module->strings + range.file : "", 0);
}

static bool add_loop(struct builder *builder, uint32_t index)
{
    const struct ft_program_loop *loop = &builder->made.loops.items[index];
    const struct ft_flow_block *header = &builder->made.graph.blocks[loop->header];
    const struct ft_module *module = module_at(builder, header->module);
    if (loop->same_as != index) {
        builder->made.scope_of_loop[index] = builder->made.scope_of_loop[loop->same_as];
        return true;
    }
    uint32_t parent = loop->parent == FT_NO_LOOP ? builder->made.scope_of_routine[loop->routine]
                                                 : builder->made.scope_of_loop[loop->parent];
    struct ft_scope scope = {
        .parent = parent,
        .module = header->module,
        .kind = FT_SCOPE_LOOP,
        .loop_depth = (uint8_t)(builder->made.scopes.scopes[parent].loop_depth + 1),
        .first_line = loop->range.first_line,
        .last_line = loop->range.last_line,
        .start_offset = header->offset,
        .end_offset = loop->end_offset,
    };
    const char *file = module ? module->strings + loop->range.file : "";
    builder->made.scope_of_loop[index] = (uint32_t)builder->made.scopes.scope_count;
    char *name = loop->range.first_line
                     ? text("loop at %s:%" PRIu32, file_name(file), loop->range.first_line)
                     : text("loop at 0x%" PRIx64, header->offset);
    return add_scope(builder, &scope, name, file, loop->context_depth);
}

static bool add_scopes(struct builder *builder)
{
    const struct ft_routines *routines = &builder->made.routines;
    size_t most = 1 + 2 * routines->count + builder->made.loops.count;
    builder->made.scopes.scopes = calloc(most, sizeof *builder->made.scopes.scopes);
    builder->made.context_depth = calloc(most, sizeof *builder->made.context_depth);
    builder->made.scope_of_routine = calloc(routines->count + 1, sizeof(uint32_t));
    builder->made.scope_of_loop = calloc(builder->made.loops.count + 1, sizeof(uint32_t));
    if (!builder->made.scopes.scopes || !builder->made.context_depth ||
        !builder->made.scope_of_routine || !builder->made.scope_of_loop)
        return false;
    const char *program = builder->input->program ? builder->input->program : "program";
    struct ft_scope root = {.kind = FT_SCOPE_PROGRAM, .module = FT_NO_MODULE};
    if (!add_scope(builder, &root, strdup(file_name(program)), "", 0))
        return false;
    uint32_t module_scope = 0, loop = 0;
    for (uint32_t r = 0; r < routines->count; r++) {
        if (r == 0 || routines->items[r].module != routines->items[r - 1].module) {
            module_scope = (uint32_t)builder->made.scopes.scope_count;
            if (!add_module(builder, routines->items[r].module))
                return false;
        }
        if (!add_routine(builder, module_scope, r))
            return false;
        for (; loop < builder->made.loops.count && builder->made.loops.items[loop].routine == r;
             loop++)
            if (!add_loop(builder, loop))
                return false;
    }
    return true;
}

static uint32_t scope_of_block(const struct builder *builder, uint32_t block)
{
    uint32_t loop = builder->made.loops.of_block[block];
    return loop == FT_NO_LOOP
               ? builder->made.scope_of_routine[builder->made.routines.of_block[block]]
               : builder->made.scope_of_loop[loop];
}

static void count_work(const struct ft_instruction *instruction, struct ft_block *block)
{
    block->instruction_count += !instruction->accesses_only;
    block->mix[instruction->mix_class] += !instruction->accesses_only;
    block->flops += ft_instruction_flops(instruction);
    for (unsigned i = 0; i < instruction->access_count; i++) {
        const struct ft_access *access = &instruction->accesses[i];
        if (access->kind != FT_PREFETCH)
            block->mix[access->kind == FT_LOAD ? FT_MIX_LOAD : FT_MIX_STORE] += access->elements;
    }
}

static bool add_blocks(struct builder *builder)
{
    const struct ft_flow_graph *graph = &builder->made.graph;
    struct ft_scopes *scopes = &builder->made.scopes;
    scopes->blocks = calloc(graph->block_count + 1, sizeof *scopes->blocks);
    scopes->edges = malloc((graph->edge_count + 1) * sizeof *scopes->edges);
    if (!scopes->blocks || !scopes->edges)
        return false;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const struct ft_flow_block *from = &graph->blocks[b];
        struct ft_block *block = &scopes->blocks[b];
        block->scope = scope_of_block(builder, b);
        block->module = from->module;
        block->offset = from->offset;
        block->code_bytes = from->code_bytes;
        block->execution_count = from->execution_count;
        for (uint32_t i = 0; i < from->instruction_count; i++)
            count_work(graph->instructions[from->first_instruction + i], block);
    }
    scopes->block_count = graph->block_count;
    if (graph->edge_count)
        memcpy(scopes->edges, graph->edges, graph->edge_count * sizeof *scopes->edges);
    scopes->edge_count = graph->edge_count;
    return true;
}

static bool holds(const struct ft_scopes *scopes, uint32_t outer, uint32_t scope)
{
    while (scope > outer)
        scope = scopes->scopes[scope].parent;
    return scope == outer;
}

/* The block that an edge comes from, within a routine: of a return, the one that called. */
static uint32_t source_of(const struct builder *builder, const struct ft_block_edge *edge)
{
    const struct ft_flow_graph *graph = &builder->made.graph;
    return ft_edge_comes_back(graph, &builder->made.routines, edge)
               ? graph->blocks[edge->to].call_before
               : edge->from;
}

/* Whether an edge into a routine calls it. A part that the routine itself calls goes on with it;
 * what the OpenMP library calls was entered where the region begins. */
static bool enters_routine(const struct builder *builder, const struct ft_block_edge *edge)
{
    const struct ft_routines *routines = &builder->made.routines;
    switch (routines->starts[edge->to]) {
    case FT_STARTS_REGION:
        return false;
    case FT_STARTS_PART:
        return routines->of_block[edge->from] != routines->of_block[edge->to];
    default:
        return true;
    }
}

static void count_entries(struct builder *builder)
{
    struct ft_scopes *scopes = &builder->made.scopes;
    const struct ft_flow_graph *graph = &builder->made.graph;
    const uint32_t *routine_of = builder->made.routines.of_block;
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct ft_block_edge *edge = &graph->edges[i];
        uint8_t flow = ft_flow_last_instruction(graph, edge->from)->flow;
        uint32_t from = scopes->blocks[source_of(builder, edge)].scope;
        uint32_t to = scopes->blocks[edge->to].scope;
        bool call = flow == FT_FLOW_CALL || flow == FT_FLOW_CALL_INDIRECT;
        /* A routine that calls itself is entered again, and so is all of it. */
        bool recursive = call && routine_of[edge->from] == routine_of[edge->to];
        for (; scopes->scopes[to].kind == FT_SCOPE_LOOP; to = scopes->scopes[to].parent)
            if (recursive || !holds(scopes, to, from))
                scopes->scopes[to].entry_count += edge->count;
        if ((recursive || !holds(scopes, to, from)) && enters_routine(builder, edge))
            scopes->scopes[to].entry_count += edge->count;
    }
    for (size_t i = 0; i < builder->made.loops.count; i++)
        scopes->scopes[builder->made.scope_of_loop[i]].iteration_count +=
            graph->blocks[builder->made.loops.items[i].header].execution_count;
}

/* Where a thread starts, no edge comes from anywhere. (Nor where a signal handler returns; that is
 * in the middle of a routine.) */
static void count_starts(struct builder *builder)
{
    const struct ft_structure_input *input = builder->input;
    for (size_t i = 0; i < input->counts->edge_count; i++) {
        const struct ft_unit_edge *edge = &input->counts->edges[i];
        if (edge->from != 0 || edge->to >= input->unit_count || !input->units[edge->to])
            continue;
        uint32_t block =
            ft_flow_graph_block_at(&builder->made.graph, input->units[edge->to]->pc, 0);
        if (block == FT_NO_BLOCK)
            continue;
        const struct ft_routine *routine =
            &builder->made.routines.items[builder->made.routines.of_block[block]];
        struct ft_scope *scopes = builder->made.scopes.scopes;
        uint32_t scope = builder->made.scopes.blocks[block].scope;
        if (builder->made.graph.blocks[block].offset != routine->start)
            continue;
        for (; scopes[scope].kind >= FT_SCOPE_ROUTINE; scope = scopes[scope].parent)
            scopes[scope].entry_count += edge->count;
    }
}

static int add_references(struct builder *builder, struct ft_diag *diag)
{
    const struct ft_structure_input *input = builder->input;
    struct ft_scopes *scopes = &builder->made.scopes;
    scopes->references = calloc(input->reference_count + 1, sizeof *scopes->references);
    if (!scopes->references)
        return ft_fail_memory(diag, "the references of a program");
    for (uint32_t i = 0; i < input->reference_count; i++) {
        const struct ft_reference *from = &input->references[i];
        unsigned accesses = from->kind == FT_FETCH ? 0 : from->access_index + 1U;
        uint32_t block = ft_flow_graph_block_at(&builder->made.graph, from->pc, accesses);
        if (block == FT_NO_BLOCK)
            return ft_fail(diag, FT_ERROR_DATA,
                           "reference %" PRIu32 " at 0x%" PRIx64 " is in no unit", i, from->pc);
        uint32_t scope = scopes->blocks[block].scope;
        const struct ft_module *module = module_at(builder, from->module);
        scopes->references[i] = (struct ft_scoped_reference){
            .offset = from->offset,
            .module = from->module,
            .scope = scope,
            .block = block,
            .group = i,
            .size_bytes = from->size_bytes,
            .line = module
                        ? ft_source_line(module, from->offset, builder->made.context_depth[scope])
                              .first_line
                        : 0,
            .access_index = from->access_index,
            .kind = from->kind,
        };
    }
    scopes->reference_count = scopes->group_count = input->reference_count;
    return input->strides ? ft_group_references(&builder->made, input->strides, diag) : FT_OK;
}

static int build(struct builder *builder, struct ft_diag *diag)
{
    const struct ft_structure_input *input = builder->input;
    int status = ft_flow_graph_build(input->units, input->unit_count, input->counts, input->modules,
                                     &builder->made.graph, diag);
    if (status == 0)
        status =
            ft_routines_find(&builder->made.graph, input->modules, &builder->made.routines, diag);
    if (status == 0)
        status = ft_program_loops_find(&builder->made.graph, &builder->made.routines,
                                       input->modules, &builder->made.loops, diag);
    if (status == 0 && !(copy_modules(builder) && add_scopes(builder) && add_blocks(builder)))
        status = ft_fail_memory(diag, "the scope tree");
    if (status != 0)
        return status;
    count_entries(builder);
    count_starts(builder);
    return add_references(builder, diag);
}

int ft_structure_make(const struct ft_structure_input *input, struct ft_structure *ret_structure,
                      struct ft_diag *diag)
{
    struct builder builder = {.input = input};
    int status = build(&builder, diag);
    if (status == 0)
        *ret_structure = builder.made;
    else
        ft_structure_fini(&builder.made);
    return status;
}

void ft_structure_fini(struct ft_structure *structure)
{
    ft_flow_graph_fini(&structure->graph);
    ft_routines_fini(&structure->routines);
    ft_program_loops_fini(&structure->loops);
    free(structure->scope_of_routine);
    free(structure->scope_of_loop);
    free(structure->context_depth);
    ft_scopes_fini(&structure->scopes);
    *structure = (struct ft_structure){0};
}

/* The scope tree alone. */
static int keep_scopes(struct ft_structure *structure, struct ft_scopes *ret_scopes)
{
    *ret_scopes = structure->scopes;
    structure->scopes = (struct ft_scopes){0};
    ft_structure_fini(structure);
    return FT_OK;
}

int ft_structure_build_from(const struct ft_structure_input *input, struct ft_scopes *ret_scopes,
                            struct ft_diag *diag)
{
    struct ft_structure structure;
    int status = ft_structure_make(input, &structure, diag);
    return status ? status : keep_scopes(&structure, ret_scopes);
}

int ft_structure_of_trace(const struct ft_trace *trace, const struct ft_execution_counts *counts,
                          const struct ft_reference *references, uint32_t reference_count,
                          const int64_t *strides, struct ft_structure *ret_structure,
                          struct ft_diag *diag)
{
    size_t unit_count = ft_trace_unit_count(trace) + 1;
    size_t module_count = ft_trace_module_count(trace);
    const struct ft_unit **units = calloc(unit_count, sizeof *units);
    const struct ft_module **modules = calloc(module_count + 1, sizeof *modules);
    int status = units && modules ? 0 : ft_fail_memory(diag, "the scope tree");
    for (uint32_t id = 1; status == 0 && id < unit_count; id++)
        units[id] = ft_trace_unit(trace, id);
    for (size_t i = 0; status == 0 && i < module_count; i++)
        modules[i] = ft_trace_module(trace, i);
    struct ft_structure_input input = {
        .program = ft_trace_metadata(trace)->program,
        .units = units,
        .unit_count = unit_count,
        .modules = modules,
        .module_count = module_count,
        .counts = counts,
        .references = references,
        .reference_count = reference_count,
        .strides = strides,
    };
    if (status == 0)
        status = ft_structure_make(&input, ret_structure, diag);
    free(units);
    free(modules);
    return status;
}

int ft_structure_build(const struct ft_trace *trace, const struct ft_execution_counts *counts,
                       const struct ft_reference *references, uint32_t reference_count,
                       const int64_t *strides, struct ft_scopes *ret_scopes, struct ft_diag *diag)
{
    struct ft_structure structure;
    int status = ft_structure_of_trace(trace, counts, references, reference_count, strides,
                                       &structure, diag);
    return status ? status : keep_scopes(&structure, ret_scopes);
}

int ft_structure_steps(const struct ft_trace *trace, const struct ft_execution_counts *counts,
                       const struct ft_reference *references, uint32_t reference_count,
                       struct ft_scope_steps *ret_steps, struct ft_diag *diag)
{
    struct ft_structure structure;
    int status =
        ft_structure_of_trace(trace, counts, references, reference_count, NULL, &structure, diag);
    if (status)
        return status;
    status = ft_structure_walk_steps(&structure, references, reference_count, ret_steps, diag);
    ft_structure_fini(&structure);
    return status;
}

int ft_structure_walk_steps(const struct ft_structure *structure,
                            const struct ft_reference *references, uint32_t reference_count,
                            struct ft_scope_steps *ret_steps, struct ft_diag *diag)
{
    return ft_scope_steps_make(&structure->graph, &structure->routines, &structure->loops,
                               structure->scope_of_routine, structure->scope_of_loop, references,
                               reference_count, ret_steps, diag);
}
