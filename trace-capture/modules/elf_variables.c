/*
 * The variables of an object: the objects of its symbol tables and those of its debug file, in
 * sections that are in memory while the program runs and hold no code; and variables to which DWARF
 * gives an address without a symbol. Of several names of one address one is kept, as with routines
 * (elf_symbols.c).
 */
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "trace-capture/modules/module_builder.h"
#include "trace-capture/modules/symbol_tables.h"

struct tables {
    Elf *elf;
    struct ft_symbol_candidates *candidates;
};

/* Appends the symbol if it is a variable; fails when out of memory. */
static int add_object(void *context, const GElf_Sym *symbol, const char *name,
                      enum ft_symbol_source source)
{
    const struct tables *tables = context;
    struct ft_symbol_candidate found;
    int type = GELF_ST_TYPE(symbol->st_info);
    if ((type != STT_OBJECT && type != STT_COMMON) || symbol->st_size == 0 ||
        !ft_symbol_candidate_make(tables->elf, symbol, name, SHF_ALLOC, SHF_EXECINSTR | SHF_TLS,
                                  &found))
        return FT_OK;
    found.source = source == FT_SYMBOL_TABLE ? FT_VARIABLE_TABLE : FT_VARIABLE_DYNAMIC;
    return ft_symbol_candidates_add(tables->candidates, &found);
}

static bool add_tables(Elf *elf, struct ft_symbol_candidates *candidates)
{
    struct tables tables = {elf, candidates};
    return !elf || ft_symbol_tables_visit(elf, add_object, &tables) == FT_OK;
}

static void emit_variable(struct ft_module_builder *builder, const struct ft_symbol_candidate *from,
                          uint64_t start, uint64_t end)
{
    struct ft_variable variable = {
        .start = start,
        .end = end,
        .name = ft_module_builder_string(builder, from->name, from->name_length),
        .source = from->source,
        .file = from->file,
        .line = from->line,
    };
    ft_module_builder_variable(builder, &variable);
}

/* DWARF knows where a variable of the symbol table was declared. */
static void set_lines(struct ft_module *module, const struct ft_symbol_candidate *declared,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at =
            FT_COUNT_BELOW(module->variables, module->variable_count, start, declared[i].start);
        if (at == module->variable_count || module->variables[at].start != declared[i].start)
            continue;
        module->variables[at].file = declared[i].file;
        module->variables[at].line = declared[i].line;
    }
}

bool ft_object_candidates(Elf *elf, Elf *debug_elf, struct ft_symbol_candidates *candidates)
{
    return add_tables(elf, candidates) && add_tables(debug_elf, candidates);
}

void ft_module_builder_variables(struct ft_module_builder *builder,
                                 const struct ft_symbol_candidates *objects,
                                 const struct ft_symbol_candidates *declared)
{
    const size_t count = objects->count + declared->count;
    struct ft_symbol_candidates all = {malloc((count + 1) * sizeof *all.items), count, count + 1};
    builder->module->variable_count = 0;
    if (!all.items) {
        builder->failed = true;
        return;
    }
    if (objects->count)
        memcpy(all.items, objects->items, objects->count * sizeof *all.items);
    if (declared->count)
        memcpy(all.items + objects->count, declared->items, declared->count * sizeof *all.items);
    ft_symbol_candidates_resolve(builder, &all, emit_variable);
    set_lines(builder->module, declared->items, declared->count);
    free(all.items);
}
