/*
 * A program of nested loops, calls and recursion tells the witness which activations and iterations
 * it is in, and what it touches; the witness keeps all of them for each block in LRU order, and so
 * knows by definition which reference touched a block last, what carries the reuse, how far apart
 * they are, and how many turns loops make. Of several threads each tells its events beforehand, to
 * be taken in the order of their accesses. Naive and slow. Test code: exits when out of memory.
 */
#ifndef FT_TESTS_SCOPE_WITNESS_H
#define FT_TESTS_SCOPE_WITNESS_H

#include "engine/program/scope_steps.h"
#include "engine/program/trip_counts.h"
#include "formats/histograms/histograms.h"

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
    uint32_t reference, thread;
    struct witness_path path;
};

enum witness_event_kind { WITNESS_ENTER, WITNESS_LEAVE, WITNESS_ITERATE, WITNESS_SEE };

/* What a thread tells, to be taken later; all zero at first. */
struct witness_thread {
    struct witness_event {
        enum witness_event_kind kind;
        uint32_t number; /* scope or reference */
        uint64_t address;
    } * events;
    size_t count, capacity, taken;
    struct witness_path path; /* while another one is at hand */
};

struct witness_pair {
    struct ft_reuse_pair pair;
    uint64_t touches, distance_sum;
};

struct scope_witness {
    struct witness_thread *later; /* where what is told is put off to, or NULL */
    uint32_t thread;              /* at hand */
    struct witness_path path;     /* of it, now */
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
/* Takes what one of the threads told, up to its next access. */
void scope_witness_take(struct scope_witness *witness, struct witness_thread *threads,
                        uint32_t thread);
/* Whether the pairs of a size are as expected. Says on stdout which are not. */
bool scope_witness_has_pairs(const struct scope_witness *witness,
                             const struct ft_reuse_pairs *pairs, size_t size);
void scope_witness_fini(struct scope_witness *witness);

#endif
