/*
 * The replay of one trace: the histograms of its references at each block size, and all else that
 * fit needs: scopes, execution counts, parameters. Everything is owned.
 */
#ifndef FT_FORMATS_HISTOGRAMS_ENTRY_H
#define FT_FORMATS_HISTOGRAMS_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/histograms/data_histograms.h"
#include "formats/histograms/histogram.h"
#include "formats/histograms/histogram_stacks.h"
#include "formats/histograms/reuse_pairs.h"
#include "formats/histograms/seen_steps.h"
#include "formats/histograms/set_distances.h"
#include "formats/scopes/scopes.h"
#include "formats/skeleton/skeleton.h"
#include "formats/trace/metadata.h"

/* What all references in a scope and below it add up to. */
struct ft_scope_total {
    uint64_t accesses; /* the same at each size */
    uint64_t touches, cold;
};

/* The replay of one trace. */
struct ft_histograms {
    char *trace_hash;            /* content hash of the trace */
    struct ft_metadata metadata; /* owned; a file keeps neither host nor date: NULL */
    struct ft_scopes scopes;
    uint64_t *block_bytes; /* the block sizes replayed, ascending powers of two */
    size_t size_count;
    size_t reference_count;          /* = scopes.reference_count, once the scopes are there */
    uint64_t *reference_accesses;    /* per reference */
    int64_t *reference_strides;      /* per reference: the run stride if it was always the same,
                                        FT_STRIDE_NONE without runs, FT_STRIDE_MIXED */
    int64_t *seen_strides;           /* per reference: the stride by which most accesses followed
                                        each other, in runs or one by one (seen_steps.h); NULL: not
                                        known */
    uint64_t *reference_bases;       /* per reference: the lowest address in runs; without runs,
                                        where a stride was seen, of all accesses; FT_ADDRESS_NONE
                                        else; NULL: not known */
    uint64_t *distinct_blocks;       /* per size: blocks touched (the footprint) */
    struct ft_histogram *histograms; /* [reference * size_count + size] */
    /* To check the histograms by (formats/histograms/conservation.h); NULL in files of version 1.
     */
    uint64_t *touches;                   /* per size, from addresses: apart from histograms */
    struct ft_scope_total *scope_totals; /* [scope * size_count + size] */
    struct ft_histogram_stack *stacks;   /* where there are several */
    size_t stack_count;
    struct ft_reuse_pairs *pairs; /* per size, of the trace's own histograms; NULL: not asked for */
    struct ft_data_histograms *data;        /* of the trace's own histograms; NULL: not asked for */
    struct ft_skeleton *skeleton;           /* of one thread, with places; NULL: none */
    struct ft_set_distances *set_distances; /* of the trace's own histograms; NULL: not sampled */
};
/* How a reference moves, and from where on. */
struct ft_reference_motion {
    int64_t stride; /* of its runs, as ft_stride_add makes it */
    uint64_t base;  /* the lowest address in runs, FT_ADDRESS_NONE without runs */
    struct ft_seen_steps seen;
};
/* That of a reference without accesses. */
static inline struct ft_reference_motion ft_reference_motion_none(void)
{
    return (struct ft_reference_motion){.stride = FT_STRIDE_NONE, .base = FT_ADDRESS_NONE};
}
/* Adds the runs of another motion; the steps that were seen are added apart. */
static inline void ft_reference_runs_add(struct ft_reference_motion *motion, int64_t stride,
                                         uint64_t base)
{
    if (stride == FT_STRIDE_NONE)
        return;
    ft_stride_add(&motion->stride, stride);
    if (base < motion->base)
        motion->base = base;
}

/* Adds a stack to the trace's own histograms, sizes and totals. */
int ft_histograms_add_stack(struct ft_histograms *histograms,
                            const struct ft_histogram_stack *stack, struct ft_diag *diag);

/* Makes an empty *histograms one of these sizes and so many references, with nothing touched; to be
 * given to ft_histograms_fini, after a failure too. */
int ft_histograms_init(struct ft_histograms *histograms, const uint64_t *block_bytes,
                       size_t size_count, size_t reference_count, struct ft_diag *diag);
void ft_histograms_fini(struct ft_histograms *histograms);

/* The size that is shown where one stands for all: 64 bytes as lines have, or the next one. */
size_t ft_histograms_shown_size(const struct ft_histograms *histograms);

/* The index of a block size; the number of sizes: the trace was not replayed with it. */
size_t ft_histograms_block_size(const struct ft_histograms *histograms, uint64_t block_bytes);

/* Of all references in a scope and the scopes in it, at block_bytes[size]. *ret_sum's bins are to
 * be freed, after a failure too. */
int ft_histograms_of_scope(const struct ft_histograms *histograms, size_t size, uint32_t scope,
                           struct ft_histogram *ret_sum, struct ft_diag *diag);

/* Touches that miss in a fully associative LRU cache of so many blocks; exact where that is the
 * boundary of a bin, as powers of two are. Of a histogram, and of the whole program at
 * block_bytes[size]. */
uint64_t ft_histogram_misses(const struct ft_histogram *histogram, uint64_t capacity_blocks);
uint64_t ft_histograms_misses(const struct ft_histograms *histograms, size_t size,
                              uint64_t capacity_blocks);

#endif
