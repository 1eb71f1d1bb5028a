/*
 * Counts how often translations run and follow each other, instead of logging (`--counts`): the
 * graph of translations, discovered while they run, with counters on the edges that close a cycle
 * (formats/x86/edge_counters.h). Node 0 is the outside: a thread comes from there when it starts
 * and after a signal, and goes there when it ends or is interrupted. These edges always have
 * counters, which the host increments, so that flow is conserved at each node.
 *
 * Each thread has its own counters, after its region. One per process; for the tracing thread.
 */
#ifndef FT_TRACE_CAPTURE_COUNTS_EDGE_COUNTS_H
#define FT_TRACE_CAPTURE_COUNTS_EDGE_COUNTS_H

#include "formats/base/hash_table.h"
#include "formats/x86/edge_counters.h"
#include "formats/x86/unit.h"
#include "trace-capture/target/context.h"

struct ft_link;

#define FT_COUNTERS_MAX   (UINT32_C(1) << 21)
#define FT_COUNTERS_BYTES (8 * (size_t)FT_COUNTERS_MAX)
#define FT_OUTSIDE        0U
#define FT_NO_COUNTER     0U

/* How a node was left: after all instructions of its unit, or by a branch after this many (1 to
 * FT_UNIT_INSTRUCTIONS_MAX), or by a stop after this many, in a loop's first iteration or, with
 * FT_LEFT_ITERATED, in a later one. */
enum {
    FT_LEFT_WHOLE = 0,
    FT_LEFT_ITERATED = 0x40,
    FT_LEFT_PAUSED = 0x7f, /* to the outside and back while counters are moved: not an execution */
    FT_LEFT_STOPPED = 0x80
};
static inline bool ft_left_is_stop(unsigned left)
{
    return (left & FT_LEFT_STOPPED) != 0;
}
/* How many instructions of the last iteration ran before a stop. */
static inline unsigned ft_left_instructions(unsigned left)
{
    return left & (FT_LEFT_ITERATED - 1U);
}

struct ft_counts_edge {
    uint32_t from, to;
    uint8_t left;              /* as above */
    bool is_fixed;             /* control falls through it: no code could count there */
    bool is_target_counted;    /* its indirect target counts */
    uint32_t counter;          /* FT_NO_COUNTER: none now */
    uint32_t reserved_counter; /* that it has, or will get again */
    uint64_t count_before;     /* executions before counters were last moved */
    uint64_t indirect_target, counted_at,
        indirect_target_end; /* of indirect edges: its indirect target, from which address on it has
                                counted, and its end */
};

struct ft_counts_node {
    uint32_t unit;        /* its id; 0: an instruction that raises a signal */
    uint32_t iterations;  /* of loops: the counter of their iterations, */
    int64_t stride;       /* which changes by this much in each, */
    uint8_t induction;    /* with this register; FT_NO_REGISTER: the loop's code counts */
    uint8_t induction_at; /* the only instruction that changes the register */
};

struct ft_edge_counts {
    struct ft_joined_nodes joined;
    struct ft_counts_node *nodes;
    size_t node_count, node_capacity;
    struct ft_counts_edge *edges;
    size_t edge_count, edge_capacity;
    struct ft_hash_table edge_numbers; /* by from, left and to */
    uint32_t counter_count;
    uint64_t *sums; /* by counter: of threads that have ended; sum_count */
    size_t sum_count, sum_capacity;
    bool failed;
    double moved_seconds;      /* the program's CPU time when counters were last moved */
    struct ft_link *stop_link; /* its stub has a stop, so that they can be moved, or NULL; */
    uint8_t stop_link_byte;    /* and the byte under that stop */
    size_t lost_threads;       /* their counts are lost, as it is unknown where they ended */
};

int ft_edge_counts_create(struct ft_edge_counts **ret_counts, struct ft_diag *diag);
void ft_edge_counts_destroy(struct ft_edge_counts *counts);

/* A node for a translation that is about to be emitted. */
int ft_edge_counts_add_node(struct ft_edge_counts *counts, const struct ft_unit *unit,
                            uint32_t *ret_node, struct ft_diag *diag);
/* The number of an edge, which is added if it is new. */
int ft_edge_counts_edge(struct ft_edge_counts *counts, uint32_t from, unsigned left, uint32_t to,
                        uint32_t *ret_edge, struct ft_diag *diag);

/* A new counter. */
int ft_edge_counts_add_counter(struct ft_edge_counts *counts, uint32_t *ret_counter,
                               struct ft_diag *diag);

/* The offset of a counter from GS. */
static inline uint32_t ft_counter_offset(uint32_t counter)
{
    return FT_REGION_BYTES + 8 * counter;
}
/* What threads have counted that have ended or paused. */
static inline uint64_t ft_edge_counts_sum(const struct ft_edge_counts *counts, uint32_t counter)
{
    return counter && counter < counts->sum_count ? counts->sums[counter] : 0;
}
/* What an indirect jump adds to its target, so that its indirect targets recognise it. */
static inline uint64_t ft_counts_key(uint32_t node)
{
    return node * UINT64_C(0x9e3779b97f4a7c15);
}

/* Adds the counters of a thread that has ended to the sums, and clears them. Sets `failed` when out
 * of memory. */
void ft_edge_counts_collect(struct ft_edge_counts *counts, uint64_t *counters);
/* Clears those of a thread that ended at an unknown point. */
void ft_edge_counts_discard(struct ft_edge_counts *counts, uint64_t *counters);

/* Solves for the counts of all edges since the last time, and adds them to count_before. All
 * threads have ended or paused, and their counters are collected. */
int ft_edge_counts_solve(struct ft_edge_counts *counts, struct ft_diag *diag);

#endif
