/*
 * A group's references may stand on several lines, and one line be that of several groups: the line
 * with most of its accesses tells best which it is. Strides are compared without their unknowns,
 * which are registers that another build uses for something else.
 */
#include "engine/structure/matching/group_places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/structure/graph/source.h"
#include "engine/structure/values/formula_text.h"
#include "formats/code/instruction.h"

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct ft_flow_block *block_of(const struct ft_group_places *places, uint32_t access)
{
    const struct ft_flow_graph *graph = &places->scopes->structure->graph;
    return &graph->blocks[graph->block_of[places->groups->instruction[access]]];
}

uint64_t ft_group_access_offset(const struct ft_group_places *places, uint32_t access)
{
    const struct ft_flow_graph *graph = &places->scopes->structure->graph;
    const struct ft_flow_block *block = block_of(places, access);
    return block->offset +
           (graph->instructions[places->groups->instruction[access]]->pc - block->pc);
}

static const struct ft_module *module_of(const struct ft_group_places *places, uint32_t access)
{
    const uint32_t module = block_of(places, access)->module;
    return module == FT_NO_MODULE ? NULL : places->scopes->modules[module];
}

/* ---- lines ---- */

struct seen {
    struct ft_source_range line;
    uint32_t access;
    uint64_t accesses;
};

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
static struct ft_group_line describe_line(const struct ft_group_places *places, uint32_t group,
                                          const struct seen *seen)
{
    const struct ft_structure *structure = places->scopes->structure;
    const struct ft_scope *scope = &structure->scopes.scopes[places->items[group].scope];
    const uint32_t routine = structure->scope_of_routine[places->groups->items[group].routine];
    const struct ft_module *module = module_of(places, seen->access);
    struct ft_group_line line = {.file = "", .own_file = "", .access = seen->access};
    if (!module || !seen->line.first_line)
        return line;
    const struct ft_source_range own =
        ft_source_line(module, ft_group_access_offset(places, seen->access), FT_INLINE_DEPTH_MAX);
    const char *file = file_name(module->strings + seen->line.file);
    line.is_relative = scope->first_line && seen->line.first_line >= scope->first_line &&
                       strcmp(file, file_name(scope->file)) == 0;
    line.line = seen->line.first_line - (line.is_relative ? scope->first_line : 0);
    if (strcmp(file, places->scopes->items[routine].file) != 0)
        line.file = file;
    line.own_file = file_name(module->strings + own.file);
    line.own_line = own.first_line;
    return line;
}

/* Adds the lines of a group. seen: room for its members. */
static void find_lines(struct ft_group_places *places, uint32_t group, uint32_t first_line,
                       struct seen *seen)
{
    const struct ft_reference_group *item = &places->groups->items[group];
    struct ft_group_place *place = &places->items[group];
    place->first_line = first_line;
    for (uint32_t m = 0; m < item->member_count; m++) {
        const uint32_t access = places->groups->members[item->first_member + m];
        const struct ft_module *module = module_of(places, access);
        seen[m] = (struct seen){.access = access, .accesses = places->access_counts[access]};
        place->accesses += seen[m].accesses;
        if (module)
            seen[m].line = ft_source_line(module, ft_group_access_offset(places, access),
                                          places->scopes->structure->context_depth[place->scope]);
    }
    qsort(seen, item->member_count, sizeof *seen, compare_seen);
    for (uint32_t m = 0; m < item->member_count; m++) {
        struct ft_group_line *lines = &places->lines[first_line];
        if (m == 0 || compare_lines(&seen[m - 1], &seen[m]) != 0)
            lines[place->line_count++] = describe_line(places, group, &seen[m]);
        lines[place->line_count - 1].accesses += seen[m].accesses;
    }
    qsort(&places->lines[first_line], place->line_count, sizeof *places->lines, compare_weights);
}

/* ---- strides ---- */

static void print_stride(const struct ft_formulas *formulas, const struct ft_stride_formula *stride,
                         FILE *stream)
{
    const char *flag = ft_stride_flag_name(stride->flags);
    if (flag || stride->sum.count == 0)
        fprintf(stream, " %s", flag ? flag : "0");
    for (uint32_t i = 0; !flag && i < stride->sum.count; i++) {
        const struct ft_term *term = &formulas->terms[stride->sum.first + i];
        fprintf(stream, "%s%" PRId64, i ? "+" : " ", term->numerator);
        if (term->denominator != 1)
            fprintf(stream, "/%" PRId64, term->denominator);
        if (term->unknown != FT_ONE)
            fprintf(stream, "?");
    }
}

static bool find_strides(const struct ft_group_places *places, uint32_t group)
{
    const struct ft_access_formula *formula =
        &places->formulas->accesses[places->lines[places->items[group].first_line].access];
    size_t bytes;
    FILE *stream = open_memstream(&places->items[group].strides, &bytes);
    if (!stream)
        return false;
    for (uint32_t l = formula->level_count; l-- > 0;)
        print_stride(places->formulas, &places->formulas->strides[formula->first_stride + l],
                     stream);
    return fclose(stream) == 0;
}

static void find_kinds(const struct ft_group_places *places, uint32_t group)
{
    const struct ft_flow_graph *graph = &places->scopes->structure->graph;
    const struct ft_reference_group *item = &places->groups->items[group];
    for (uint32_t m = 0; m < item->member_count; m++) {
        const uint32_t access = places->groups->members[item->first_member + m];
        const uint32_t instruction = places->groups->instruction[access];
        const struct ft_access *of =
            &graph->instructions[instruction]
                 ->accesses[access - places->formulas->first_access[instruction]];
        places->items[group].kinds |= (uint8_t)(1U << of->kind);
    }
}

int ft_group_places_make(const struct ft_scope_places *scopes, const struct ft_formulas *formulas,
                         const struct ft_reference_groups *groups, const uint64_t *access_counts,
                         const struct ft_data_of_groups *data, struct ft_group_places *ret_places,
                         struct ft_diag *diag)
{
    struct ft_group_places places = {scopes, formulas, groups, access_counts, data, NULL, NULL};
    const struct ft_structure *structure = scopes->structure;
    struct seen *seen = calloc(formulas->access_count + 1, sizeof *seen);
    places.items = calloc(groups->count + (size_t)1, sizeof *places.items);
    places.lines = calloc(formulas->access_count + 1, sizeof *places.lines);
    bool complete = seen && places.items && places.lines;
    uint32_t lines = 0;
    for (uint32_t g = 0; complete && g < groups->count; g++) {
        const struct ft_reference_group *item = &groups->items[g];
        places.items[g].scope = item->loop == FT_NO_LOOP
                                    ? structure->scope_of_routine[item->routine]
                                    : structure->scope_of_loop[item->loop];
        find_lines(&places, g, lines, seen);
        lines += places.items[g].line_count;
        find_kinds(&places, g);
        complete = find_strides(&places, g);
    }
    free(seen);
    if (!complete) {
        ft_group_places_fini(&places);
        return ft_fail_memory(diag, "the places of groups");
    }
    *ret_places = places;
    return FT_OK;
}

void ft_group_places_fini(struct ft_group_places *places)
{
    for (uint32_t g = 0; places->items && g < places->groups->count; g++)
        free(places->items[g].strides);
    free(places->items);
    free(places->lines);
    *places = (struct ft_group_places){0};
}
