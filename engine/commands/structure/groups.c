/*
 * The groups of references of each scope, with their address formulas and access counts: as text
 * the largest ones, as JSON all of them with their members.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands/structure/report.h"
#include "engine/program/values/formula_text.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/scope_report.h"

const char *const ft_storage_names[] = {
    [FT_STORAGE_DATA] = "data", [FT_STORAGE_STACK] = "stack", [FT_STORAGE_SPILL] = "spill"};

uint32_t ft_structure_access_of(const struct ft_structure_report *report, size_t reference)
{
    const struct ft_structure *structure = &report->structure;
    const struct ft_scoped_reference *item = &structure->scopes.references[reference];
    const struct ft_flow_block *block = &structure->graph.blocks[item->block];
    return item->kind == FT_FETCH
               ? FT_NO_ACCESS
               : ft_formulas_access_at(&report->groups->formulas, &structure->graph,
                                       block->pc + (item->offset - block->offset),
                                       item->access_index);
}

static void count_accesses(struct ft_structure_report *report)
{
    struct ft_structure_groups *groups = report->groups;
    for (size_t r = 0; r < report->structure.scopes.reference_count; r++) {
        uint32_t access = ft_structure_access_of(report, r);
        if (access == FT_NO_ACCESS)
            continue;
        groups->access_counts[access] += report->reference_accesses[r];
        groups->accesses[groups->groups.of_access[access]] += report->reference_accesses[r];
    }
}

/* That of the executable; FT_NO_MODULE: the trace has none of its code. */
static uint32_t own_module(const struct ft_structure_report *report)
{
    const struct ft_scopes *scopes = &report->structure.scopes;
    const char *program = ft_trace_metadata(report->trace)->program;
    uint32_t module = 0;
    while (module < scopes->module_count && strcmp(scopes->modules[module].path, program) != 0)
        module++;
    return module < scopes->module_count ? module : FT_NO_MODULE;
}

int ft_structure_find_groups(struct ft_structure_report *report, struct ft_diag *diag)
{
    const struct ft_structure *structure = &report->structure;
    struct ft_structure_groups *groups = report->groups = calloc(1, sizeof *groups);
    if (!groups)
        return ft_fail_memory(diag, "the groups of references");
    FT_TRY(ft_formulas_find(&structure->graph, &structure->routines, &structure->loops,
                            &groups->formulas, diag));
    FT_TRY(ft_reference_groups_find(&structure->graph, &structure->routines, &structure->loops,
                                    &groups->formulas, &groups->groups, diag));
    groups->accesses = calloc(groups->groups.count + (size_t)1, sizeof *groups->accesses);
    groups->access_counts = calloc(groups->formulas.access_count + 1, sizeof(uint64_t));
    if (!groups->accesses || !groups->access_counts)
        return ft_fail_memory(diag, "the groups of references");
    count_accesses(report);
    return ft_group_sizes_find(&groups->groups, &groups->formulas, &structure->routines,
                               own_module(report), &groups->sizes, diag);
}

void ft_structure_groups_free(struct ft_structure_groups *groups)
{
    if (!groups)
        return;
    ft_formulas_fini(&groups->formulas);
    ft_reference_groups_fini(&groups->groups);
    free(groups->accesses);
    free(groups->access_counts);
    free(groups);
}

uint32_t ft_structure_scope_of_group(const struct ft_structure_report *report, uint32_t group)
{
    const struct ft_reference_group *item = &report->groups->groups.items[group];
    return item->loop == FT_NO_LOOP ? report->structure.scope_of_routine[item->routine]
                                    : report->structure.scope_of_loop[item->loop];
}

char *ft_structure_group_pattern(const struct ft_structure_report *report, uint32_t group)
{
    const struct ft_structure_groups *groups = report->groups;
    uint32_t first = groups->groups.members[groups->groups.items[group].first_member];
    return ft_access_formula_text(&groups->formulas, &groups->formulas.accesses[first]);
}

/* Which access of its instruction it is. */
static const struct ft_access *access_at(const struct ft_structure_report *report, uint32_t access,
                                         uint32_t *ret_index)
{
    const struct ft_structure_groups *groups = report->groups;
    uint32_t instruction = groups->groups.instruction[access];
    *ret_index = access - groups->formulas.first_access[instruction];
    return &report->structure.graph.instructions[instruction]->accesses[*ret_index];
}

/* ---- text ---- */

struct heavy_group {
    uint32_t group;
    uint32_t position; /* of its scope in the list */
    uint64_t accesses;
};

static int compare_weights(const void *left, const void *right)
{
    const struct heavy_group *a = left, *b = right;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    return a->group < b->group ? -1 : 1;
}

static int compare_positions(const void *left, const void *right)
{
    const struct heavy_group *a = left, *b = right;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return compare_weights(left, right);
}

