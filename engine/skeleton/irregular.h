/*
 * Sums up the iterations of loops that depend on data (formats/skeleton/irregular.h). One thread at
 * a time.
 */
#ifndef FT_ENGINE_SKELETON_IRREGULAR_H
#define FT_ENGINE_SKELETON_IRREGULAR_H

#include "formats/skeleton/irregular.h"
#include "formats/skeleton/nest.h"

/* An iteration. Adds its accesses to by_reference[reference] as well. */
int ft_irregular_add(struct ft_irregular *irregular, const struct ft_nest *iteration,
                     uint64_t *by_reference, struct ft_diag *diag);
/* The loop is left. */
void ft_irregular_end_entry(struct ft_irregular *irregular);
/* An access outside of iterations. */
int ft_irregular_add_access(struct ft_irregular *irregular, uint32_t reference, uint64_t address,
                            uint64_t *by_reference, struct ft_diag *diag);

#endif
