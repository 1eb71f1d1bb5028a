/*
 * Suffixes of the parts that compilers split from a routine, so that each part is assigned to the
 * routine as written: NAME.cold (rarely executed), NAME.part.0 (not inlined), NAME.isra.0 (other
 * parameters), NAME._omp_fn.0 and NAME.omp_outlined (the body of an OpenMP region). Clones for
 * constants (NAME.constprop.0) are routines of their own.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_ROUTINE_NAMES_H
#define FT_ENGINE_PROGRAM_GRAPH_ROUTINE_NAMES_H

#include <stddef.h>

#include "formats/trace/modules.h"

/* What begins with a block. */
enum ft_routine_start {
    FT_STARTS_NOTHING,
    FT_STARTS_ROUTINE,
    FT_STARTS_PART,   /* that is called by itself (NAME.part.0) */
    FT_STARTS_REGION, /* the same of an OpenMP region, which the OpenMP library calls */
};

/* The symbols of one module by name, made when its first part of a routine is met; initially {0},
 * ended by ft_name_index_fini. */
struct ft_name_index {
    const struct ft_module *module;
    const struct ft_symbol **symbols;
};
void ft_name_index_fini(struct ft_name_index *index);

/* The symbol that stands for the routine which a symbol is of, itself where that is a whole one or
 * none or several can be meant. Of the regions of a routine that was inlined away, the first one.
 * ret_starts: what begins where the symbol does, enum ft_routine_start. NULL when out of memory. */
const struct ft_symbol *ft_whole_routine(struct ft_name_index *index,
                                         const struct ft_module *module,
                                         const struct ft_symbol *symbol, uint8_t *ret_starts);

/* A malloc'ed text: the name that the programmer gave; regions have their routine's. NULL when out
 * of memory. */
char *ft_routine_name(const char *symbol);

#endif
