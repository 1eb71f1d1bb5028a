/*
 * What is kept of a loop whose iterations depend on data: how often each path through an iteration
 * was taken, and between which values its numbers (addresses, trip counts) varied and how they
 * moved, so that such a loop can be drawn at random later. All entries of the loop from one calling
 * context are put together. Paths beyond a limit, and routines that call themselves, are kept as
 * accesses by reference.
 */
#ifndef FT_FORMATS_SKELETON_IRREGULAR_H
#define FT_FORMATS_SKELETON_IRREGULAR_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/hash_table.h"

/* The values that a number had, in the order of the executions. */
struct ft_irregular_number {
    uint64_t min, max, last;
    uint64_t step;   /* from the value before to the last */
    uint64_t breaks; /* how often the step was not the one before */
};

struct ft_irregular_path {
    uint64_t hash, count; /* count: executions */
    uint32_t *tokens;
    size_t token_count;
    struct ft_irregular_number *numbers;
    size_t number_count;
};

/* The accesses of a reference outside the paths. */
struct ft_irregular_reference {
    uint32_t reference;
    uint64_t count;
    uint64_t address_count; /* addresses looked at: one per execution of an inner loop */
    struct ft_irregular_number address;
};

struct ft_irregular {
    uint64_t context; /* hash of the routines and loops around, and of itself */
    uint32_t token;   /* LOOP or ROUTINE with its id */
    uint64_t entries, iterations, accesses;
    struct ft_irregular_path *paths;
    size_t path_count, path_capacity;
    struct ft_irregular_reference *references;
    size_t reference_count, reference_capacity;
    struct ft_hash_table by_shape, by_reference;
};

void ft_irregular_fini(struct ft_irregular *irregular);
/* Drops what was counted. */
void ft_irregular_clear(struct ft_irregular *irregular);

#endif
