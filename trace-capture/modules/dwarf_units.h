/*
 * The DWARF of an object, read unit by unit when it is known in which of them code was executed:
 * lines, inlined calls, variables, and where routines are defined. What was read of a unit is kept
 * for the next time.
 *
 * The file is held open from the start: the program may remove or replace it. One that is written
 * to meanwhile has no lines. For one thread at a time.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_DWARF_UNITS_H
#define FT_TRACE_CAPTURE_MODULES_DWARF_UNITS_H

#include <stdint.h>

#include "trace-capture/modules/executed_code.h"
#include "trace-capture/modules/module_builder.h"

struct ft_dwarf_units;

/* elf: the object, or its debug file, with DWARF. fd: its file, which is duplicated; -1 where elf
 * outlives the units. code_start, code_end: the extent of the executable segments. objects: the
 * variables of the symbol tables, with names that are copied. */
int ft_dwarf_units_create(Elf *elf, int fd, bool is_debug_file, uint64_t code_start,
                          uint64_t code_end, const struct ft_symbol_candidates *objects,
                          struct ft_dwarf_units **ret_units, struct ft_diag *diag);
void ft_dwarf_units_destroy(struct ft_dwarf_units *units);

/* Adds to a module that has symbols and no lines what DWARF says of the units with any of this
 * code; code is NULL: of all. And variables: of all units of an object, of a debug file those of
 * the same units and of units without code. */
int ft_dwarf_units_add(struct ft_dwarf_units *units, const struct ft_module_code *code,
                       struct ft_module *module, struct ft_diag *diag);

/* Closes the DWARF, which the next call opens again, and forgets what was read. */
void ft_dwarf_units_forget(struct ft_dwarf_units *units);
/* Whether the file was written to since the start. */
bool ft_dwarf_units_have_changed(const struct ft_dwarf_units *units);
/* Bytes of the file: memory is some times this. */
uint64_t ft_dwarf_units_file_bytes(const struct ft_dwarf_units *units);

#endif
