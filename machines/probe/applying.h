/*
 * Shared by the files that read results off points (probe_results.h). Private to machines/probe/.
 */
#ifndef FT_MACHINES_PROBE_APPLYING_H
#define FT_MACHINES_PROBE_APPLYING_H

#include "machines/probe/probe_notes.h"
#include "machines/probe/probe_points.h"
#include "machines/yaml_machine.h"

#define FT_CURVE_POINTS_MAX 1024

/* A curve as arrays; y in cycles. */
struct ft_cycle_curve {
    double x[FT_CURVE_POINTS_MAX], y[FT_CURVE_POINTS_MAX], spread[FT_CURVE_POINTS_MAX];
    size_t count;
};

struct ft_applying {
    const struct ft_probe *probe;
    struct ft_yaml_machine *yaml;
    struct ft_probe_notes *notes;
    double cycle_ns;
    const char *part;    /* of the machine, that values are set of: "L2" */
    char unsteady[1024]; /* values on which repeats do not agree, as a list */
};

/* x: sizes, or counts where by_count. */
int ft_applying_curve(const struct ft_applying *applying, const char *name, uint64_t stride_bytes,
                      bool by_count, struct ft_cycle_curve *ret_curve, struct ft_diag *diag);
/* y at x, and the spread of the nearest point. */
double ft_cycle_curve_at(const struct ft_cycle_curve *curve, double x, double *ret_spread);

/* Cycles of the first point of a curve; 0: it was not measured. */
double ft_applying_cycles(const struct ft_applying *applying, const char *curve,
                          double *ret_spread);

/* Sets a value that was measured; how: "a chain of dependent adds". Out of the key's range it is
 * noted, not set. */
int ft_applying_set(struct ft_applying *applying, struct ft_yaml_numbers *numbers,
                    struct ft_yaml_sources *sources, enum ft_machine_number key, double value,
                    double spread, const char *how, struct ft_diag *diag);

/* The parts, each in its file. */
int ft_apply_latencies(struct ft_applying *applying, struct ft_diag *diag);
int ft_apply_pages(struct ft_applying *applying, struct ft_diag *diag);
int ft_apply_speeds(struct ft_applying *applying, struct ft_diag *diag);
int ft_apply_operations(struct ft_applying *applying, struct ft_diag *diag);

#endif
