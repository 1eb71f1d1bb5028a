/*
 * A nest written once more, with something else, or nothing, in the place of some of its elements.
 */
#ifndef FT_FIT_SKELETONS_NEST_REWRITING_H
#define FT_FIT_SKELETONS_NEST_REWRITING_H

#include "formats/skeleton/nest.h"

/* Of each element, at its first token; number: its first one, in the nest. Elements in what repeats
 * are visited once for each row of numbers; is_first: the first time, when tokens are written, too.
 * Where it writes what there is in the place of the element, or nothing, *ret_done becomes true. */
typedef int ft_nest_rewriter(void *context, size_t at, size_t number, bool is_first, bool *ret_done,
                             struct ft_diag *diag);

/* names: [token]: as which tokens are written. into: what the rewriter appends to as well. */
int ft_nest_rewrite(const struct ft_nest *nest, const uint32_t *names, ft_nest_rewriter *rewriter,
                    void *context, struct ft_nest *into, struct ft_diag *diag);

#endif
