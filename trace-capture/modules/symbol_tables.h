/*
 * The symbols of an ELF object, of its full and its dynamic table.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_SYMBOL_TABLES_H
#define FT_TRACE_CAPTURE_MODULES_SYMBOL_TABLES_H

#include <gelf.h>
#include <stdint.h>

#include "formats/trace/modules.h"

/* A symbol; name: as in the file, never NULL. A result other than 0 ends the visit. */
typedef int ft_symbol_visitor(void *context, const GElf_Sym *symbol, const char *name,
                              enum ft_symbol_source source);
/* Visits all; returns the result of the last visit, 0 if there was none. */
int ft_symbol_tables_visit(Elf *elf, ft_symbol_visitor *visit, void *context);

#endif
