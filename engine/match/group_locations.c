/*
 * A group's references may be on several lines, and a line may belong to several groups: the line
 * with most of its accesses identifies it best.
 */
#include "engine/match/group_locations.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/source.h"
#include "engine/program/values/formula_text.h"
#include "formats/base/file_name.h"
#include "formats/x86/instruction.h"

/* An access of a group, to be sorted by line. */
struct seen {
    struct ft_source_range line;
    uint32_t access;
    uint64_t accesses;
};

/* The locations in the making. */
struct maker {
    struct ft_group_code code;
    struct ft_group_locations locations;
    struct seen *seen; /* room for the members of a group */
};

static const struct ft_flow_block *block_of(const struct maker *maker, uint32_t access)
{
    const struct ft_flow_graph *graph = &maker->code.structure->graph;
    return &graph->blocks[graph->block_of[maker->code.groups->instruction[access]]];
}

static uint64_t offset_of(const struct maker *maker, uint32_t access)
{
    const struct ft_flow_graph *graph = &maker->code.structure->graph;
    const struct ft_flow_block *block = block_of(maker, access);
    return block->offset +
           (graph->instructions[maker->code.groups->instruction[access]]->pc - block->pc);
}

static const struct ft_module *module_of(const struct maker *maker, uint32_t access)
{
    const uint32_t module = block_of(maker, access)->module;
    return module == FT_NO_MODULE ? NULL : maker->code.modules[module];
}

/* ---- lines ---- */

static int compare_lines(const struct seen *a, const struct seen *b)
{
    if (a->line.file != b->line.file)
        return a->line.file < b->line.file ? -1 : 1;
    return (a->line.first_line > b->line.first_line) - (a->line.first_line < b->line.first_line);
}

static int compare_seen(const void *left, const void *right)
{
    const struct seen *a = left, *b = right;
    int order = compare_lines(a, b);
    if (order)
        return order;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    return (a->access > b->access) - (a->access < b->access);
}

static int compare_weights(const void *left, const void *right)
{
    const struct ft_group_line *a = left, *b = right;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    return (a->access > b->access) - (a->access < b->access);
}

/* A line of a group, by its heaviest access. */
static struct ft_group_line describe_line(const struct maker *maker, uint32_t group,
                                          const struct seen *seen)
{
    const struct ft_structure *structure = maker->code.structure;
    const struct ft_group_locations *locations = &maker->locations;
    const struct ft_scope *scope = &structure->scopes.scopes[locations->items[group].scope];
    const uint32_t routine = structure->scope_of_routine[maker->code.groups->items[group].routine];
    const struct ft_module *module = module_of(maker, seen->access);
    struct ft_group_line line = {.file = "", .source_file = "", .access = seen->access};
    if (!module || !seen->line.first_line)
        return line;
    const struct ft_source_range source =
        ft_source_line(module, offset_of(maker, seen->access), FT_INLINE_DEPTH_MAX);
    const char *file = ft_file_name(module->strings + seen->line.file);
    line.is_relative = scope->first_line && seen->line.first_line >= scope->first_line &&
                       strcmp(file, ft_file_name(scope->file)) == 0;
    line.line = seen->line.first_line - (line.is_relative ? scope->first_line : 0);
    if (strcmp(file, locations->scopes->items[routine].file) != 0)
        line.file = file;
    line.source_file = ft_file_name(module->strings + source.file);
    line.source_line = source.first_line;
    return line;
}

/* Adds the lines of a group. */
static void find_lines(struct maker *maker, uint32_t group)
{
    const struct ft_reference_group *item = &maker->code.groups->items[group];
    struct ft_group_locations *locations = &maker->locations;
    struct ft_group_location *location = &locations->items[group];
    struct seen *seen = maker->seen;
    location->first_line = (uint32_t)locations->line_count;
    for (uint32_t m = 0; m < item->member_count; m++) {
        const uint32_t access = maker->code.groups->members[item->first_member + m];
        const struct ft_module *module = module_of(maker, access);
        seen[m] = (struct seen){.access = access, .accesses = maker->code.access_counts[access]};
        location->accesses += seen[m].accesses;
        if (module)
            seen[m].line = ft_source_line(module, offset_of(maker, access),
                                          maker->code.structure->context_depth[location->scope]);
    }
    qsort(seen, item->member_count, sizeof *seen, compare_seen);
    for (uint32_t m = 0; m < item->member_count; m++) {
        struct ft_group_line *lines = &locations->lines[location->first_line];
        if (m == 0 || compare_lines(&seen[m - 1], &seen[m]) != 0)
            lines[location->line_count++] = describe_line(maker, group, &seen[m]);
        lines[location->line_count - 1].accesses += seen[m].accesses;
    }
    locations->line_count += location->line_count;
    qsort(&locations->lines[location->first_line], location->line_count, sizeof *locations->lines,
          compare_weights);
}

