/*
 * What the counters of other tools count (docs/predict.md, "Measured beside"): events of perf,
 * presets of PAPI, events of LIKWID and columns of tables, by their documented names. Pure.
 */
#ifndef FT_PREDICT_MEASURED_EVENTS_H
#define FT_PREDICT_MEASURED_EVENTS_H

#include <stdbool.h>

#include "machines/machine.h"

enum ft_measured_kind {
    FT_MEASURED_TIME,
    FT_MEASURED_CYCLES, /* of the core's clock */
    FT_MEASURED_INSTRUCTIONS,
    FT_MEASURED_MISSES,
    FT_MEASURED_MISS_RATIO, /* of sampled loads: misses per load */
    FT_MEASURED_ACCESSES,   /* of no tool: what miss ratios are per */
};

/* Of two that count loads and stores of one level the sum is what the level misses. */
enum ft_measured_part { FT_MEASURED_ALL, FT_MEASURED_LOADS, FT_MEASURED_STORES };

/* Where misses are: the n-th cache, counted from 0, or one of these. */
enum { FT_MEASURED_LAST_CACHE = 100, FT_MEASURED_LAST_TLB, FT_MEASURED_NAMED };

struct ft_measured_event {
    enum ft_measured_kind kind;
    enum ft_measured_part part;
    unsigned place; /* of misses and miss ratios */
    char level[32]; /* of FT_MEASURED_NAMED: the machine's own name for it */
    double unit;    /* what one count is: seconds of times, else 1 */
};

/* By an event's name: without case, without what modifies it ("cycles:u", "cpu_core/cycles/").
 * False: unknown. */
bool ft_measured_event_find(const char *name, struct ft_measured_event *ret_event);
/* The same, or the name of a level of a machine: "L2", "L2 misses", "L2_misses". */
bool ft_measured_column_find(const char *name, struct ft_measured_event *ret_event);

/* The level of the machine whose misses it counts; its count of levels where it has none such. */
size_t ft_measured_level(const struct ft_measured_event *event, const struct ft_machine *machine);

#endif
