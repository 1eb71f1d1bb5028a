/*
 * Trip counts: how often each loop of the machine code was entered and how many iterations it made
 * each time, exactly, from the instructions that threads fetch.
 *
 * An iteration is an execution of the loop's header, so iterations over all entries add up to the
 * executions of the header. An entry without iterations enters an irreducible loop past its header.
 * Entries still open when a thread ends are counted as they are. Each activation of a recursive
 * routine enters its loops again. One counter for all threads, fed one thread after the other.
 */
#ifndef FT_ENGINE_PROGRAM_TRIP_COUNTS_H
#define FT_ENGINE_PROGRAM_TRIP_COUNTS_H

#include "engine/program/scope_steps.h"
#include "formats/expand/runs.h"

/* Entries of 0 iterations, of 1, of 2 and 3, of 4 to 7, ... */
#define FT_TRIP_BINS 65

struct ft_trips {
    uint64_t entries, iterations;
    uint64_t min, max; /* iterations of an entry; 0 without entries */
    uint64_t bins[FT_TRIP_BINS];
};

static inline unsigned ft_trip_bin(uint64_t iterations)
{
    return iterations ? 64U - (unsigned)__builtin_clzll(iterations) : 0;
}
/* The fewest and the most iterations of a bin. */
static inline uint64_t ft_trip_bin_min(unsigned bin)
{
    return bin ? UINT64_C(1) << (bin - 1) : 0;
}
static inline uint64_t ft_trip_bin_max(unsigned bin)
{
    return bin ? ft_trip_bin_min(bin) + (ft_trip_bin_min(bin) - 1) : 0;
}
void ft_trips_add(struct ft_trips *sum, const struct ft_trips *trips);

struct ft_trip_counter;
int ft_trip_counter_create(const struct ft_scope_steps *steps, struct ft_trip_counter **ret_counter,
                           struct ft_diag *diag);
void ft_trip_counter_destroy(struct ft_trip_counter *counter);

/* A batch of the current thread, with its fetches; accesses are ignored. */
int ft_trip_counter_take(struct ft_trip_counter *counter, const struct ft_run_batch *batch,
                         struct ft_diag *diag);
/* The thread ends, another begins. */
int ft_trip_counter_end_thread(struct ft_trip_counter *counter, struct ft_diag *diag);

/* By loop of the steps, and by step; owned by the counter. */
const struct ft_trips *ft_trip_counter_loops(const struct ft_trip_counter *counter);
const uint64_t *ft_trip_counter_executions(const struct ft_trip_counter *counter);

#endif
