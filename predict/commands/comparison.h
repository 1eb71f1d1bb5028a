/*
 * Forecasts of one program at several sizes or on several machines, compared (docs/predict.md,
 * "Several machines and sizes"): a sweep over the sizes, machines ranked by time, where their times
 * go, and what machines with edits gain over those without. As text the answers of the last size;
 * as CSV and JSON (docs/json.md, "predict") a row for each forecast.
 *
 * The reports, names and work are the caller's.
 */
#ifndef FT_PREDICT_COMMANDS_COMPARISON_H
#define FT_PREDICT_COMMANDS_COMPARISON_H

#include "formats/cli/json.h"
#include "predict/commands/report.h"
#include "predict/commands/shown_metric.h"
#include "predict/compared_value.h"
#include "predict/ranking.h"

struct ft_comparison {
    const struct ft_report *reports; /* [point * machine_count + machine] */
    size_t point_count, machine_count;
    const size_t *bases; /* [machine]: the same machine without edits; without these itself */
    const struct ft_shown_metric *shown; /* in a sweep */
    size_t shown_count;
    bool without_note;  /* text leaves out that --each shows more */
    const char *per;    /* what text shows values per unit of; NULL: in total */
    const double *work; /* [point]: how many units that are; 1 without */
};

int ft_comparison_text(const struct ft_comparison *comparison, FILE *stream, struct ft_diag *diag);
int ft_comparison_csv(const struct ft_comparison *comparison, FILE *stream, struct ft_diag *diag);
int ft_comparison_json(const struct ft_comparison *comparison, FILE *stream, struct ft_diag *diag);

/* ---- what these share (comparison.c) ---- */

const struct ft_prediction *ft_compared_prediction(const struct ft_comparison *comparison,
                                                   size_t point, size_t machine);

/* {"N": 100}: a value for each of the model's parameters. */
json_t *ft_compared_point_json(const struct ft_prediction *prediction);

/* Seconds of each component of the program's time (time_components.h); NULL where there is no
 * estimate, or no memory. The caller frees them. */
double *ft_compared_components(const struct ft_prediction *prediction);

/* Names of levels, or of components of times, of all machines, each once; views. */
struct ft_compared_names {
    const char **items; /* owned */
    size_t count, capacity;
};
/* False: out of memory. */
bool ft_compared_names_add(struct ft_compared_names *names, const char *name);

/* How a machine stands among the others at a point. */
struct ft_standing {
    size_t rank;        /* from 1 on */
    size_t before;      /* the machine ranked in front of it; itself for the first */
    double inversion;   /* the chance that it is faster than that one; NAN: unknown or none */
    double gain;        /* the share of its base's time that it saves; NAN: no edits, or unknown */
    double no_gain;     /* the chance that it is not on the side of its base that `gain` says */
    double added_bytes; /* of caches beyond its base's: what the gain costs; NAN: no edits */
};
/* ret_standings: [machine]. */
int ft_standings_find(const struct ft_comparison *comparison, size_t point,
                      struct ft_standing *ret_standings, struct ft_diag *diag);

#endif
