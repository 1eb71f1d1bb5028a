/*
 * Suffixes of the parts that compilers split off a routine, so that each part is attributed to the
 * routine as written: NAME.cold (rarely executed), NAME.part.0 (what partial inlining left over),
 * NAME.isra.0 (changed parameters), NAME._omp_fn.0 and NAME.omp_outlined (the body of an OpenMP
 * region). Clones for constants (NAME.constprop.0) are routines of their own.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_ROUTINE_NAMES_H
#define FT_ENGINE_PROGRAM_GRAPH_ROUTINE_NAMES_H

#include <stddef.h>

#include "formats/trace/modules.h"

/* What starts at a block. */
enum ft_routine_start {
    FT_STARTS_NOTHING,
    FT_STARTS_ROUTINE,
    FT_STARTS_PART,   /* a part that is called on its own (NAME.part.0) */
    FT_STARTS_REGION, /* the body of an OpenMP region, called by the OpenMP runtime */
};

/* The symbols of one module by name, made when a part of a routine is first encountered; initially
 * {0}. End with ft_name_index_fini. */
struct ft_name_index {
    const struct ft_module *module;
    const struct ft_symbol **symbols;
};
void ft_name_index_fini(struct ft_name_index *index);

/* The symbol of the whole routine that a symbol is a part of; the symbol itself if it is whole, or
 * if no or several routines qualify. For the OpenMP regions of a routine that was inlined away, the
 * first region. ret_starts: what starts at the symbol, enum ft_routine_start. NULL when out of
 * memory. */
const struct ft_symbol *ft_whole_routine(struct ft_name_index *index,
                                         const struct ft_module *module,
                                         const struct ft_symbol *symbol, uint8_t *ret_starts);

/* The name in the source, malloc'ed; OpenMP regions have that of their routine. NULL when out of
 * memory. */
char *ft_routine_name(const char *symbol);

#endif
