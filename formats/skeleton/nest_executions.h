/*
 * How often each access of a nest is made, and which are in loops: in one, at least, of three
 * iterations or more, whose numbers the third one confirmed. The others were recorded one by one.
 */
#ifndef FT_FORMATS_SKELETON_NEST_EXECUTIONS_H
#define FT_FORMATS_SKELETON_NEST_EXECUTIONS_H

#include "formats/skeleton/nest.h"

struct ft_nest_executions {
    uint64_t *before;  /* [token, and one more]: accesses made by the tokens before it */
    bool *in_loop;     /* [token] */
    uint64_t in_loops; /* accesses */
};
int ft_nest_executions_make(const struct ft_nest *nest, struct ft_nest_executions *ret_executions,
                            struct ft_diag *diag);
void ft_nest_executions_fini(struct ft_nest_executions *executions);

#endif
