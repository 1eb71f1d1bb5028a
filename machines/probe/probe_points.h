/*
 * What was measured of a host, as points of curves, and the file that they are kept in: HDF5 of
 * kind "probe" with one table,
 * `points`, and the detected machine. All analysis starts from points, so that it can be
 * repeated without the host. Times are CPU time of one thread per operation; `ns` and `again_ns`
 * are minima of two interleaved halves of the samples, so that their difference says how sure they
 * are.
 *
 * Owned; HDF5 must not be called by two threads at once.
 */
#ifndef FT_MACHINES_PROBE_PROBE_POINTS_H
#define FT_MACHINES_PROBE_PROBE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_CURVE_BYTES 40
#define FT_PROBE_AGREE 0.05 /* repeats that differ by more are told of */

struct ft_probe_point {
    char curve[FT_CURVE_BYTES]; /* FT_CURVE_..., or "latency fp_add" and the like */
    uint64_t size_bytes;        /* of the memory touched */
    uint64_t stride_bytes;      /* between accesses; 0: random */
    uint32_t count;             /* of what the curve is over: chains, lines, pages, threads; or 0 */
    uint32_t samples, passes;
    uint32_t calm; /* samples while nothing disturbed them; not kept in the file */
    double ns, again_ns;
};

#define FT_CURVE_CYCLE "cycle" /* one point: a dependent add */
/* Over sizes. Dependent loads of random lines, in large and in small pages; */
#define FT_CURVE_LATENCY       "latency"
#define FT_CURVE_LATENCY_SMALL "latency small"
/* loads, stores, copies of elements of 8 bytes, by stride, and loads of vectors of 32 bytes; loads
 * from random places whose addresses are known. */
#define FT_CURVE_LOAD   "load"
#define FT_CURVE_STORE  "store"
#define FT_CURVE_COPY   "copy"
#define FT_CURVE_VECTOR "vector load"
#define FT_CURVE_GATHER "gather"
/* "apex-map 0.25": of Apex-MAP with this alpha, over the length of its runs (count), in elements.
 */
#define FT_CURVE_APEX "apex-map "
/* Over pages: a line of each, in small pages; and of as many places in large pages, as far apart.
 */
#define FT_CURVE_PAGES        "pages"
#define FT_CURVE_PAGE_CONTROL "page control"
/* Over the number of chains of dependent loads side by side; per load. */
#define FT_CURVE_CHAINS "chains"
/* Dependent loads at a stride through memory; and of a line so many lines (count) behind the end of
 * a short stream of lines, some time later. */
#define FT_CURVE_FOLLOWED "followed"
#define FT_CURVE_AHEAD    "ahead"
/* The first store to each of so many pages of 4 KiB (count), with mapping them and giving them
 * back. */
#define FT_CURVE_PAGE_FAULTS "page faults"
/* Stores to so many lines (count) at a stride of 16 KiB, which are in one set of a first cache. */
#define FT_CURVE_STORE_CONFLICTS "store conflicts"
/* A store and a load of what it stored, in a chain. */
#define FT_CURVE_FORWARD "store forwarding"
/* "latency of fp_add": from operand to result; "rate of fp_add": independent ones; "rate of load +
 * store": both of them. */
#define FT_CURVE_LATENCY_OF "latency of "
#define FT_CURVE_RATE_OF    "rate of "
/* Over the number of threads, each of which loads from memory of its own: per element of 8 bytes.
 */
#define FT_CURVE_CORES "cores"
#define FT_CURVE_RUNNING                                                                           \
    "cores running" /* the least share of the time that one of them ran, as ns */

struct ft_probe {
    struct ft_probe_point *points;
    size_t count, capacity;
    char *machine; /* the detected machine as YAML: where the curves' levels are looked for */
    double disturbed, seconds; /* the share of samples that were disturbed; how long it took */
};

/* A further pass over a point that is there already improves it. False: out of memory. */
bool ft_probe_add(struct ft_probe *probe, const struct ft_probe_point *point);
void ft_probe_fini(struct ft_probe *probe);

/* The fastest pass. */
double ft_point_ns(const struct ft_probe_point *point);
/* How far apart the two fastest passes are, as a share of the fastest. */
double ft_point_spread(const struct ft_probe_point *point);

/* The points of a curve in the order of their sizes, and of counts where these are equal; stride:
 * only those with it, or UINT64_MAX. *ret_points is freed by the caller, and points into the probe.
 */
int ft_probe_curve(const struct ft_probe *probe, const char *curve, uint64_t stride_bytes,
                   const struct ft_probe_point ***ret_points, size_t *ret_count,
                   struct ft_diag *diag);
/* The point of the same curve, size, stride and count; NULL: there is none yet. */
const struct ft_probe_point *ft_probe_find(const struct ft_probe *probe,
                                           const struct ft_probe_point *point);
/* The first point of a curve, or NULL. */
const struct ft_probe_point *ft_probe_point(const struct ft_probe *probe, const char *curve);

/* Nanoseconds of a cycle; 0 where it was not measured. */
double ft_probe_cycle_ns(const struct ft_probe *probe);

int ft_probe_write(const char *path, const struct ft_probe *probe, struct ft_diag *diag);
int ft_probe_read(const char *path, struct ft_probe *ret_probe, struct ft_diag *diag);

#endif
