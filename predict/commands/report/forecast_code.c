/*
 * The code of a model with forecasts: how often blocks are executed, and what groups of references
 * do, as far as it is known which references a group has (group_references.h).
 */
#include <math.h>
#include <stdlib.h>

#include "predict/commands/report/code.h"
#include "predict/commands/report/document.h"
#include "predict/commands/report/group_references.h"
#include "predict/group_rows.h"

/* groups: [group of the scopes], as ft_page_group_references gives them. */
static int fill_references(const struct ft_prediction *prediction, const size_t *groups,
                           struct ft_page_code *code, struct ft_diag *diag)
{
    const struct ft_model *model = prediction->model;
    double *rows = calloc(model->group_count * code->width + 1, sizeof *rows);
    int status = rows ? ft_group_rows(prediction, rows, diag) : ft_fail_memory(diag, "a report");
    for (size_t r = 0; status == FT_OK && r < model->scopes.reference_count; r++) {
        const struct ft_scoped_reference *reference = &model->scopes.references[r];
        const size_t group = reference->kind == FT_FETCH ? SIZE_MAX : groups[reference->group];
        if (group == SIZE_MAX)
            continue;
        code->alike[r] = model->groups[group].reference_count;
        for (size_t column = 0; column < code->width; column++)
            code->references[r * code->width + column] = rows[group * code->width + column];
    }
    free(rows);
    return status;
}

static void fill_executions(const struct ft_prediction *prediction, struct ft_page_code *code)
{
    const struct ft_model_executions *executions = &prediction->model->executions;
    for (size_t b = 0; executions->count > 0 && b < code->scopes->block_count; b++)
        code->executions[b] =
            fmax(ft_function_at(&executions->functions[executions->blocks[b]], &prediction->at), 0);
}

static int fill(const struct ft_prediction *prediction, struct ft_page_code *code,
                struct ft_diag *diag)
{
    size_t *groups = NULL;
    FT_TRY(ft_page_group_references(prediction->model, &groups, diag));
    const int status = fill_references(prediction, groups, code, diag);
    fill_executions(prediction, code);
    free(groups);
    return status;
}

int ft_page_forecast_code(const struct ft_page_task *task, json_t **ret_code, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = ft_page_prediction(task, 0);
    const struct ft_scopes *scopes = &prediction->model->scopes;
    struct ft_page_code code = {0};
    *ret_code = json_null();
    if (!task->with_code || !scopes->code)
        return FT_OK;
    bool *is_shown = ft_page_shown_scopes(task);
    int status = is_shown ? ft_page_code_init(&code, scopes, prediction->machine->level_count, diag)
                          : ft_fail_memory(diag, "a report");
    if (status == FT_OK)
        status = fill(prediction, &code, diag);
    if (status == FT_OK)
        status = ft_page_code_json(&code, is_shown, ret_code, diag);
    ft_page_code_fini(&code);
    free(is_shown);
    return status;
}
