/*
 * What is kept of a loop whose iterations depend on data: how often each path through an iteration
 * was taken, and between which values its numbers (addresses, trip counts) varied and how they
 * moved, so that such a loop can be drawn at random later. All entries of the loop from one calling
 * context are put together. Paths beyond a limit, and routines that call themselves, are kept as
 * accesses by reference.
 */
#ifndef FT_FORMATS_SKELETON_IRREGULAR_H
#define FT_FORMATS_SKELETON_IRREGULAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/hash_table.h"

/* The values that a number had, in the order of the executions. */
struct ft_irregular_number {
    uint64_t first, min, max, last;
    uint32_t leader; /* the path's first number that has moved by as much in all executions... */
    uint32_t former_leader; /* ...but the last one */
    uint64_t step;          /* from the value before to the last */
    uint64_t breaks;        /* how often the step was not the one before */
    uint64_t grain;         /* that differences are multiples of; 0: there are none */
    /* Per so many iterations of the loop, whichever paths they take, within one entry: its change,
     * and how often it was another. What it would be in the first iteration of an entry is its
     * start. */
    uint64_t slope, slope_per, slope_breaks;
    bool has_slope;
    uint64_t start_min, start_max, start_last, start_step, start_breaks;
    /* Not in files: how often the value was the one before; how often below that of the entry's
     * first execution; the least that it was above the number before it in the path. */
    uint64_t stays, below_start, above;
};

struct ft_irregular_path {
    uint64_t hash, count; /* count: executions */
    uint32_t *tokens;
    size_t token_count;
    struct ft_irregular_number *numbers;
    size_t number_count;
    uint64_t last_entry, last_iteration; /* the loop's, of the last execution */
};

/* The accesses of a reference outside the paths. */
struct ft_irregular_reference {
    uint32_t reference;
    uint64_t count;
    uint64_t address_count; /* addresses looked at: one per execution of an inner loop */
    struct ft_irregular_number address;
};

#define FT_IRREGULAR_PATHS_MAX 64U /* of a loop */

struct ft_irregular {
    uint64_t context; /* hash of the routines and loops around, and of itself */
    uint32_t token;   /* LOOP or ROUTINE with its id */
    uint64_t entries, iterations, accesses;
    uint64_t entry_iterations;               /* of the entry at hand */
    uint64_t iterations_min, iterations_max; /* of an entry */
    struct ft_irregular_path *paths;
    size_t path_count, path_capacity;
    struct ft_irregular_reference *references;
    size_t reference_count, reference_capacity;
    struct ft_hash_table by_shape, by_reference;
};

/* Whether it is what depends on data in a loop of which the rest is in the nest: a path runs in
 * pieces there, each of which ends with the loop's own token (engine/skeleton/iteration_cut.h). */
bool ft_irregular_is_cut(const struct ft_irregular *irregular, uint32_t id);

/* What a slope comes to in an iteration, rounded down. */
static inline uint64_t ft_irregular_progress(uint64_t slope, uint64_t slope_per, uint64_t iteration)
{
    if (slope_per <= 1)
        return slope * iteration;
    const int64_t change = (int64_t)(slope * iteration), per = (int64_t)slope_per;
    return (uint64_t)(change / per - (change % per < 0));
}

void ft_irregular_fini(struct ft_irregular *irregular);
/* What was counted; of the copy nothing more can be. False: out of memory. */
bool ft_irregular_copy(const struct ft_irregular *irregular, struct ft_irregular *ret_copy);
/* Drops what was counted. */
void ft_irregular_clear(struct ft_irregular *irregular);

#endif
