/*
 * The units are listed when they are asked for the first time, with the ranges of their code. Those
 * that are wanted are read into tables of their own, with strings of their own, which then become
 * tables of the module, in the order of the units, however many of them were read for other traces
 * before.
 *
 * Where code was executed, all is read; a unit whose ranges are unknown counts as executed. Of
 * other units variables are read, whose data the executed code may touch: of all where the object
 * itself has the DWARF, as programs under study do; in debug files, which are for libraries of the
 * system and large, only of units without code, such as tables. (With the debug file of libc, all
 * of them would add a quarter to the CPU time of a capture of /bin/true. Symbols name its
 * variables, so what is missing is the line of a declaration.)
 *
 * libdw decompresses each section that it knows when it opens a file. Locations, address ranges and
 * macros, which nobody asks for here, are 15 % of the bytes in the debug file of libc, and 4 % of
 * the CPU time of a capture of /bin/true.
 */
#include "trace-capture/modules/dwarf_units.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "trace-capture/modules/dwarf_units_state.h"

static bool copy_objects(struct ft_dwarf_units *units, const struct ft_symbol_candidates *objects)
{
    size_t bytes = 1;
    for (size_t i = 0; i < objects->count; i++)
        bytes += objects->items[i].name_length;
    struct ft_symbol_candidates *copy = &units->objects;
    char *at = units->names = malloc(bytes);
    if (!at || !FT_RESERVE(copy->items, copy->capacity, objects->count + 1))
        return false;
    for (size_t i = 0; i < objects->count; i++) {
        struct ft_symbol_candidate *item = &copy->items[copy->count++];
        *item = objects->items[i];
        item->name = memcpy(at, objects->items[i].name, item->name_length);
        at += item->name_length;
    }
    return true;
}

int ft_dwarf_units_create(Elf *elf, int fd, bool is_debug_file, uint64_t code_start,
                          uint64_t code_end, const struct ft_symbol_candidates *objects,
                          struct ft_dwarf_units **ret_units, struct ft_diag *diag)
{
    struct ft_dwarf_units *units = calloc(1, sizeof *units);
    if (!units)
        return ft_fail_memory(diag, "the units of a module");
    units->given = fd < 0 ? elf : NULL;
    units->fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    units->code_start = code_start;
    units->code_end = code_end;
    units->is_debug_file = is_debug_file;
    units->is_unsaved = true;
    bool copied = copy_objects(units, objects);
    if (!copied || (!units->given && (units->fd < 0 || fstat(units->fd, &units->file) != 0))) {
        ft_dwarf_units_destroy(units);
        return copied ? ft_fail(diag, FT_ERROR_IO, "a module's file could not be kept open")
                      : ft_fail_memory(diag, "the units of a module");
    }
    *ret_units = units;
    return FT_OK;
}

bool ft_dwarf_units_have_changed(const struct ft_dwarf_units *units)
{
    struct stat now;
    return !units->given && (fstat(units->fd, &now) != 0 || now.st_size != units->file.st_size ||
                             now.st_mtim.tv_sec != units->file.st_mtim.tv_sec ||
                             now.st_mtim.tv_nsec != units->file.st_mtim.tv_nsec);
}

void ft_dwarf_units_forget(struct ft_dwarf_units *units)
{
    for (size_t i = 0; i < units->count; i++)
        ft_module_fini(&units->units[i].tables);
    units->count = units->range_count = 0;
    units->is_listed = false;
    ft_bytes_fini(&units->stored);
    dwarf_end(units->dwarf);
    elf_end(units->elf);
    units->dwarf = NULL;
    units->elf = NULL;
}

void ft_dwarf_units_destroy(struct ft_dwarf_units *units)
{
    if (!units)
        return;
    ft_dwarf_units_forget(units);
    if (units->fd >= 0)
        close(units->fd);
    free(units->objects.items);
    free(units->names);
    free(units->units);
    free(units->ranges);
    free(units);
}

uint64_t ft_dwarf_units_file_bytes(const struct ft_dwarf_units *units)
{
    return (uint64_t)units->file.st_size;
}

