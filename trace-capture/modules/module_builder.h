/*
 * A struct ft_module under construction, and the readers that fill it: one table each, from libelf
 * and libdw handles that elf_module.c or dwarf_units.c opened. Damaged tables are read as far as
 * they make sense; only memory can fail: `failed` is then set, later additions do nothing, and it
 * is checked once at the end.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_MODULE_BUILDER_H
#define FT_TRACE_CAPTURE_MODULES_MODULE_BUILDER_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/hash_table.h"
#include "formats/trace/modules.h"

struct ft_module_builder {
    struct ft_module *module;
    const struct ft_module *object; /* whose symbols and extent are known; may be the module */
    uint64_t code_start, code_end;  /* extent of the executable segments */
    size_t symbol_capacity, line_capacity, inline_capacity, variable_capacity, strings_capacity;
    struct ft_hash_table interned; /* indices into module->strings */
    bool failed;
};

/* The module is empty, or already has tables, which are added to. */
void ft_module_builder_init(struct ft_module_builder *builder, struct ft_module *module);
void ft_module_builder_fini(struct ft_module_builder *builder); /* the module stays */

/* The index of a text of `length` bytes in module->strings, which has each text once. */
uint32_t ft_module_builder_string(struct ft_module_builder *builder, const char *text,
                                  size_t length);
void ft_module_builder_symbol(struct ft_module_builder *builder, const struct ft_symbol *symbol);
void ft_module_builder_line(struct ft_module_builder *builder, const struct ft_line *line);
void ft_module_builder_inline(struct ft_module_builder *builder, const struct ft_inline *call);
void ft_module_builder_variable(struct ft_module_builder *builder,
                                const struct ft_variable *variable);

/* The section of a name, and its header; NULL if there is none (elf_module.c). */
Elf_Scn *ft_elf_section(Elf *elf, const char *name, GElf_Shdr *ret_header);

/* From the object's notes (elf_module.c). */
void ft_module_read_build_id(struct ft_module *module, Elf *elf);

/* The object's separate debug file; elf is NULL if there is none (debug_file.c). */
struct ft_debug_file {
    int fd;
    Elf *elf;
};
void ft_debug_file_open(Elf *elf, const char *object_path, const struct ft_module *module,
                        struct ft_debug_file *ret_file);
void ft_debug_file_close(struct ft_debug_file *file);

/* The symbol of the object that starts at an address, or NULL. */
const struct ft_symbol *ft_module_builder_symbol_at(const struct ft_module_builder *builder,
                                                    uint64_t address);

/* A range that may become a symbol or a variable: from a symbol table, unwind tables or DWARF. */
struct ft_symbol_candidate {
    uint64_t start, end; /* end = start if the size is unknown */
    uint64_t limit;      /* end of its section */
    const char *name;    /* NULL from unwind tables; not terminated, belongs to the ELF handle */
    size_t name_length;
    uint8_t source; /* enum ft_symbol_source, or of a variable enum ft_variable_source */
    uint8_t rank;   /* 0: function, or object of a symbol table; 1: label without type, or variable
                       of DWARF; 2: unwind table */
    bool local;
    uint32_t file, line; /* of a variable of DWARF; else 0 */
};
struct ft_symbol_candidates {
    struct ft_symbol_candidate *items;
    size_t count, capacity;
};

/* The range of a symbol whose section has all `wanted` flags and no `refused` one; false if it has
 * none. The caller sets source and rank (elf_symbols.c). */
bool ft_symbol_candidate_make(Elf *elf, const GElf_Sym *symbol, const char *name, GElf_Xword wanted,
                              GElf_Xword refused, struct ft_symbol_candidate *ret_candidate);
/* Fails when out of memory. */
int ft_symbol_candidates_add(struct ft_symbol_candidates *candidates,
                             const struct ft_symbol_candidate *candidate);

/* Sorts candidates, keeps one of each start and cuts them so that none overlap; calls `emit` for
 * what is left, in order (elf_symbols.c). */
typedef void ft_candidate_emitter(struct ft_module_builder *builder,
                                  const struct ft_symbol_candidate *from, uint64_t start,
                                  uint64_t end);
void ft_symbol_candidates_resolve(struct ft_module_builder *builder,
                                  struct ft_symbol_candidates *candidates,
                                  ft_candidate_emitter *emit);

/* The routines of .eh_frame (unwind.c), appended; false when out of memory. */
bool ft_unwind_candidates(Elf *elf, struct ft_symbol_candidates *candidates);
/* Symbols of elf and of debug_elf (may be NULL), then unwind tables (elf_symbols.c). */
void ft_module_builder_read_symbols(struct ft_module_builder *builder, Elf *elf, Elf *debug_elf);
/* The variables of the symbol tables of elf and debug_elf (may be NULL), appended; false when out
 * of memory (elf_variables.c). */
bool ft_object_candidates(Elf *elf, Elf *debug_elf, struct ft_symbol_candidates *candidates);
/* Variables of these and those that DWARF declares; they replace what is there (elf_variables.c).
 */
void ft_module_builder_variables(struct ft_module_builder *builder,
                                 const struct ft_symbol_candidates *objects,
                                 const struct ft_symbol_candidates *declared);

/* What is read of one unit, in the order in which it stands there. The module's symbols then stand
 * for those of the object at the same start: with body_line (dwarf_lines.c), or with file and line
 * of their definition (dwarf_inlines.c). */
void ft_module_builder_unit_lines(struct ft_module_builder *builder, Dwarf_Die *unit);
void ft_module_builder_unit_inlines(struct ft_module_builder *builder, Dwarf_Die *unit);
void ft_module_builder_unit_variables(struct ft_module_builder *builder, Dwarf_Die *unit);
/* Puts the lines of several units in order, without overlaps; inlined calls. */
void ft_module_order_lines(struct ft_module *module);
void ft_module_order_inlines(struct ft_module *module);

/* The string index of a source file name made absolute with the unit's directory, "." and ".."
 * taken out (dwarf_lines.c). */
uint32_t ft_module_builder_file(struct ft_module_builder *builder, Dwarf_Die *unit,
                                const char *name);

#endif
