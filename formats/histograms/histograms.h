/*
 * The histograms file (HDF5): an entry for each replayed trace, with all that fit needs, so that
 * the trace is not needed again.
 */
#ifndef FT_FORMATS_HISTOGRAMS_HISTOGRAMS_H
#define FT_FORMATS_HISTOGRAMS_HISTOGRAMS_H

#include "formats/histograms/entry.h"
#include "formats/trace/trace.h"

/* The newest format version that is read. Files are written with the oldest that can represent
 * them. */
#define FT_HISTOGRAMS_VERSION          13
#define FT_HISTOGRAMS_VERSION_TOTAL    2  /* totals and stacks */
#define FT_HISTOGRAMS_VERSION_PAIRS    3  /* or stacks of fetches */
#define FT_HISTOGRAMS_VERSION_CALLS    4  /* inlined calls, data, or pairs between threads */
#define FT_HISTOGRAMS_VERSION_GROUPS   5  /* how groups move, and where */
#define FT_HISTOGRAMS_VERSION_SKELETON 8  /* with geometric loops; 7 had cycles, 6 neither */
#define FT_HISTOGRAMS_VERSION_CODE     9  /* the code of blocks */
#define FT_HISTOGRAMS_VERSION_SETS     10 /* distances within sets */
#define FT_HISTOGRAMS_VERSION_SOURCES  11 /* source files */
#define FT_HISTOGRAMS_VERSION_BRANCHES 12 /* how well branches are predicted */
#define FT_HISTOGRAMS_VERSION_REMAPPED 13 /* pages that are mapped again */

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
