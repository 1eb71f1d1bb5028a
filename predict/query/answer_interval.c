#include "predict/query/answer_interval.h"

#include <math.h>
#include <stdlib.h>

int ft_answer_interval(const struct ft_model *model, ft_ask_replica *ask, void *context,
                       double estimate, double floor, struct ft_interval *ret_interval,
                       struct ft_diag *diag)
{
    double *answers = calloc(model->replica_count + 1, sizeof *answers);
    int status = answers ? FT_OK : ft_fail_memory(diag, "an interval");
    bool all = true;
    for (size_t i = 0; i < model->replica_count && status == FT_OK; i++) {
        status = ask(&model->replicas[i], i, context, estimate, &answers[i], diag);
        all = all && !isnan(answers[i]);
    }
    if (status == FT_OK) {
        const struct ft_evidence evidence = {.estimate = estimate,
                                             .replicas = answers,
                                             .replica_count = model->replica_count,
                                             .floor_relative = floor};
        *ret_interval =
            all ? ft_interval_of(&evidence) : (struct ft_interval){.low = NAN, .high = NAN};
    }
    free(answers);
    return status;
}

static bool has_columns(const struct ft_answer *answer)
{
    bool any = !answer->people;
    for (size_t i = 0; i < answer->model_count; i++)
        any = any || answer->models[i].replica_count > 0;
    return any;
}

void ft_interval_columns(const struct ft_answer *answer, struct ft_table *table, const char *what)
{
    char key[64];
    if (!has_columns(answer))
        return;
    snprintf(key, sizeof key, "%.50s_low", what);
    ft_table_column(table, answer->people ? "95 %: from" : key, key, true);
    snprintf(key, sizeof key, "%.50s_high", what);
    ft_table_column(table, answer->people ? "to" : key, key, true);
}

void ft_interval_cells(const struct ft_answer *answer, struct ft_table *table,
                       const struct ft_interval *interval,
                       void (*cell)(struct ft_table *table, double value))
{
    if (isnan(interval->low) || !interval->known) {
        ft_interval_no_cells(answer, table);
    } else if (has_columns(answer)) {
        cell(table, interval->low);
        cell(table, interval->high);
    }
}

void ft_interval_size_cell(struct ft_table *table, double n)
{
    char text[FT_NUMBER_TEXT];
    snprintf(text, sizeof text, n < 1000 ? "%.3g" : "%.0f", n);
    ft_table_labelled(table, text, n);
}

void ft_interval_no_cells(const struct ft_answer *answer, struct ft_table *table)
{
    if (!has_columns(answer))
        return;
    ft_table_empty(table);
    ft_table_empty(table);
}
