/*
 * Simulates one LRU cache on a nest in less than all accesses, exactly, by warping (Morelli &
 * Reineke, PLDI 2022): where the state of the cache at the head of a loop's iteration is the one
 * some iterations before, moved as the accesses move, what follows is known, and is skipped. At all
 * levels of the nest (docs/simulate.md, "Warping"). One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_WARPING_H
#define FT_ENGINE_SIMULATE_WARPING_WARPING_H

#include "engine/simulate/warping/single_cache.h"
#include "engine/simulate/warping/warped_program.h"

/* Runs the program on an empty cache; ret_is_done: it is not given up. */
int ft_warp(const struct ft_warped_program *program, const struct ft_warp_task *task,
            struct ft_single_cache *cache, bool *ret_is_done, struct ft_diag *diag);

#endif
