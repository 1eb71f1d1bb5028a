/*
 * Inlined calls and the lines of definitions: a walk over a unit's tree of debugging entries,
 * through everything that can hold code. It notes each range of each DW_TAG_inlined_subroutine with
 * its nesting depth, and the line of each DW_TAG_subprogram that starts where a symbol does.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "trace-capture/modules/module_builder.h"

/* Deeper than any compiler nests: a damaged tree ends here before the stack does. */
#define NESTING_MAX 1000

struct walk {
    struct ft_module_builder *builder;
    Dwarf_Die *unit;
    Dwarf_Files *files;
    size_t file_count;
};

static bool may_hold_code(int tag)
{
    switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
        return true;
    default:
        return false;
    }
}

/* The linkage name where there is one (mangled, as symbols are), else the name. */
static const char *routine_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    return name ? name : dwarf_diename(die);
}

static void add_definition(const struct walk *walk, Dwarf_Die *die)
{
    Dwarf_Addr start;
    int line;
    if (dwarf_entrypc(die, &start) != 0 || dwarf_decl_line(die, &line) != 0 || line <= 0)
        return;
    if (!ft_module_builder_symbol_at(walk->builder, start))
        return;
    struct ft_symbol definition = {
        .start = start,
        .file = ft_module_builder_file(walk->builder, walk->unit, dwarf_decl_file(die)),
        .line = (uint32_t)line,
    };
    ft_module_builder_symbol(walk->builder, &definition);
}

static void add_call(const struct walk *walk, Dwarf_Die *die, uint32_t depth)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) != 0)
        file = 0;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) != 0)
        line = 0;
    const char *file_name =
        file < walk->file_count ? dwarf_filesrc(walk->files, file, NULL, NULL) : NULL;
    const char *name = routine_name(die);
    struct ft_inline call = {
        .name = name ? ft_module_builder_string(walk->builder, name, strlen(name)) : 0,
        .call_file = ft_module_builder_file(walk->builder, walk->unit, file_name),
        .call_line = (uint32_t)line,
        .depth = depth,
    };
    Dwarf_Addr base;
    ptrdiff_t offset = 0;
    while ((offset = dwarf_ranges(die, offset, &base, &call.start, &call.end)) > 0)
        if (call.start < call.end && call.start >= walk->builder->code_start &&
            call.end <= walk->builder->code_end)
            ft_module_builder_inline(walk->builder, &call);
}

static void walk_children(const struct walk *walk, Dwarf_Die *parent, uint32_t depth,
                          unsigned nesting)
{
    Dwarf_Die child;
    if (nesting > NESTING_MAX || dwarf_child(parent, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        if (!may_hold_code(tag))
            continue;
        bool call = tag == DW_TAG_inlined_subroutine;
        if (call)
            add_call(walk, &child, depth);
        if (tag == DW_TAG_subprogram)
            add_definition(walk, &child);
        walk_children(walk, &child, tag == DW_TAG_subprogram ? 0 : depth + call, nesting + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int compare_inlines(const void *left, const void *right)
{
    const struct ft_inline *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

void ft_module_builder_unit_inlines(struct ft_module_builder *builder, Dwarf_Die *unit)
{
    struct walk walk = {.builder = builder, .unit = unit};
    if (dwarf_getsrcfiles(unit, &walk.files, &walk.file_count) != 0)
        walk.file_count = 0;
    walk_children(&walk, unit, 0, 0);
}

void ft_module_order_inlines(struct ft_module *module)
{
    if (module->inline_count)
        qsort(module->inlines, module->inline_count, sizeof *module->inlines, compare_inlines);
}
