/*
 * Every access of a trace with the data that it touches: a source of runs whose references are
 * pairs of a reference and an object, each once. Whatever sums figures up by reference sums them up
 * by data then.
 *
 * Runs are those of the trace, all threads in one order, cut where a reference goes over from one
 * object to another. An access that spans two objects is of the one that its first byte is in, a
 * fetch of its module's code. Addresses, strides and order are as they were.
 */
#ifndef FT_ENGINE_DATA_DATA_RUNS_H
#define FT_ENGINE_DATA_DATA_RUNS_H

#include "engine/data/data_objects.h"
#include "engine/data/pair_table.h"
#include "formats/base/progress.h"

struct ft_data_runs;
/* Goes through the trace once to find all pairs and objects. content: enum ft_run_content. counts:
 * as for ft_trace_runs, or NULL. callers: see data_objects.h. The trace must outlive it. */
int ft_data_runs_create(struct ft_trace *trace, unsigned callers, unsigned content,
                        struct ft_execution_counts *counts, struct ft_progress *progress,
                        struct ft_data_runs **ret_runs, struct ft_diag *diag);
void ft_data_runs_destroy(struct ft_data_runs *runs);

const struct ft_data_objects *ft_data_runs_objects(const struct ft_data_runs *runs);
const struct ft_data_pair *ft_data_runs_pairs(const struct ft_data_runs *runs, size_t *ret_count);
/* The trace's own references. */
const struct ft_reference *ft_data_runs_references(const struct ft_data_runs *runs,
                                                   uint32_t *ret_count);
/* Whether calls of allocation functions are in the trace: without, the heap is brk and mappings. */
bool ft_data_runs_has_calls(const struct ft_data_runs *runs);

/* Batches of the trace's references become batches of pairs, all in the order of
 * ft_all_threads_runs from the start: once. What is given lives until the next call. source: has
 * the references. */
struct ft_data_batches;
int ft_data_batches_create(struct ft_data_runs *runs, const struct ft_run_source *source,
                           struct ft_data_batches **ret_batches, struct ft_diag *diag);
int ft_data_batches_take(struct ft_data_batches *batches, const struct ft_run_batch *batch,
                         struct ft_run_batch *ret_batch, struct ft_diag *diag);
void ft_data_batches_destroy(struct ft_data_batches *batches);

/* [pair]: its reference. */
const struct ft_reference *ft_data_runs_pair_references(const struct ft_data_runs *runs);

/* A source that gives the pairs' runs, once; reference p is pair p. It must not outlive `runs`. */
int ft_data_runs_source(struct ft_data_runs *runs, struct ft_run_source **ret_source,
                        struct ft_diag *diag);

#endif