static void find_kinds(struct maker *maker, uint32_t group)
{
    const struct ft_flow_graph *graph = &maker->code.structure->graph;
    const struct ft_reference_group *item = &maker->code.groups->items[group];
    for (uint32_t m = 0; m < item->member_count; m++) {
        const uint32_t access = maker->code.groups->members[item->first_member + m];
        const uint32_t instruction = maker->code.groups->instruction[access];
        const struct ft_access *of =
            &graph->instructions[instruction]
                 ->accesses[access - maker->code.formulas->first_access[instruction]];
        maker->locations.items[group].kinds |= (uint8_t)(1U << of->kind);
    }
}

/* ---- all of it ---- */

static void list_accesses(struct maker *maker)
{
    const struct ft_structure *structure = maker->code.structure;
    struct ft_group_locations *locations = &maker->locations;
    for (uint32_t r = 0; r < structure->routines.count; r++) {
        const struct ft_routine *routine = &structure->routines.items[r];
        uint32_t number = 0;
        for (uint32_t b = 0; b < routine->block_count; b++) {
            const struct ft_flow_block *block =
                &structure->graph.blocks[structure->routines.blocks[routine->first_block + b]];
            for (uint32_t i = 0; i < block->instruction_count; i++) {
                const uint32_t instruction = block->first_instruction + i;
                for (uint32_t a = 0; a < structure->graph.instructions[instruction]->access_count;
                     a++) {
                    const uint32_t access = maker->code.formulas->first_access[instruction] + a;
                    locations->accesses[locations->access_count++] =
                        (struct ft_group_access){maker->code.groups->of_access[access],
                                                 structure->scope_of_routine[r],
                                                 routine->module,
                                                 offset_of(maker, access),
                                                 a,
                                                 number++,
                                                 maker->code.access_counts[access]};
                }
            }
        }
    }
}

static bool make_locations(struct maker *maker)
{
    const struct ft_structure *structure = maker->code.structure;
    const struct ft_reference_groups *groups = maker->code.groups;
    const size_t accesses = maker->code.formulas->access_count + 1;
    struct ft_group_locations *locations = &maker->locations;
    locations->items = calloc(groups->count + (size_t)1, sizeof *locations->items);
    locations->lines = calloc(accesses, sizeof *locations->lines);
    locations->accesses = calloc(accesses, sizeof *locations->accesses);
    maker->seen = calloc(accesses, sizeof *maker->seen);
    if (!locations->items || !locations->lines || !locations->accesses || !maker->seen)
        return false;
    list_accesses(maker);
    for (uint32_t a = (uint32_t)locations->access_count; a-- > 0;)
        locations->items[locations->accesses[a].group].first_access = a;
    for (uint32_t g = 0; g < groups->count; g++) {
        const struct ft_reference_group *item = &groups->items[g];
        locations->count = g + 1;
        locations->items[g].storage = item->storage;
        locations->items[g].scope = item->loop == FT_NO_LOOP
                                        ? structure->scope_of_routine[item->routine]
                                        : structure->scope_of_loop[item->loop];
        find_lines(maker, g);
        find_kinds(maker, g);
        locations->items[g].strides = ft_access_strides_text(
            maker->code.formulas,
            &maker->code.formulas
                 ->accesses[locations->lines[locations->items[g].first_line].access]);
        if (!locations->items[g].strides)
            return false;
    }
    return true;
}

int ft_group_locations_make(const struct ft_scope_locations *scopes,
                            const struct ft_group_code *code, const struct ft_data_of_groups *data,
                            struct ft_group_locations *ret_locations, struct ft_diag *diag)
{
    struct maker maker = {.code = *code, .locations = {.scopes = scopes, .data = data}};
    bool complete = make_locations(&maker);
    free(maker.seen);
    if (!complete) {
        ft_group_locations_fini(&maker.locations);
        return ft_fail_memory(diag, "the locations of groups");
    }
    *ret_locations = maker.locations;
    return FT_OK;
}

void ft_group_locations_fini(struct ft_group_locations *locations)
{
    for (uint32_t g = 0; g < locations->count; g++)
        free(locations->items[g].strides);
    free(locations->items);
    free(locations->lines);
    free(locations->accesses);
    *locations = (struct ft_group_locations){0};
}
