#include "predict/commands/measuring.h"

#include <stdlib.h>

#include "predict/commands/measured_report.h"
#include "predict/plan/command_words.h"

#define REPEATS     5
#define REPEATS_MAX 1000

bool ft_measuring_is_asked(const struct ft_arguments *arguments)
{
    return ft_option_count(arguments, "measure") || ft_option_count(arguments, "measured");
}

/* ---- files ---- */

static int read_files(const struct ft_arguments *arguments, const struct ft_command_points *points,
                      struct ft_measuring *measuring, struct ft_diag *diag)
{
    const size_t count = ft_option_count(arguments, "measured");
    if (points->count > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--measured: its files are of one size; give one with --at");
    measuring->files = calloc(count + 1, sizeof(char *));
    if (!measuring->files)
        return ft_fail_memory(diag, "measured values");
    for (size_t i = 0; i < count; i++) {
        measuring->files[measuring->file_count++] = (char *)ft_option_at(arguments, "measured", i);
        FT_TRY(ft_measured_read(measuring->files[i], &measuring->measured, diag));
    }
    return FT_OK;
}

/* ---- native runs ---- */

static int check_command(const struct ft_command_points *points,
                         const struct ft_measuring *measuring, struct ft_diag *diag)
{
    const struct ft_model *model = points->items[0].model;
    const char *name = model->parameter;
    if (model->over_data_size)
        return ft_fail(
            diag, FT_ERROR_USAGE,
            "--measure: the model runs over the data size, of which no command is known");
    if (!ft_command_words_have(measuring->words, name))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--measure: the command has no {%s}: write it in place of %s's value, as in "
                       "'./matmul {%s}'",
                       name, name, name);
    for (size_t i = 0; i < points->count; i++) {
        const double smallest = points->items[i].model->training[0];
        if (points->items[i].size.value <= smallest)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--measure: %s = %.15g must be above %.15g, the smallest training size, "
                           "whose run is subtracted",
                           name, points->items[i].size.value, smallest);
    }
    return FT_OK;
}

/* The command at a point. */
static char **words_at(const struct ft_measuring *measuring, const struct ft_command_point *point)
{
    struct ft_word_value values[FT_PARAMETERS_MAX] = {{point->model->parameter, point->size.value}};
    for (size_t i = 0; i < point->model->fixed_count; i++)
        values[i + 1] =
            (struct ft_word_value){point->model->fixed[i].name, point->model->fixed[i].value};
    return ft_command_words_fill(measuring->words, values, 1 + point->model->fixed_count);
}

static int start_runs(const struct ft_arguments *arguments, struct ft_command_points *points,
                      struct ft_measuring *measuring, struct ft_diag *diag)
{
    measuring->words = ft_operands(arguments) + 1;
    FT_TRY(ft_option_u64(arguments, "repeat", REPEATS, 1, REPEATS_MAX, &measuring->repeats, diag));
    FT_TRY(check_command(points, measuring, diag));
    FT_TRY(ft_command_points_add_smallest(points, &measuring->bases, diag));
    measuring->times = calloc(points->count + 1, sizeof *measuring->times);
    if (!measuring->times)
        return ft_fail_memory(diag, "times");
    for (; measuring->time_count < points->count; measuring->time_count++)
        if (!(measuring->times[measuring->time_count].words =
                  words_at(measuring, &points->items[measuring->time_count])))
            return ft_fail_memory(diag, "a command");
    return FT_OK;
}

int ft_measuring_start(const struct ft_arguments *arguments, size_t machine_count,
                       struct ft_command_points *points, struct ft_measuring *ret_measuring,
                       struct ft_diag *diag)
{
    const bool is_native = ft_option_count(arguments, "measure") > 0;
    struct ft_measuring measuring = {.asked_count = points->count};
    if (machine_count > 1)
        return ft_fail(diag, FT_ERROR_USAGE, "--measure%s: give one --machine",
                       is_native ? "" : "d");
    int status = is_native ? start_runs(arguments, points, &measuring, diag)
                           : read_files(arguments, points, &measuring, diag);
    if (status == FT_OK)
        *ret_measuring = measuring;
    else
        ft_measuring_fini(&measuring);
    return status;
}

int ft_measuring_run(struct ft_measuring *measuring, struct ft_progress *progress,
                     struct ft_diag *diag)
{
    return ft_native_times_run(measuring->times, measuring->time_count, measuring->repeats,
                               progress, diag);
}

/* ---- the report ---- */

int ft_measuring_print(const struct ft_measuring *measuring, const struct ft_report *reports,
                       enum ft_report_form form, FILE *stream, struct ft_diag *diag)
{
    const bool is_native = measuring->file_count == 0;
    const size_t base = is_native ? measuring->bases[0] : 0;
    struct ft_beside_rows rows;
    FT_TRY(is_native
               ? ft_beside_rows_of_runs(reports, measuring->times, measuring->bases,
                                        measuring->asked_count, &rows, diag)
               : ft_beside_rows_of_files(reports[0].prediction, &measuring->measured, &rows, diag));
    const struct ft_measured_report report = {.rows = &rows,
                                              .files = measuring->files,
                                              .file_count = measuring->file_count,
                                              .measured = is_native ? NULL : &measuring->measured,
                                              .words = measuring->words,
                                              .repeats = measuring->repeats,
                                              .base = &reports[base],
                                              .base_time =
                                                  is_native ? &measuring->times[base] : NULL};
    int status = ft_measured_report_print(&report, form, stream, diag);
    ft_beside_rows_fini(&rows);
    return status;
}

void ft_measuring_fini(struct ft_measuring *measuring)
{
    for (size_t i = 0; i < measuring->time_count; i++)
        ft_command_words_free(measuring->times[i].words);
    free(measuring->times);
    free(measuring->bases);
    free((void *)measuring->files);
    ft_measured_fini(&measuring->measured);
    *measuring = (struct ft_measuring){0};
}
