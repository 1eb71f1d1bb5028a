/*
 * Reuse distances by the data that was touched: of each reference, a histogram for each object that
 * it touches. Those of a reference add up to its histogram, those of an object are the object's
 * (docs/data.md).
 *
 * An object is what the trace's memory is called by: a variable, the blocks of the heap of one
 * allocation site, the frames of a routine. All is owned.
 */
#ifndef FT_FORMATS_HISTOGRAMS_DATA_HISTOGRAMS_H
#define FT_FORMATS_HISTOGRAMS_DATA_HISTOGRAMS_H

#include "formats/histograms/histogram.h"

struct ft_data_item {
    char *kind; /* "variable", "heap" ... */
    char *name;
    char *file;      /* where it is declared; "" where unknown */
    uint32_t module; /* of the scopes, or FT_NO_MODULE */
    uint32_t line;
    uint64_t offset; /* variables: in the module */
    uint64_t bytes;  /* of all its blocks together */
    uint64_t blocks; /* heap, mappings: how many there were */
};

struct ft_data_part {
    uint32_t reference, object;
    uint64_t accesses;
};

struct ft_data_histograms {
    struct ft_data_item *items;
    size_t item_count;
    struct ft_data_part *parts; /* by reference, then object; each once */
    size_t part_count;
    struct ft_histogram *histograms; /* [part * size_count + size] */
};

/* NULL is allowed. */
void ft_data_histograms_free(struct ft_data_histograms *data, size_t size_count);

/* The histogram of each object at one block size: item_count of them, to be given to
 * ft_histogram_array_free. */
int ft_data_histograms_of_items(const struct ft_data_histograms *data, size_t size_count,
                                size_t size, struct ft_histogram **ret_histograms,
                                struct ft_diag *diag);

#endif