/* Declares sections that are not needed not to be in the file; in memory only. */
static void hide_sections(Elf *elf)
{
    static const char *const unneeded[] = {".debug_loc",   ".debug_loclists", ".debug_macro",
                                           ".debug_frame", ".debug_macinfo",  ".debug_aranges"};
    for (size_t i = 0; i < sizeof unneeded / sizeof *unneeded; i++) {
        GElf_Shdr header;
        Elf_Scn *section = ft_elf_section(elf, unneeded[i], &header);
        if (!section)
            continue;
        header.sh_type = SHT_NOBITS;
        gelf_update_shdr(section, &header);
    }
}

static bool add_unit(struct ft_dwarf_units *units, Dwarf_Die *die, bool is_types)
{
    struct ft_dwarf_unit unit = {.offset = dwarf_dieoffset(die),
                                 .has_ranges = dwarf_hasattr(die, DW_AT_ranges) ||
                                               dwarf_hasattr(die, DW_AT_low_pc) || is_types ||
                                               !dwarf_hasattr(die, DW_AT_stmt_list),
                                 .first_range = units->range_count};
    Dwarf_Addr base, start, end;
    ptrdiff_t offset = 0;
    while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
        if (start >= end)
            continue;
        if (!FT_RESERVE(units->ranges, units->range_capacity, units->range_count + 1))
            return false;
        units->ranges[units->range_count++] = (struct ft_dwarf_range){start, end};
    }
    unit.range_count = units->range_count - unit.first_range;
    if (offset < 0)
        unit.has_ranges = false;
    if (!FT_RESERVE(units->units, units->capacity, units->count + 1))
        return false;
    units->units[units->count++] = unit;
    return true;
}

static void open_dwarf(struct ft_dwarf_units *units)
{
    if (units->dwarf)
        return;
    if (!units->given && !units->elf) {
        units->elf = elf_begin(units->fd, ELF_C_READ, NULL);
        if (units->elf)
            hide_sections(units->elf);
    }
    Elf *elf = units->given ? units->given : units->elf;
    units->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
}

