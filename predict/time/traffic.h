/*
 * The lines that a scope's misses move between levels, by what they wait for: that is what they
 * cost (docs/predict.md, "Time"). Real numbers: they are forecasts. Thread safe on one model.
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_TIME_TRAFFIC_H
#define FT_PREDICT_TIME_TRAFFIC_H

#include "predict/metrics/metrics.h"

enum ft_traffic_kind {
    FT_TRAFFIC_STREAM,       /* loads at a stride that prefetchers follow */
    FT_TRAFFIC_STORE_STREAM, /* stores likewise */
    FT_TRAFFIC_SCATTERED,    /* other loads, many of which may be under way */
    FT_TRAFFIC_STORE,        /* other stores */
    FT_TRAFFIC_CHAIN,        /* each load gives the address of the next */
    FT_TRAFFIC_KINDS
};
extern const char *const ft_traffic_kind_names[FT_TRAFFIC_KINDS];

/* Set-associative misses in a level, by kind; their sum is the row's number. */
struct ft_traffic {
    double misses[FT_TRAFFIC_KINDS];
    double first_touches[FT_TRAFFIC_KINDS]; /* of these: of blocks */
};

/* Of all kinds. */
double ft_traffic_misses(const struct ft_traffic *traffic);

/* Exclusive misses of all scopes: ret_traffic[scope * level_count + level], all zero before. rows:
 * the exclusive metrics (metrics.h), with which it agrees. */
int ft_traffic_of(const struct ft_metrics *metrics, const double *rows,
                  struct ft_traffic *ret_traffic, struct ft_diag *diag);

/* A page fault leaves the page in the caches, which the kernel has just cleared. So first touches
 * that are no streams hit in the first cache that has room for all pages of a scope's page faults,
 * as far as these pages have lines. traffic: [level], of the scope. */
void ft_traffic_find_cleared(const struct ft_machine *machine, double page_faults,
                             struct ft_traffic *traffic);

#endif
