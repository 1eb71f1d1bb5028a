/*
 * Reuse-distance histograms per reference and block size, with all that fit needs beside them
 * (docs/replay.md has the definitions).
 *
 * Distance: distinct OTHER blocks touched since the last touch of this block; an immediate repeat
 * has distance 0; a first touch is cold and stands apart. Bins are log-linear: exact below 64, then
 * 16 an octave; each keeps its count and the sum of its distances, so that means stay exact.
 *
 * A histogram file (HDF5) holds one entry for each trace that was replayed; it carries the scope
 * tree, execution counts and parameters, so the trace is not needed again.
 */
#ifndef FT_FORMATS_HISTOGRAMS_HISTOGRAMS_H
#define FT_FORMATS_HISTOGRAMS_HISTOGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/scopes/scopes.h"
#include "formats/trace/trace.h"

/* The newest format version that is read. What is written says the oldest that knows it. */
#define FT_HISTOGRAMS_VERSION        5
#define FT_HISTOGRAMS_VERSION_TOTAL  2   /* totals and stacks */
#define FT_HISTOGRAMS_VERSION_PAIRS  3   /* or stacks of fetches */
#define FT_HISTOGRAMS_VERSION_CALLS  4   /* inlined calls, data, or pairs between threads */
#define FT_HISTOGRAMS_VERSION_GROUPS 5   /* how groups move, and where */
#define FT_BIN_EXACT                 64U /* distances below have a bin each */
#define FT_BINS_PER_OCTAVE           16U
#define FT_BIN_COUNT                 (FT_BIN_EXACT + FT_BINS_PER_OCTAVE * (64U - 6U))

/* The bin of a distance, and the lowest and highest distance of a bin (in blocks). */
static inline uint32_t ft_bin_of(uint64_t distance_blocks)
{
    if (distance_blocks < FT_BIN_EXACT)
        return (uint32_t)distance_blocks;
    unsigned octave = 63U - (unsigned)__builtin_clzll(distance_blocks);
    return FT_BIN_EXACT + FT_BINS_PER_OCTAVE * (octave - 6U) +
           (uint32_t)((distance_blocks >> (octave - 4U)) & (FT_BINS_PER_OCTAVE - 1U));
}
static inline uint64_t ft_bin_low(uint32_t bin)
{
    if (bin < FT_BIN_EXACT)
        return bin;
    unsigned octave = 6U + (bin - FT_BIN_EXACT) / FT_BINS_PER_OCTAVE;
    uint64_t step = (bin - FT_BIN_EXACT) % FT_BINS_PER_OCTAVE;
    return (FT_BINS_PER_OCTAVE + step) << (octave - 4U);
}
static inline uint64_t ft_bin_high(uint32_t bin)
{
    return bin + 1 < FT_BIN_COUNT ? ft_bin_low(bin + 1) - 1 : UINT64_MAX;
}

struct ft_bin {
    uint32_t bin;
    uint64_t count;        /* touches */
    uint64_t distance_sum; /* of their distances, blocks */
};

struct ft_histogram {
    uint64_t touches; /* cold + sum of counts */
    uint64_t cold;
    struct ft_bin *bins; /* sorted by bin, only those with count > 0 */
    size_t bin_count;
};

/* Frees the bins too; NULL is allowed. */
void ft_histogram_array_free(struct ft_histogram *histograms, size_t count);
/* Adds the touches of one histogram to another. */
int ft_histogram_add(struct ft_histogram *sum, const struct ft_histogram *histogram,
                     struct ft_diag *diag);

/* Whether both have the same touches, bin by bin. */
bool ft_histogram_is_same(const struct ft_histogram *a, const struct ft_histogram *b);

/* Where a trace has several LRU stacks: the results of one of them, for the references that it saw.
 * Kinds are below. */
