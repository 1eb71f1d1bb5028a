/*
 * Stores that hide an earlier one from a load: a slot of the frame is used for one value after the
 * other, and only the last one is read. Internal to what finds dependences.
 */
#ifndef FT_ENGINE_PROGRAM_DEPENDENCES_OVERWRITES_H
#define FT_ENGINE_PROGRAM_DEPENDENCES_OVERWRITES_H

#include "engine/program/dependences/loop_accesses.h"

struct ft_overwrites {
    const struct ft_dependence_loop *made;
    const struct ft_loop_access **stores; /* that always store, by family and constant */
    size_t count;
};

/* Refers to the accesses and the loop, which outlive it. False when out of memory. */
bool ft_overwrites_make(struct ft_overwrites *overwrites, const struct ft_dependence_loop *made,
                        const struct ft_loop_accesses *accesses);
void ft_overwrites_fini(struct ft_overwrites *overwrites);

/* Whether between `from` and `to`, `distance` iterations later, all that `to` reads is stored again
 * whichever way the program takes. */
bool ft_is_overwritten(const struct ft_overwrites *overwrites, const struct ft_loop_access *from,
                       const struct ft_loop_access *to, int64_t distance);

#endif
