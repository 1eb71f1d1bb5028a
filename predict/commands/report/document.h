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
#include "predict/commands/page/page.h"
#include "predict/commands/report/reuse_rows.h"
#include "predict/query/size_line.h"

struct ft_measured_distances;

struct ft_page_task {
    const struct ft_forecasts *forecasts; /* one point, at least one machine */
    const char *command;                  /* as it was typed */
    bool with_source, with_code;
    const char *sources;                          /* --sources (page/sources.h) */
    const struct ft_measured_distances *measured; /* --histograms; NULL: none */
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

/* Whether a report of any machine shows the scope. */
bool ft_page_shows(const struct ft_page_task *task, uint32_t scope);
/* The same of all scopes: [scope], which the caller frees. NULL: out of memory. */
bool *ft_page_shown_scopes(const struct ft_page_task *task);

/* All of it. */
int ft_page_document(const struct ft_page_task *task, json_t **ret_document, struct ft_diag *diag);

/* A machine, a program's modules, and a scope, in documents of all kinds. */
json_t *ft_page_machine_json(const struct ft_machine *machine, bool dirty_memory);
json_t *ft_page_modules_json(const struct ft_scopes *scopes);
json_t *ft_page_scope_json(const struct ft_scopes *scopes, uint32_t scope);

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
/* The capacities of all machines, and others between them, of blocks of that size. */
void ft_page_find_capacities(const struct ft_page_task *task, size_t block_size,
                             struct ft_page_capacities *ret_capacities);
/* Of a block size: miss ratios over sizes and capacities (reuse_surface.c). */
int ft_page_surface(const struct ft_page_task *task, size_t block_size, json_t **ret_surface,
                    struct ft_diag *diag);
/* The reuse distances of a group over sizes, with blocks of the smallest size: of each size a list
 * of distances at equal shares of its touches, and where its bins part (distances.c). */
json_t *ft_page_distance_sizes(const struct ft_page_task *task);
int ft_page_distances(const struct ft_page_task *task, size_t group, struct ft_forecast *forecast,
                      json_t **ret_distances, struct ft_diag *diag);
/* At those shares: of the touches of a histogram, as ft_forecast_evaluate gives it. */
json_t *ft_page_distances_of(const struct ft_forecast *forecast);
/* The machine code of the heaviest scopes, with forecasts of its instructions on the first machine;
 * null where there is none (forecast_code.c). */
int ft_page_forecast_code(const struct ft_page_task *task, json_t **ret_code, struct ft_diag *diag);
/* The heaviest groups of references, with their formulas (references.c). */
int ft_page_references(const struct ft_page_task *task, json_t **ret_references,
                       struct ft_diag *diag);

#endif
