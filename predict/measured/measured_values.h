/*
 * Values that other tools measured, by routine. The caller frees them.
 */
#ifndef FT_PREDICT_MEASURED_MEASURED_VALUES_H
#define FT_PREDICT_MEASURED_MEASURED_VALUES_H

#include <stddef.h>

#include "formats/base/status.h"
#include "predict/measured/events.h"

struct ft_measured_row {
    char *routine;  /* NULL: the whole program */
    char *event;    /* as the file calls it; of a sum "A + B" */
    double value;   /* in seconds, cycles, instructions, misses, misses per load */
    double samples; /* that a miss ratio is from; else NAN */
    struct ft_measured_event what;
};

struct ft_measured {
    struct ft_measured_row *rows;
    size_t count, capacity;
    size_t file_begin; /* the first row of the file that is read */
    char **unknown;    /* names of events that are none of those known, each once */
    size_t unknown_count, unknown_capacity;
};

/* Adds to a row of the same file for the same, or makes one; the value is one of the event's units.
 * event: NULL: unknown, of which the name is kept. */
int ft_measured_add(struct ft_measured *measured, const char *routine, const char *name,
                    const struct ft_measured_event *event, double value, struct ft_diag *diag);

/* A miss ratio, of so many samples. */
struct ft_measured_ratio {
    double ratio, samples;
};
/* Makes a row of its own. */
int ft_measured_add_ratio(struct ft_measured *measured, const char *routine, const char *name,
                          const struct ft_measured_event *event,
                          const struct ft_measured_ratio *ratio, struct ft_diag *diag);

void ft_measured_fini(struct ft_measured *measured);

#endif
