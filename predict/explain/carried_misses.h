/*
 * Which scope carries the reuse that misses: the accesses of a nest are made one by one, through
 * the caches of a machine as ft_simulate has them, and each miss is counted for the reference that
 * touched the block before (source), the one that misses (sink), and the carrying scope: the
 * deepest active one that was active then (Marin & Mellor-Crummey, ISPASS 2008). Where there are
 * too many accesses the first ones are taken, of the scope asked about and of the loops outside of
 * it, so that the figures are shares. Irregular loops make none. Plain data, owned.
 */
#ifndef FT_PREDICT_EXPLAIN_CARRIED_MISSES_H
#define FT_PREDICT_EXPLAIN_CARRIED_MISSES_H

#include "engine/skeleton/placing.h"
#include "formats/base/progress.h"
#include "formats/skeleton/skeleton.h"
#include "machines/machine.h"

struct ft_carried {
    uint32_t sink, source; /* references */
    uint32_t scope;        /* that carries the reuse... */
    bool across;           /* ...from one iteration of it to another; else inside one */
};

struct ft_carried_misses {
    size_t level_count;
    struct ft_carried *rows;
    double *misses; /* [row * level_count + level]: set-associative, none of them cold */
    size_t count, capacity, misses_capacity;
    bool is_complete; /* all accesses were made */
};

struct ft_carrying_task {
    const struct ft_nest *nest; /* whose addresses are places */
    const struct ft_places *places;
    const struct ft_skeleton *skeleton; /* references, and what loops and routines are */
    const struct ft_machine *machine;
    uint32_t scope;          /* that is asked about */
    uint64_t iterations_max; /* bodies and single accesses that are simulated inside of it; outside
                                as many again */
};

int ft_carried_misses_find(const struct ft_carrying_task *task,
                           struct ft_carried_misses *ret_carried, struct ft_diag *diag);
void ft_carried_misses_fini(struct ft_carried_misses *carried);

#endif
