#include "predict/commands/hierarchy_report.h"

#include <stdlib.h>

/* The scopes with most accesses. */
static int choose_scopes(const struct ft_hierarchy_forecast *forecast,
                         const struct ft_report_options *options, uint32_t **ret_list,
                         size_t *ret_count, struct ft_startup_fold *startup, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &forecast->model->scopes;
    double *weights = calloc(scopes->scope_count + 1, sizeof *weights);
    if (!weights)
        return ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < scopes->scope_count; i++)
        weights[i] = forecast->inclusive[i * forecast->width + FT_HIERARCHY_ACCESSES];
    int status = ft_startup_fold_select(startup, options->folds_startup, scopes, weights,
                                        options->loop_limit, ret_list, ret_count, diag);
    free(weights);
    return status;
}

int ft_hierarchy_forecast_print(const struct ft_prediction *prediction,
                                const struct ft_hierarchy_forecast *forecast,
                                const struct ft_hierarchy_check *check,
                                const struct ft_report_options *options, struct ft_diag *diag)
{
    const struct ft_model *model = prediction->model;
    struct ft_synthesis_note note = {0};
    struct ft_startup_fold startup = {.count = 0};
    uint32_t *list = NULL;
    size_t count = 0;
    FT_TRY(ft_synthesis_note_make(model->skeleton, model->parameter, &note, diag));
    int status = choose_scopes(forecast, options, &list, &count, &startup, diag);
    const struct ft_hierarchy_forecast_report report = {
        .prediction = prediction,
        .forecast = forecast,
        .check = check,
        .note = &note,
        .list = list,
        .count = count,
        .startup = startup,
    };
    if (status == FT_OK)
        status = options->form == FT_REPORT_JSON ? ft_hierarchy_forecast_json(&report, stdout, diag)
                 : options->form == FT_REPORT_CSV
                     ? ft_hierarchy_forecast_csv(&report, stdout, diag)
                     : ft_hierarchy_forecast_text(&report, stdout, diag);
    free(list);
    ft_startup_fold_fini(&startup);
    ft_synthesis_note_fini(&note);
    return status;
}
