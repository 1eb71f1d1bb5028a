/*
 * What `foretrace bandwidth` reports: trained functions and their errors, which hit rates the
 * points cover and which of them programs have, as text, JSON, CSV and as a picture.
 */
#ifndef FT_ENGINE_COMMANDS_BANDWIDTH_BANDWIDTH_REPORT_H
#define FT_ENGINE_COMMANDS_BANDWIDTH_BANDWIDTH_REPORT_H

#include <stdio.h>

#include "engine/simulate/hit-rates/hit_rate_bins.h"
#include "machines/bandwidth/bandwidth_model.h"

struct ft_covered_program {
    const char *path; /* of its trace; a view */
    char *name;       /* owned */
    struct ft_hit_rate_coverage coverage;
};

struct ft_bandwidth_report {
    const struct ft_machine *machine;
    const char *path; /* of the model; NULL: it was not kept */
    struct ft_bandwidth_model model;
    double error_min; /* the mean error that no function of hit rates is below */
    struct ft_hit_rate_coverage coverage; /* of the points */
    struct ft_covered_program *programs;
    size_t program_count;
};

/* The next larger stride of the points; UINT64_MAX: there is none. */
uint64_t ft_bandwidth_next_stride(const struct ft_bandwidth_points *points, uint64_t stride_bytes);

int ft_bandwidth_text(const struct ft_bandwidth_report *report, FILE *stream, struct ft_diag *diag);
int ft_bandwidth_json(const struct ft_bandwidth_report *report, FILE *stream, struct ft_diag *diag);
/* The points. */
int ft_bandwidth_csv(const struct ft_bandwidth_report *report, FILE *stream, struct ft_diag *diag);
/* Measured and modelled bandwidths over sizes, a curve each stride (Tikir et al., Fig. 3 and 7). */
void ft_bandwidth_svg(const struct ft_bandwidth_report *report, FILE *stream);

#endif