/* Lists the units; none where there is no DWARF that can be read. False when out of memory. */
static bool list_units(struct ft_dwarf_units *units)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;
    if (units->is_listed)
        return true;
    open_dwarf(units);
    while (units->dwarf && dwarf_get_units(units->dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
        if (!add_unit(units, &die, type == DW_UT_type || type == DW_UT_split_type))
            return false;
    units->is_listed = true;
    units->is_unsaved = true;
    return true;
}

/* code is NULL: all. */
static bool is_executed(const struct ft_dwarf_units *units, const struct ft_dwarf_unit *unit,
                        const struct ft_module_code *code)
{
    if (!unit->has_ranges)
        return true;
    for (size_t i = 0; i < unit->range_count; i++) {
        const struct ft_dwarf_range *range = &units->ranges[unit->first_range + i];
        if (!code || ft_module_code_meets(code, range->start, range->end))
            return true;
    }
    return false;
}

/* Decodes the tables that came with an entry of the store. */
static void take_stored(struct ft_dwarf_unit *unit)
{
    struct ft_cursor cursor = {.data = unit->stored, .length = unit->stored_bytes};
    if (!unit->stored)
        return;
    unit->stored = NULL;
    ft_module_read_tables(&cursor, &unit->tables);
    if (cursor.failed) {
        ft_module_fini(&unit->tables);
        unit->has_lines = unit->has_variables = false;
    }
}

/* Reads what is wanted of a unit and was not read before; false when out of memory. */
static bool read_unit(struct ft_dwarf_units *units, struct ft_dwarf_unit *unit, bool lines,
                      const struct ft_module *object)
{
    Dwarf_Die die;
    struct ft_module_builder builder;
    take_stored(unit);
    bool read_lines = lines && !unit->has_lines, read_variables = !unit->has_variables;
    if (!read_lines && !read_variables)
        return true;
    open_dwarf(units);
    if (!dwarf_offdie(units->dwarf, unit->offset, &die))
        return true;
    ft_module_builder_init(&builder, &unit->tables);
    builder.object = object;
    builder.code_start = units->code_start;
    builder.code_end = units->code_end;
    if (read_lines) {
        ft_module_builder_unit_lines(&builder, &die);
        ft_module_builder_unit_inlines(&builder, &die);
    }
    if (read_variables)
        ft_module_builder_unit_variables(&builder, &die);
    unit->has_lines |= lines;
    unit->has_variables = true;
    units->is_unsaved = true;
    bool failed = builder.failed;
    ft_module_builder_fini(&builder);
    return !failed;
}

/* A unit's tables on their way into the module. */
struct transfer {
    struct ft_module_builder *builder;
    const struct ft_module *from;
    uint32_t *strings; /* by index in the unit: in the module; 0: not yet there */
};

static uint32_t move_string(struct transfer *transfer, uint32_t index)
{
    if (index && !transfer->strings[index]) {
        const char *text = transfer->from->strings + index;
        transfer->strings[index] = ft_module_builder_string(transfer->builder, text, strlen(text));
    }
    return index ? transfer->strings[index] : 0;
}

/* Of a routine in several units the first says where its body begins, the last where it is
 * defined. */
static void move_symbols(struct transfer *transfer)
{
    struct ft_module *module = transfer->builder->module;
    for (size_t i = 0; i < transfer->from->symbol_count; i++) {
        const struct ft_symbol *found = &transfer->from->symbols[i];
        size_t at = FT_COUNT_BELOW(module->symbols, module->symbol_count, start, found->start);
        if (at == module->symbol_count || module->symbols[at].start != found->start)
            continue;
        struct ft_symbol *symbol = &module->symbols[at];
        if (symbol->body_line == 0)
            symbol->body_line = found->body_line;
        if (found->line) {
            symbol->file = move_string(transfer, found->file);
            symbol->line = found->line;
        }
    }
}

static void move_lines(struct transfer *transfer)
{
    for (size_t i = 0; i < transfer->from->line_count; i++) {
        struct ft_line line = transfer->from->lines[i];
        line.file = move_string(transfer, line.file);
        ft_module_builder_line(transfer->builder, &line);
    }
    for (size_t i = 0; i < transfer->from->inline_count; i++) {
        struct ft_inline call = transfer->from->inlines[i];
        call.name = move_string(transfer, call.name);
        call.call_file = move_string(transfer, call.call_file);
        ft_module_builder_inline(transfer->builder, &call);
    }
}

static bool move_variables(struct transfer *transfer, struct ft_symbol_candidates *declared)
{
    const struct ft_module *from = transfer->from;
    for (size_t i = 0; i < from->variable_count; i++) {
        const struct ft_variable *variable = &from->variables[i];
        const char *name = from->strings + variable->name;
        struct ft_symbol_candidate candidate = {
            .start = variable->start,
            .end = variable->end,
            .limit = transfer->builder->module->end,
            .name = name,
            .name_length = strlen(name),
            .source = variable->source,
            .rank = 1,
            .file = move_string(transfer, variable->file),
            .line = variable->line,
        };
        if (ft_symbol_candidates_add(declared, &candidate) < 0)
            return false;
    }
    return true;
}

static bool move_unit(const struct ft_dwarf_unit *unit, bool lines,
                      struct ft_module_builder *builder, struct ft_symbol_candidates *declared)
{
    if (unit->tables.strings_bytes == 0)
        return true;
    struct transfer transfer = {.builder = builder,
                                .from = &unit->tables,
                                .strings =
                                    calloc(unit->tables.strings_bytes, sizeof *transfer.strings)};
    if (!transfer.strings)
        return false;
    if (lines) {
        move_symbols(&transfer);
        move_lines(&transfer);
    }
    bool moved = move_variables(&transfer, declared);
    free(transfer.strings);
    return moved;
}

int ft_dwarf_units_add(struct ft_dwarf_units *units, const struct ft_module_code *code,
                       struct ft_module *module, struct ft_diag *diag)
{
    struct ft_module_builder builder;
    struct ft_symbol_candidates declared = {0};
    if (ft_dwarf_units_have_changed(units))
        return FT_OK;
    bool complete = list_units(units);
    ft_module_builder_init(&builder, module);
    for (size_t i = 0; i < units->count && complete; i++) {
        struct ft_dwarf_unit *unit = &units->units[i];
        bool lines = is_executed(units, unit, code);
        if (lines || unit->range_count == 0 || !units->is_debug_file)
            complete = read_unit(units, unit, lines, module) &&
                       move_unit(unit, lines, &builder, &declared);
    }
    if (complete && units->count) {
        ft_module_order_lines(module);
        ft_module_order_inlines(module);
        ft_module_builder_variables(&builder, &units->objects, &declared);
    }
    complete &= !builder.failed;
    ft_module_builder_fini(&builder);
    free(declared.items);
    return complete ? FT_OK : ft_fail_memory(diag, "the lines of a module");
}