/* The heaviest groups of the scopes shown, in the order of scopes. */
static struct heavy_group *select_groups(const struct ft_structure_report *report, size_t limit,
                                         size_t *ret_count)
{
    const struct ft_structure_groups *groups = report->groups;
    struct heavy_group *selected = calloc(groups->groups.count + (size_t)1, sizeof *selected);
    uint32_t *position_of =
        calloc(report->structure.scopes.scope_count + (size_t)1, sizeof *position_of);
    size_t count = 0;
    if (selected && position_of) {
        for (uint32_t i = 0; i < report->count; i++)
            position_of[report->list[i]] = i + 1;
        for (uint32_t g = 0; g < groups->groups.count; g++)
            if (position_of[ft_structure_scope_of_group(report, g)] && groups->accesses[g])
                selected[count++] = (struct heavy_group){
                    g, position_of[ft_structure_scope_of_group(report, g)], groups->accesses[g]};
        qsort(selected, count, sizeof *selected, compare_weights);
        count = count < limit ? count : limit;
        qsort(selected, count, sizeof *selected, compare_positions);
    }
    bool complete = selected && position_of;
    free(position_of);
    *ret_count = count;
    if (complete)
        return selected;
    free(selected);
    return NULL;
}

static bool add_row(const struct ft_structure_report *report, uint32_t group,
                    struct ft_table *table)
{
    const struct ft_structure_groups *groups = report->groups;
    const struct ft_reference_group *item = &groups->groups.items[group];
    uint32_t loads = 0, index;
    char *pattern = ft_structure_group_pattern(report, group);
    if (!pattern)
        return false;
    for (uint32_t m = 0; m < item->member_count; m++)
        loads += access_at(report, groups->groups.members[item->first_member + m], &index)->kind ==
                 FT_LOAD;
    ft_scope_cells(table, false, &report->structure.scopes,
                   ft_structure_scope_of_group(report, group));
    ft_table_text(table, ft_storage_names[item->storage]);
    ft_table_format(table, "%" PRIu32, loads);
    ft_table_format(table, "%" PRIu32, item->member_count - loads);
    if (item->loop == FT_NO_LOOP)
        ft_table_empty(table);
    else
        ft_table_format(table, "%" PRIu32, item->loop_count);
    ft_table_count(table, (double)groups->accesses[group]);
    ft_table_text(table, pattern);
    free(pattern);
    return true;
}

int ft_structure_groups_text(const struct ft_structure_report *report, size_t limit, FILE *stream,
                             struct ft_diag *diag)
{
    size_t count;
    struct heavy_group *selected = select_groups(report, limit, &count);
    struct ft_table *table = selected ? ft_table_create() : NULL;
    bool complete = table != NULL;
    if (complete) {
        ft_scope_columns(table, false);
        ft_table_column(table, "touches", "storage", false);
        ft_table_column(table, "loads", "loads", true);
        ft_table_column(table, "stores", "stores", true);
        ft_table_column(table, "machine loops", "machine_loops", true);
        ft_table_column(table, "accesses", "accesses", true);
        ft_table_column(table, "first reference", "pattern", false);
    }
    for (size_t i = 0; complete && i < count; i++)
        complete = add_row(report, selected[i].group, table);
    int status = complete ? FT_OK : ft_fail_memory(diag, "a table");
    if (!status) {
        ft_print_wrapped(stream, 0,
                         "\nGroups of references with the same strides, the %zu of %" PRIu32
                         " with the most accesses:\n\n",
                         count, report->groups->groups.count);
        status = ft_table_write(table, stream, false, diag);
    }
    if (table)
        ft_table_destroy(table);
    free(selected);
    return status;
}

/* ---- JSON ---- */

static json_t *member_json(const struct ft_structure_report *report, uint32_t access)
{
    const struct ft_structure_groups *groups = report->groups;
    const struct ft_flow_graph *graph = &report->structure.graph;
    uint32_t instruction = groups->groups.instruction[access], index;
    const struct ft_access *item = access_at(report, access, &index);
    const struct ft_flow_block *block = &graph->blocks[graph->block_of[instruction]];
    uint64_t offset = block->offset + (graph->instructions[instruction]->pc - block->pc);
    char *formula = ft_access_formula_text(&groups->formulas, &groups->formulas.accesses[access]);
    json_t *member =
        json_pack("{s:I, s:I, s:s, s:I, s:o}", "offset", (json_int_t)offset, "access",
                  (json_int_t)index, "kind", ft_access_kind_names[item->kind], "size_bytes",
                  (json_int_t)item->size_bytes, "formula", formula ? ft_json_text(formula) : NULL);
    free(formula);
    return member;
}

static json_t *group_json(const struct ft_structure_report *report, uint32_t group)
{
    const struct ft_structure_groups *groups = report->groups;
    const struct ft_reference_group *item = &groups->groups.items[group];
    json_t *members = json_array();
    for (uint32_t m = 0; m < item->member_count; m++)
        ft_json_append(&members,
                       member_json(report, groups->groups.members[item->first_member + m]));
    return json_pack("{s:I, s:s, s:b, s:I, s:I, s:o}", "group", (json_int_t)group, "touches",
                     ft_storage_names[item->storage], "affine", (int)item->is_affine,
                     "machine_loops", (json_int_t)item->loop_count, "accesses",
                     (json_int_t)groups->accesses[group], "references", members);
}

json_t *ft_structure_groups_json(const struct ft_structure_report *report, uint32_t scope)
{
    json_t *list = json_array();
    for (uint32_t g = 0; g < report->groups->groups.count; g++)
        if (ft_structure_scope_of_group(report, g) == scope)
            ft_json_append(&list, group_json(report, g));
    return list;
}
