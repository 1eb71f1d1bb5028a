/*
 * The reference for what carries reuse. A program of nested loops, calls and recursion reports each
 * activation and iteration that it enters or leaves and what it touches; the stack of these is kept
 * with each block in LRU order, which gives by definition the reference that touched a block last,
 * the scope that carries the reuse, the distance, and the trip counts of loops. Several threads
 * record their events first, and these are taken in the order of the threads' accesses. Test code:
 * exits when out of memory.
 */
#ifndef FT_TESTS_SUPPORT_REFERENCE_CARRIERS_H
#define FT_TESTS_SUPPORT_REFERENCE_CARRIERS_H

#include "engine/program/scope_steps.h"
#include "engine/program/trip_counts.h"
#include "formats/histograms/histograms.h"

#define CARRIERS_DEPTH_MAX 64
#define CARRIERS_SIZES     3
#define CARRIERS_LOOPS_MAX 4

extern const uint64_t reference_carriers_block_bytes[CARRIERS_SIZES];

struct carriers_place {
    uint32_t scope;
    uint64_t activation, iteration;
};

struct carriers_path {
    struct carriers_place places[CARRIERS_DEPTH_MAX];
    size_t depth;
};

struct carriers_block {
    uint64_t number;
    uint32_t reference, thread;
    struct carriers_path path;
};

enum carriers_event_kind { CARRIERS_ENTER, CARRIERS_LEAVE, CARRIERS_ITERATE, CARRIERS_SEE };

/* What a thread tells, to be taken later; all zero at first. */
struct carriers_thread {
    struct carriers_event {
        enum carriers_event_kind kind;
        uint32_t number; /* scope or reference */
        uint64_t address;
    } * events;
    size_t count, capacity, taken;
    struct carriers_path path; /* while another one is at hand */
};

struct carriers_pair {
    struct ft_reuse_pair pair;
    uint64_t touches, distance_sum;
};

struct reference_carriers {
    struct carriers_thread *later; /* where what is told is put off to, or NULL */
    uint32_t thread;               /* at hand */
    struct carriers_path path;     /* of it, now */
    uint64_t activations;
    struct carriers_block *blocks[CARRIERS_SIZES]; /* most recent last */
    size_t block_count[CARRIERS_SIZES], block_capacity[CARRIERS_SIZES];
    struct carriers_pair *expected[CARRIERS_SIZES];
    size_t expected_count[CARRIERS_SIZES], expected_capacity[CARRIERS_SIZES];
    const struct ft_scope_steps *program;
    struct ft_trips trips[CARRIERS_LOOPS_MAX]; /* by loop of the program */
};

/* Into an activation of a scope, out of the innermost one, and to its next iteration. */
void reference_carriers_enter(struct reference_carriers *carriers, uint32_t scope);
void reference_carriers_leave(struct reference_carriers *carriers);
void reference_carriers_iterate(struct reference_carriers *carriers);
/* An access of the program where it stands. */
void reference_carriers_see(struct reference_carriers *carriers, uint32_t reference,
                            uint64_t address);
/* Takes what one of the threads told, up to its next access. */
void reference_carriers_take(struct reference_carriers *carriers, struct carriers_thread *threads,
                             uint32_t thread);
/* Whether the pairs of a size are as expected. Says on stdout which are not. */
bool reference_carriers_has_pairs(const struct reference_carriers *carriers,
                                  const struct ft_reuse_pairs *pairs, size_t size);
void reference_carriers_fini(struct reference_carriers *carriers);

#endif
