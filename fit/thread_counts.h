/*
 * The number of threads that ran in a trace as a parameter of a model, FT_THREADS, which needs no
 * -D.
 */
#ifndef FT_FIT_THREAD_COUNTS_H
#define FT_FIT_THREAD_COUNTS_H

#include "formats/histograms/histograms.h"

#define FT_THREADS "threads"

/* Adds it to the parameters of all entries if it is asked for ("N,threads"; NULL: nothing is), or
 * if two entries with the same recorded parameters differ in it. Entries that recorded a parameter
 * of this name stay as they are. */
int ft_thread_counts_offer(struct ft_histograms *entries, size_t count, const char *asked,
                           struct ft_diag *diag);

#endif