#define FT_STACK_PRIVATE "private" /* the accesses of one thread */
#define FT_STACK_SHARED  "shared"  /* the accesses of threads that share a cache */
#define FT_STACK_FETCHES "fetches" /* the instruction fetches of one thread */
#define FT_STACK_UNIFIED "unified" /* accesses and fetches of one thread in their order */
/* The same of threads that share a cache. */
#define FT_STACK_SHARED_FETCHES "shared fetches"
#define FT_STACK_SHARED_UNIFIED "shared unified"
struct ft_histogram_stack {
    char *kind;
    char *threads;             /* "3", "0-3,8" */
    bool in_sum;               /* the trace's own histograms are the sum over such stacks */
    uint64_t *distinct_blocks; /* per size */
    uint64_t *touches;         /* likewise */
    uint32_t *references;      /* ascending; of the trace */
    uint64_t *reference_accesses;
    struct ft_histogram *histograms; /* [i * size_count + size], of references[i] */
    size_t reference_count;
};
void ft_histogram_stack_fini(struct ft_histogram_stack *stack, size_t size_count);

/* Who touched a block, who had touched it last, and what carries the reuse from one to the other
 * (formats/histograms/reuse_pairs.h). */
struct ft_reuse_pair {
    uint32_t sink, source; /* references; source FT_NO_SOURCE: cold touches */
    uint32_t scope;        /* FT_OTHER_THREAD: which made the touch of the source; FT_NO_SCOPE: of
                              cold touches, or not known */
    bool is_carried;       /* from one iteration of it to another; else inside one */
};
#define FT_NO_SOURCE    UINT32_MAX
#define FT_NO_SCOPE     UINT32_MAX
#define FT_OTHER_THREAD (UINT32_MAX - 1)
struct ft_reuse_pairs {
    struct ft_reuse_pair *pairs;     /* sorted */
    struct ft_histogram *histograms; /* of each */
    size_t count;
};

/* What all references in a scope and below it add up to. */
struct ft_scope_total {
    uint64_t accesses; /* the same at each size */
    uint64_t touches, cold;
};

struct ft_data_histograms; /* formats/histograms/data_histograms.h */

/* What one trace gave. */
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
    uint64_t *distinct_blocks;       /* per size: blocks touched (the footprint) */
    struct ft_histogram *histograms; /* [reference * size_count + size] */
    /* To check the histograms by (formats/histograms/conservation.h); NULL in files of version 1.
     */
    uint64_t *touches;                   /* per size, from addresses: apart from histograms */
    struct ft_scope_total *scope_totals; /* [scope * size_count + size] */
    struct ft_histogram_stack *stacks;   /* where there are several */
    size_t stack_count;
    struct ft_reuse_pairs *pairs; /* per size, of the trace's own histograms; NULL: not asked for */
    struct ft_data_histograms *data; /* of the trace's own histograms; NULL: not asked for */
};
#define FT_STRIDE_NONE  INT64_MIN
#define FT_STRIDE_MIXED (INT64_MIN + 1)
/* What is known of a reference's stride once another run, or several, had `next`. */
static inline void ft_stride_add(int64_t *stride, int64_t next)
{
    if (*stride == FT_STRIDE_NONE)
        *stride = next;
    else if (*stride != next)
        *stride = FT_STRIDE_MIXED;
}

/* Whether a thread ("0-3,8") is among those of a stack. */
bool ft_histogram_stack_has(const struct ft_histogram_stack *stack, uint32_t thread);
/* Adds a stack to the trace's own histograms, sizes and totals. */
int ft_histograms_add_stack(struct ft_histograms *histograms,
                            const struct ft_histogram_stack *stack, struct ft_diag *diag);

/* Makes an empty *histograms one of these sizes and so many references, with nothing touched; to be
 * given to ft_histograms_fini, after a failure too. */
int ft_histograms_init(struct ft_histograms *histograms, const uint64_t *block_bytes,
                       size_t size_count, size_t reference_count, struct ft_diag *diag);
void ft_histograms_fini(struct ft_histograms *histograms);

struct ft_histogram_file {
    struct ft_histograms *entries;
    size_t count;
    char *options; /* the options that made it */
    char *tool_version;
};

/* Writes PATH.partial, syncs, renames. The bytes depend on the contents alone. */
int ft_histogram_file_write(const char *path, const struct ft_histogram_file *file,
                            struct ft_diag *diag);
bool ft_histogram_file_is(const char *path);
int ft_histogram_file_read(const char *path, struct ft_histogram_file *ret_file,
                           struct ft_diag *diag);
void ft_histogram_file_fini(struct ft_histogram_file *file);

#endif
