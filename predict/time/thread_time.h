/*
 * The time of a program of several threads, each on a core (docs/predict.md, "Threads"): threads
 * meet behind each scope, so a scope takes what its busiest thread takes; and no less than memory
 * takes to deliver the lines of all of them. Pure.
 */
#ifndef FT_PREDICT_TIME_THREAD_TIME_H
#define FT_PREDICT_TIME_THREAD_TIME_H

#include "formats/model/thread_lookup.h"
#include "predict/time/memory_time.h"

/* How many run at a point, and how they divide the work of each scope. */
struct ft_thread_work {
    double count;                   /* 1: what follows is not looked at */
    struct ft_thread_split *splits; /* [scope] */
};

/* As many threads as make a scope's work at a time: 1 / the busiest one's part; 1 without work. */
double ft_threads_together(const struct ft_thread_work *work, size_t scope);

/* Cycles of all threads together, which wait for lines from memory for `waited` of theirs, that its
 * bandwidth adds to these: until all lines of a scope, as its traffic has them, have come at the
 * speed of all cores together. */
double ft_bandwidth_cycles(const struct ft_machine *machine, const struct ft_traffic *traffic,
                           double together, double waited);
/* The same where the machine does not say how fast that is: at most that of one core, so that they
 * wait for each other's lines. */
double ft_bandwidth_cycles_upper(const struct ft_machine *machine, const struct ft_traffic *traffic,
                                 double together, double waited);

#endif
