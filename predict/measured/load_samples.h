/*
 * Loads that perf sampled with where their data came from (perf-mem(1)), by routine: which share of
 * them missed in a level. Texts are those of perf's util/mem-events.c: "L1 hit", "LFB/MAB hit",
 * "RAM or Local RAM hit", "L2 miss"; of TLBs "L1 or L2 hit", "L2 miss", "Walker hit", "Fault hit".
 *
 * A load that finds its line under way to the first cache (LFB, MAB) is a hit there: the line was
 * asked for before, and in a cache without delays it would be there. Owned; zeros are no samples.
 */
#ifndef FT_PREDICT_MEASURED_LOAD_SAMPLES_H
#define FT_PREDICT_MEASURED_LOAD_SAMPLES_H

#include "predict/measured/measured_values.h"

enum { FT_SAMPLED_CACHES = 3, FT_SAMPLED_LEVELS = FT_SAMPLED_CACHES + 1 }; /* and the last TLB */

/* Sums over samples of which is known whether they missed there. */
struct ft_load_counts {
    char *routine;                                            /* NULL: the program */
    double all[FT_SAMPLED_LEVELS], missed[FT_SAMPLED_LEVELS]; /* weights */
    double squares[FT_SAMPLED_LEVELS];                        /* of weights */
};

struct ft_load_samples {
    struct ft_load_counts *items;
    size_t count, capacity;
    size_t last; /* where the last one was added */
};

/* So many samples of a weight each, of a routine and of the program; routine: NULL: its name is
 * unknown. tlb: NULL: unknown. */
int ft_load_samples_add(struct ft_load_samples *samples, const char *routine, const char *level,
                        const char *tlb, double count, double weight, struct ft_diag *diag);
/* Adds a miss ratio for each routine and level. */
int ft_load_samples_measure(const struct ft_load_samples *samples, const char *event,
                            struct ft_measured *measured, struct ft_diag *diag);
void ft_load_samples_fini(struct ft_load_samples *samples);

/* Fails where the event leaves out fast loads ("ldlat=30"), so that there are no shares of all. */
int ft_load_event_check(const char *event, const char *path, struct ft_diag *diag);

#endif
