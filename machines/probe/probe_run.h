/*
 * Measures this host: every curve of probe_points.h, pass by pass, as many as fit into a time.
 * Other work on the host disturbs single samples, not minima, unless there is too much of it: then
 * halves of points differ, and the meter has seen many disturbed samples.
 *
 * Runs on the calling thread, and for bandwidth on one more for each processor. FT_ERROR_MEMORY:
 * not enough to measure on.
 */
#ifndef FT_MACHINES_PROBE_PROBE_RUN_H
#define FT_MACHINES_PROBE_PROBE_RUN_H

#include "formats/base/progress.h"
#include "machines/probe/meter.h"

struct ft_probe_plan {
    uint64_t memory_bytes; /* the largest size of latencies; far beyond the last cache */
    uint64_t line_bytes;
    uint64_t cache_bytes[8]; /* of the detected caches, from the nearest */
    uint32_t cache_count;
    double seconds;              /* to take at most, if the host is not too busy for one pass */
    uint64_t size_min, size_max; /* bandwidth: sizes, bytes */
    uint32_t size_count;
    uint32_t strides[16]; /* bandwidth: in elements of 8 bytes */
    uint32_t stride_count;
    bool brief; /* few points and short windows, for tests: no result is worth much */
    struct ft_progress *progress;
};

struct ft_probing {
    const struct ft_probe_plan *plan;
    struct ft_meter meter;
    struct ft_probe *probe;
    uint32_t pass;
    uint64_t measured; /* points of this pass that were not settled */
};

int ft_probe_run(const struct ft_probe_plan *plan, struct ft_probe *ret_probe,
                 struct ft_diag *diag);

/* The parts of it, each in its file; they add points. */
int ft_probe_latency(struct ft_probing *probing, struct ft_diag *diag);
int ft_probe_bandwidth(struct ft_probing *probing, struct ft_diag *diag);
int ft_probe_apex(struct ft_probing *probing, struct ft_diag *diag);
int ft_probe_operations(struct ft_probing *probing, struct ft_diag *diag);
int ft_probe_pages(struct ft_probing *probing, struct ft_diag *diag);
/* Maps and stores to so many pages, a multiple of FT_PROBE_PAGES, and gives them back. */
#define FT_PROBE_PAGES 4096
void ft_probe_touch_pages(void *context, uint64_t count);
int ft_probe_page_faults(struct ft_probing *probing, struct ft_diag *diag);
int ft_probe_store_conflicts(struct ft_probing *probing, struct ft_diag *diag);
int ft_probe_parallelism(struct ft_probing *probing, struct ft_diag *diag);
int ft_probe_cores(struct ft_probing *probing, struct ft_diag *diag);

/* Whether passes agree on a point, so that it need not be measured again, or the time is over. */
bool ft_probing_is_settled(const struct ft_probing *probing, const struct ft_probe_point *point);
/* Measures a point and adds it. */
int ft_probing_measure(struct ft_probing *probing, ft_work *work, void *context, uint64_t unit,
                       struct ft_probe_point point, struct ft_diag *diag);

#endif
