/*
 * How long the loops of a program are: for each loop of the machine code how often it was entered,
 * and how many turns it made each time, exactly, from the instructions that threads fetch.
 *
 * A turn is an execution of the loop's header, so the turns of all entries are the executions of
 * the header. An entry without any is one into the middle of an irreducible loop. Entries that the
 * end of a thread finds open count as they stand. A loop in a recursive routine is entered anew by
 * each activation. One counter for all threads, fed with one after the other.
 */
#ifndef FT_ENGINE_PROGRAM_TRIP_COUNTS_H
#define FT_ENGINE_PROGRAM_TRIP_COUNTS_H

#include "engine/program/scope_steps.h"
#include "formats/expand/runs.h"

/* Entries of no turn, of 1, of 2 and 3, of 4 to 7, ... */
#define FT_TRIP_BINS 65

struct ft_trips {
    uint64_t entries, turns;
    uint64_t least, most; /* turns of an entry; 0 without entries */
    uint64_t bins[FT_TRIP_BINS];
};

static inline unsigned ft_trip_bin(uint64_t turns)
{
    return turns ? 64U - (unsigned)__builtin_clzll(turns) : 0;
}
/* The fewest and the most turns of a bin. */
static inline uint64_t ft_trip_bin_least(unsigned bin)
{
    return bin ? UINT64_C(1) << (bin - 1) : 0;
}
static inline uint64_t ft_trip_bin_most(unsigned bin)
{
    return bin ? ft_trip_bin_least(bin) + (ft_trip_bin_least(bin) - 1) : 0;
}
void ft_trips_add(struct ft_trips *sum, const struct ft_trips *trips);

struct ft_trip_counter;
int ft_trip_counter_create(const struct ft_scope_steps *steps, struct ft_trip_counter **ret_counter,
                           struct ft_diag *diag);
void ft_trip_counter_destroy(struct ft_trip_counter *counter);

/* A batch of the thread at hand, with its fetches; accesses among them mean nothing here. */
int ft_trip_counter_take(struct ft_trip_counter *counter, const struct ft_run_batch *batch,
                         struct ft_diag *diag);
/* The thread ends, another begins. */
int ft_trip_counter_end_thread(struct ft_trip_counter *counter, struct ft_diag *diag);

/* By loop of the steps, and by step; the counter's. */
const struct ft_trips *ft_trip_counter_loops(const struct ft_trip_counter *counter);
const uint64_t *ft_trip_counter_executions(const struct ft_trip_counter *counter);

#endif
