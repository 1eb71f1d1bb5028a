/*
 * Where routines and loops are in the source, in terms that carry over to another build: names
 * without compiler suffixes, base names of files, lines also relative to the routine, the routines
 * inlined around a loop, and the loop nest inside it. Needs only a scope tree, so histograms
 * suffice without their trace. Owns its strings; points into the tree.
 */
#ifndef FT_ENGINE_MATCH_SCOPE_LOCATIONS_H
#define FT_ENGINE_MATCH_SCOPE_LOCATIONS_H

#include "formats/scopes/scopes.h"

struct ft_scope_location {
    uint32_t routine; /* scope */
    char *name; /* routines: demangled, without .constprop.0 and the like; "" if unnamed. Loops: the
                   routines inlined around it, outermost first, one per line */
    const char *home;       /* loops: name of the routine in whose source they are */
    const char *file;       /* base name; "" if unknown */
    uint32_t relative_line; /* first line, for loops that were not inlined relative to that of the
                               routine */
    uint32_t line_count;
    uint64_t shape; /* hash. Loops: where the loops inside begin, and how many lines they have;
                       routines: what the instructions do, and the accesses in order */
};

struct ft_scope_locations {
    const struct ft_scopes *scopes;
    struct ft_scope_location *items; /* by scope; {0} of the program and modules */
};

/* The scopes must outlive the locations. */
int ft_scope_locations_make(const struct ft_scopes *scopes,
                            struct ft_scope_locations *ret_locations, struct ft_diag *diag);
/* References in code order: by module, offset and access index, without fetches. Malloc'ed, NULL
 * when out of memory. */
uint32_t *ft_references_in_order(const struct ft_scopes *scopes, size_t *ret_count);
void ft_scope_locations_fini(struct ft_scope_locations *locations);

#endif
