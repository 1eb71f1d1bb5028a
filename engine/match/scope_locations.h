/*
 * Where routines and loops are in the source, in terms that another build shares: names without
 * suffixes of the compiler, file names without folders, lines relative to the routine as well, the
 * names of the routines inlined around a loop, and the nesting inside it. Made from a scope tree
 * alone, so that histograms suffice, without their trace. Owns its texts; points into the tree.
 */
#ifndef FT_ENGINE_MATCH_SCOPE_LOCATIONS_H
#define FT_ENGINE_MATCH_SCOPE_LOCATIONS_H

#include "formats/scopes/scopes.h"

struct ft_scope_location {
    uint32_t routine; /* scope */
    char *name;       /* routines: without .constprop.0 and its like, demangled; "" without name.
                         loops: the routines inlined around it, outermost first, a line each */
    const char *home; /* loops: name of the routine that they were written in */
    const char *file; /* without folders; "" where unknown */
    uint32_t relative_line; /* of a loop that was not inlined: its first line, from that of its
                               routine; else its first line */
    uint32_t line_count;
    uint64_t shape; /* of a loop: where in it others begin, and how long they are; of a routine:
                       what its instructions do, and its accesses in their order */
};

struct ft_scope_locations {
    const struct ft_scopes *scopes;
    struct ft_scope_location *items; /* by scope; {0} of the program and modules */
};

/* The scopes must outlive the locations. */
int ft_scope_locations_make(const struct ft_scopes *scopes,
                            struct ft_scope_locations *ret_locations, struct ft_diag *diag);
/* The routine that a scope is or is in; the scope itself outside of routines. */
uint32_t ft_routine_scope(const struct ft_scopes *scopes, uint32_t scope);
/* References in the order of their code: by module, location and access; malloc'ed, NULL without
 * memory. Without those to instructions themselves. */
uint32_t *ft_references_in_order(const struct ft_scopes *scopes, size_t *ret_count);
void ft_scope_locations_fini(struct ft_scope_locations *locations);

#endif
