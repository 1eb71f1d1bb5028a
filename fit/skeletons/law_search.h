/*
 * Searches the laws of a skeleton's numbers (formats/skeleton/size_law.h): exact polynomials, and
 * where none goes through the values, with logarithms where sizes double, or with quotients, whose
 * periods and offsets are tried. At
 * least one size more than a law is determined by confirms it, and chance is ruled out: values at
 * random would agree with one of the quotients that are tried with a probability below 1/64; below
 * 1/2 where other numbers have its period (docs/skeleton.md, "Laws").
 *
 * Used by one thread at a time.
 */
#ifndef FT_FIT_SKELETONS_LAW_SEARCH_H
#define FT_FIT_SKELETONS_LAW_SEARCH_H

#include "formats/base/status.h"
#include "formats/skeleton/sized_skeleton.h"

struct ft_law_search;
/* sizes: [count], integers, ascending, at most 64; the caller's. */
int ft_law_search_create(const double *sizes, size_t count, struct ft_law_search **ret_search,
                         struct ft_diag *diag);
const double *ft_law_search_sizes(const struct ft_law_search *search);
void ft_law_search_destroy(struct ft_law_search *search);

/* values: [size], of those that are known (bit: size); others are not looked at. False in
 * *ret_found: there is none. */
int ft_law_search_find(struct ft_law_search *search, uint64_t known, const double *values,
                       struct ft_size_law *ret_law, bool *ret_found, struct ft_diag *diag);
/* What was not found is searched again, among the periods that were: numbers may have two
 * quotients with these. False: there are none. */
bool ft_law_search_widen(struct ft_law_search *search);

#endif
