/*
 * Every access of a trace with the data that it touches: a source of runs whose references are
 * distinct pairs of a reference and an object. Whatever sums metrics by reference then sums them by
 * data.
 *
 * Runs are those of the trace, all threads in one order, split where a reference moves from one
 * object to the next. An access that spans two objects counts for that of its first byte, a fetch
 * for its module's code. Addresses, strides and order are unchanged.
 */
#ifndef FT_ENGINE_DATA_DATA_RUNS_H
#define FT_ENGINE_DATA_DATA_RUNS_H

#include "engine/data/data_objects.h"
#include "engine/data/pair_table.h"
#include "formats/base/progress.h"

struct ft_data_runs;
/* Reads the trace once to find all pairs and objects. content: enum ft_run_content. counts: as for
 * ft_trace_runs, or NULL. callers: see data_objects.h. The trace must outlive it. */
int ft_data_runs_create(struct ft_trace *trace, unsigned callers, unsigned content,
                        struct ft_execution_counts *counts, struct ft_progress *progress,
                        struct ft_data_runs **ret_runs, struct ft_diag *diag);
void ft_data_runs_destroy(struct ft_data_runs *runs);

const struct ft_data_objects *ft_data_runs_objects(const struct ft_data_runs *runs);
const struct ft_data_pair *ft_data_runs_pairs(const struct ft_data_runs *runs, size_t *ret_count);
/* The trace's own references. */
const struct ft_reference *ft_data_runs_references(const struct ft_data_runs *runs,
                                                   uint32_t *ret_count);
/* Whether the trace has the calls of allocation functions; without them the heap is only known as
 * brk and mappings. */
bool ft_data_runs_has_calls(const struct ft_data_runs *runs);

/* Turns batches of the trace's references into batches of pairs. Takes all batches once, from the
 * start, in the order of ft_all_threads_runs. A batch is valid until the next call. source: has the
 * references. */
struct ft_data_batches;
int ft_data_batches_create(struct ft_data_runs *runs, const struct ft_run_source *source,
                           struct ft_data_batches **ret_batches, struct ft_diag *diag);
int ft_data_batches_take(struct ft_data_batches *batches, const struct ft_run_batch *batch,
                         struct ft_run_batch *ret_batch, struct ft_diag *diag);
void ft_data_batches_destroy(struct ft_data_batches *batches);

/* [pair]: its reference. */
const struct ft_reference *ft_data_runs_pair_references(const struct ft_data_runs *runs);

/* A source of the pairs' runs, to be read once; reference p is pair p. `runs` must outlive it. */
int ft_data_runs_source(struct ft_data_runs *runs, struct ft_run_source **ret_source,
                        struct ft_diag *diag);

#endif
