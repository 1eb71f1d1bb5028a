/*
 * What a report shows, as one JSON document (docs/report.md, "What is in the file"): forecasts on
 * all machines, curves over sizes and capacities, references and source lines. The page's script
 * reads nothing else.
 *
 * Each function gives a new value, or fails; numbers have FT_PAGE_DIGITS digits, unknown ones are
 * null. Not thread safe.
 */
#ifndef FT_PREDICT_COMMANDS_REPORT_DOCUMENT_H
#define FT_PREDICT_COMMANDS_REPORT_DOCUMENT_H

#include "formats/cli/json.h"
#include "predict/commands/forecasts.h"
#include "predict/query/size_line.h"

#define FT_PAGE_DIGITS 6

struct ft_page_task {
    const struct ft_forecasts *forecasts; /* one point, at least one machine */
    const char *command;                  /* as it was typed */
    bool with_source;
    const char *sources; /* the folder that has them; NULL: they are where they were */
};

static inline const struct ft_prediction *ft_page_prediction(const struct ft_page_task *task,
                                                             size_t machine)
{
    return task->forecasts->reports[machine].prediction;
}
static inline const struct ft_model *ft_page_model(const struct ft_page_task *task)
{
    return ft_page_prediction(task, 0)->model;
}

/* A number with few digits, or null if it is not finite. */
json_t *ft_page_number(double value);
/* Whether a report of any machine shows the scope. */
bool ft_page_shows(const struct ft_page_task *task, uint32_t scope);

/* All of it. */
int ft_page_document(const struct ft_page_task *task, json_t **ret_document, struct ft_diag *diag);

/* ---- its parts ---- */

/* Misses and time of all scopes on a machine, each with its interval; the sentences of `predict`
 * (forecast_data.c). */
int ft_page_forecast(const struct ft_page_task *task, size_t machine, json_t **ret_forecast,
                     struct ft_diag *diag);
/* The sizes that curves and surfaces run over: from the smallest training size, or the one asked
 * about, to beyond the largest of both (scaling.c). */
struct ft_size_line ft_page_sizes(const struct ft_page_task *task);
/* Misses and time on a machine over sizes, and the critical sizes of its levels (scaling.c). */
int ft_page_scaling(const struct ft_page_task *task, size_t machine, json_t **ret_scaling,
                    struct ft_diag *diag);
/* Of a block size: how many touches of each scope miss in which capacity (reuse.c). */
int ft_page_reuse(const struct ft_page_task *task, size_t block_size, json_t **ret_reuse,
                  struct ft_diag *diag);
/* Capacities of blocks of that size, ascending: those of all machines among them. */
#define FT_PAGE_CAPACITIES_MAX 512U
struct ft_page_capacities {
    double blocks[FT_PAGE_CAPACITIES_MAX];
    size_t count;
};
void ft_page_find_capacities(const struct ft_page_task *task, size_t block_size,
                             struct ft_page_capacities *ret_capacities);
/* A list of misses, one a capacity; those at the end that are as many as the last are left out. */
json_t *ft_page_misses(const double *misses, size_t count);
/* Of a block size: miss ratios over sizes and capacities (reuse_surface.c). */
int ft_page_surface(const struct ft_page_task *task, size_t block_size, json_t **ret_surface,
                    struct ft_diag *diag);
/* The heaviest groups of references, with their formulas (references.c). */
int ft_page_references(const struct ft_page_task *task, json_t **ret_references,
                       struct ft_diag *diag);
/* The files that scopes are from, as far as they can be read: by name, lists of lines (sources.c).
 */
json_t *ft_page_sources(const struct ft_page_task *task);

#endif
