/*
 * Variables of static storage: a walk over a unit's tree of debugging entries that takes those
 * DW_TAG_variable whose location is one address, with the size of their type.
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
};

/* Whether a variable has one address as long as the program runs. */
static bool find_address(Dwarf_Die *die, uint64_t *ret_address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *operations;
    size_t count;
    if (!dwarf_attr(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &operations, &count) != 0 || count == 0 ||
        operations[0].atom != DW_OP_addr)
        return false;
    bool moved = count == 2 && operations[1].atom == DW_OP_plus_uconst;
    *ret_address = operations[0].number + (moved ? operations[1].number : 0);
    return count == 1 || moved;
}

static uint64_t size_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word bytes;
    if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), &type) ||
        dwarf_aggregate_size(&type, &bytes) != 0)
        return 0;
    return bytes;
}

static void add_variable(struct walk *walk, Dwarf_Die *die)
{
    const struct ft_module *object = walk->builder->object;
    uint64_t start, bytes;
    int line;
    const char *name;
    if (!find_address(die, &start) || start < object->start || start >= object->end ||
        !(name = dwarf_diename(die)) || (bytes = size_of(die)) == 0 || bytes > object->end - start)
        return;
    bool has_line = dwarf_decl_line(die, &line) == 0 && line > 0;
    struct ft_variable variable = {
        .start = start,
        .end = start + bytes,
        .name = ft_module_builder_string(walk->builder, name, strlen(name)),
        .source = FT_VARIABLE_DWARF,
        .file =
            has_line ? ft_module_builder_file(walk->builder, walk->unit, dwarf_decl_file(die)) : 0,
        .line = has_line ? (uint32_t)line : 0,
    };
    ft_module_builder_variable(walk->builder, &variable);
}

static bool may_hold_variables(int tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
           tag == DW_TAG_module || tag == DW_TAG_common_block || tag == DW_TAG_try_block ||
           tag == DW_TAG_catch_block || tag == DW_TAG_inlined_subroutine;
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, unsigned nesting)
{
    Dwarf_Die child;
    if (nesting > NESTING_MAX || dwarf_child(parent, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable)
            add_variable(walk, &child);
        else if (may_hold_variables(tag))
            walk_children(walk, &child, nesting + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

void ft_module_builder_unit_variables(struct ft_module_builder *builder, Dwarf_Die *unit)
{
    struct walk walk = {.builder = builder, .unit = unit};
    walk_children(&walk, unit, 0);
}
