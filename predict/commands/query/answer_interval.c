#include "predict/commands/query/answer_interval.h"

#include <math.h>
#include <stdlib.h>

int ft_answer_interval(const struct ft_variant_curves *variants, ft_ask_variant *ask,
                       const void *context, double estimate, double floor,
                       struct ft_interval *ret_interval, struct ft_diag *diag)
{
    double *answers = calloc(variants->count + 1, sizeof *answers);
    int status = answers ? FT_OK : ft_fail_memory(diag, "an interval");
    bool all = true;
    for (size_t i = 0; i < variants->count && status == FT_OK; i++) {
        status = ask(&variants->curves[i], context, estimate, &answers[i], diag);
        all = all && !isnan(answers[i]);
    }
    if (status == FT_OK) {
        const size_t replicas = variants->replica_count;
        const struct ft_evidence evidence = {.estimate = estimate,
                                             .replicas = answers,
                                             .replica_count = replicas,
                                             .alternatives = answers + replicas,
                                             .alternative_count = variants->count - replicas,
                                             .floor_relative = floor};
        *ret_interval =
            all ? ft_interval_of(&evidence) : (struct ft_interval){.low = 0, .high = INFINITY};
    }
    free(answers);
    return status;
}

void ft_answer_estimate(struct ft_answer *answer, struct ft_table *table, double value,
                        const struct ft_interval *interval, bool known, ft_number_writer *write)
{
    char text[FT_NUMBER_TEXT], guess[FT_NUMBER_TEXT + 2];
    if (ft_interval_is_refused(interval)) {
        answer->refuses = true;
        if (answer->as_text)
            ft_table_text(table, "unknown");
        else
            ft_table_empty(table);
        return;
    }
    snprintf(guess, sizeof guess, "%s%s", write(text, value), known ? "" : " ?");
    ft_table_labelled(table, guess, value);
    answer->guesses |= !known;
}

static bool has_column(const struct ft_answer *answer)
{
    bool any = !answer->as_text;
    for (size_t i = 0; i < answer->model_count; i++)
        any = any || answer->models[i].replica_count > 0;
    return any;
}

void ft_interval_columns(const struct ft_answer *answer, struct ft_table *table, const char *what)
{
    static const char *const ends[] = {"low", "high"};
    char key[64];
    for (size_t i = 0; i < 2 && !answer->as_text; i++) {
        snprintf(key, sizeof key, "%.50s_%s", what, ends[i]);
        ft_table_column(table, key, key, true);
    }
    if (answer->as_text && has_column(answer))
        ft_table_column(table, "interval", what, true);
}

static void end_cell(struct ft_table *table, double end, ft_number_writer *write)
{
    char text[FT_NUMBER_TEXT];
    if (isfinite(end))
        ft_table_labelled(table, write(text, end), end);
    else
        ft_table_empty(table);
}

void ft_interval_cells(struct ft_answer *answer, struct ft_table *table,
                       const struct ft_interval *interval, ft_number_writer *write)
{
    char text[FT_INTERVAL_TEXT];
    if (!answer->as_text) {
        end_cell(table, interval->low, write);
        end_cell(table, interval->high, write);
    } else if (isnan(interval->low) || !interval->known) {
        ft_interval_no_cells(answer, table);
    } else if (has_column(answer)) {
        ft_table_text(table, ft_text_interval(text, interval, write));
    }
}

void ft_interval_beside(struct ft_answer *answer, struct ft_table *table,
                        const struct ft_interval *interval, ft_number_writer *write)
{
    const struct ft_interval nothing = {.low = NAN, .high = NAN};
    const bool refused = ft_interval_is_refused(interval);
    answer->refuses |= refused;
    if (refused && answer->as_text)
        ft_table_text(table, "unknown");
    else
        ft_interval_cells(answer, table, refused ? &nothing : interval, write);
}

char *ft_text_size(char text[FT_NUMBER_TEXT], double n)
{
    snprintf(text, FT_NUMBER_TEXT, n < 1000 ? "%.3g" : "%.0f", n);
    return text;
}

char *ft_text_ratio(char text[FT_NUMBER_TEXT], double ratio)
{
    snprintf(text, FT_NUMBER_TEXT, "%.3g %%", 100 * ratio);
    return text;
}

void ft_interval_no_cells(const struct ft_answer *answer, struct ft_table *table)
{
    for (size_t i = answer->as_text; i < 2 && has_column(answer); i++)
        ft_table_empty(table);
}
