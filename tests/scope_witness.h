/*
 * A program of nested loops, calls and recursion tells the witness which activations and iterations
 * it is in, and what it touches; the witness keeps all of them for each block in LRU order, and so
 * knows by definition which reference touched a block last, what carries the reuse, how far apart
 * they are, and how many turns loops make. Naive and slow. Test code: exits when out of memory.
 */
#ifndef FT_TESTS_SCOPE_WITNESS_H
#define FT_TESTS_SCOPE_WITNESS_H

#include "engine/structure/graph/trip_counts.h"
#include "engine/structure/scope_steps.h"
#include "formats/histograms.h"

#define WITNESS_DEPTH_MAX 64
#define WITNESS_SIZES     3
#define WITNESS_LOOPS_MAX 4

extern const uint64_t witness_block_bytes[WITNESS_SIZES];

struct witness_place {
    uint32_t scope;
    uint64_t activation, iteration;
};

struct witness_path {
    struct witness_place places[WITNESS_DEPTH_MAX];
    size_t depth;
};

struct witness_block {
    uint64_t number;
    uint32_t reference;
    struct witness_path path;
};

struct witness_pair {
    struct ft_reuse_pair pair;
    uint64_t touches, distance_sum;
};

struct scope_witness {
    struct witness_path path; /* of the program, now */
    uint64_t activations;
    struct witness_block *blocks[WITNESS_SIZES]; /* most recent last */
    size_t block_count[WITNESS_SIZES], block_capacity[WITNESS_SIZES];
    struct witness_pair *expected[WITNESS_SIZES];
    size_t expected_count[WITNESS_SIZES], expected_capacity[WITNESS_SIZES];
    const struct ft_scope_steps *program;
    struct ft_trips trips[WITNESS_LOOPS_MAX]; /* by loop of the program */
};

/* Into an activation of a scope, out of the innermost one, and to its next iteration. */
void scope_witness_enter(struct scope_witness *witness, uint32_t scope);
void scope_witness_leave(struct scope_witness *witness);
void scope_witness_iterate(struct scope_witness *witness);
/* An access of the program where it stands. */
void scope_witness_see(struct scope_witness *witness, uint32_t reference, uint64_t address);
void scope_witness_fini(struct scope_witness *witness);

#endif
