#include "predict/commands/comparison_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/model/term_sum.h"
#include "machines/machine_edit.h"

/* ---- machines ---- */

/* The text of --machine without its edits; NULL: out of memory. */
static char *without_edits(const char *text)
{
    const char *edits = ft_machine_edits_of(text);
    return edits ? strndup(text, (size_t)(edits - 1 - text)) : strdup(text);
}

/* The machine of that text among the first ones; their count where it is none. */
static size_t find_text(char *const *texts, size_t count, const char *text)
{
    size_t i = 0;
    while (i < count && strcmp(texts[i], text) != 0)
        i++;
    return i;
}

/* Of the machine that is given as `text`. texts: of all machines so far, with room for one. */
static int find_base(struct ft_report_options *options, char **texts, const char *text,
                     size_t *ret_base, struct ft_diag *diag)
{
    char *base = without_edits(text);
    if (!base)
        return ft_fail_memory(diag, "machines");
    *ret_base = find_text(texts, options->machine_count, base);
    if (*ret_base < options->machine_count) {
        free(base);
        return FT_OK;
    }
    int status = ft_machine_load(base, &options->machines[options->machine_count], diag);
    if (status == FT_OK)
        texts[options->machine_count++] = base;
    else
        free(base);
    return status;
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free((void *)texts);
}

int ft_comparison_machines_add(const struct ft_arguments *arguments,
                               struct ft_report_options *options, size_t **ret_bases,
                               struct ft_diag *diag)
{
    const size_t given = options->machine_count, room = 2 * given;
    struct ft_machine *machines = realloc(options->machines, (room + 1) * sizeof *machines);
    if (machines)
        options->machines = machines;
    size_t *bases = calloc(room + 1, sizeof *bases);
    char **texts = calloc(room + 1, sizeof(char *));
    int status = machines && bases && texts ? FT_OK : ft_fail_memory(diag, "machines");
    for (size_t i = 0; status == FT_OK && i < given; i++)
        if (!(texts[i] = strdup(ft_option_at(arguments, "machine", i))))
            status = ft_fail_memory(diag, "machines");
    for (size_t i = 0; status == FT_OK && i < given; i++)
        status = find_base(options, texts, texts[i], &bases[i], diag);
    for (size_t i = given; status == FT_OK && i < options->machine_count; i++)
        bases[i] = i;
    free_texts(texts, room);
    if (status == FT_OK)
        *ret_bases = bases;
    else
        free(bases);
    return status;
}

/* ---- metrics ---- */

int ft_comparison_shown_read(const struct ft_arguments *arguments,
                             const struct ft_report_options *options,
                             struct ft_shown_metric **ret_shown, size_t *ret_count,
                             struct ft_diag *diag)
{
    const size_t given = ft_option_count(arguments, "compare");
    const struct ft_machine *only = options->machine_count == 1 ? options->machines : NULL;
    const size_t count = given > 0 ? given : 1 + (only ? only->level_count : 0);
    struct ft_shown_metric *shown = calloc(count, sizeof *shown); /* the first shows time */
    int status = shown ? FT_OK : ft_fail_memory(diag, "metrics");
    for (size_t i = 0; status == FT_OK && i < given; i++)
        status = ft_shown_metric_read("compare", ft_option_at(arguments, "compare", i), options,
                                      &shown[i], diag);
    for (size_t i = 1; status == FT_OK && given == 0 && i < count; i++)
        shown[i] = (struct ft_shown_metric){FT_SHOW_MISSES, only->levels[i - 1].name};
    if (status != FT_OK) {
        free(shown);
        return status;
    }
    *ret_shown = shown;
    *ret_count = count;
    return FT_OK;
}

/* ---- work ---- */

/* The values of a point's parameters, of the names that ft_comparison_work_read lists. */
static void list_values(const struct ft_command_point *point, double values[FT_PARAMETERS_MAX])
{
    const struct ft_model *model = point->model;
    values[0] = point->size.value;
    for (size_t i = 0; i < model->fixed_count; i++)
        values[i + 1] = model->fixed[i].value;
}

static int fill_work(const char *per, const struct ft_term_sum *sum,
                     const struct ft_command_points *points, double *work, struct ft_diag *diag)
{
    for (size_t i = 0; i < points->count; i++) {
        double values[FT_PARAMETERS_MAX] = {0};
        list_values(&points->items[i], values);
        work[i] = ft_term_sum_at(sum, values);
        if (!(work[i] > 0) || !isfinite(work[i]))
            return ft_fail(diag, FT_ERROR_USAGE, "--per %s: is %.15g at %s = %.15g", per, work[i],
                           points->items[i].model->parameter, values[0]);
    }
    return FT_OK;
}

int ft_comparison_work_read(const struct ft_arguments *arguments,
                            const struct ft_command_points *points, double **ret_work,
                            struct ft_diag *diag)
{
    const char *per = ft_option_last(arguments, "per");
    const struct ft_model *model = points->items[0].model;
    const char *names[FT_PARAMETERS_MAX] = {model->parameter};
    struct ft_term_sum sum;
    struct ft_diag inner = {0};
    for (size_t i = 0; i < model->fixed_count; i++)
        names[i + 1] = model->fixed[i].name;
    int status = ft_term_sum_read(per ? per : "1", names, 1 + model->fixed_count, &sum, &inner);
    if (status != FT_OK)
        return ft_fail(diag, status, "--per %s: %s", per ? per : "1", inner.message);
    double *work = calloc(points->count, sizeof *work);
    if (!work)
        return ft_fail_memory(diag, "work");
    status = fill_work(per ? per : "1", &sum, points, work, diag);
    if (status == FT_OK)
        *ret_work = work;
    else
        free(work);
    return status;
}
