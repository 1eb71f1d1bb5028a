/*
 * --measure and --measured of `predict`: native runs of a command at the sizes asked for, and files
 * of other tools, beside the forecasts (measured_report.h).
 */
#ifndef FT_PREDICT_COMMANDS_MEASURING_H
#define FT_PREDICT_COMMANDS_MEASURING_H

#include "machines/commands/report_options.h"
#include "predict/commands/measured_rows.h"

struct ft_measuring {
    struct ft_measured measured;
    char **files; /* views; owned list */
    size_t file_count;
    struct ft_native_time *times; /* [point], the subtracted ones included; owned, with words */
    size_t time_count;
    size_t *bases;      /* [asked point] */
    size_t asked_count; /* points, without those that are subtracted */
    char **words;       /* a view */
    uint64_t repeats;
};

/* Whether something is measured. */
bool ft_measuring_is_asked(const struct ft_arguments *arguments);
/* What is measured, before anything is forecast; adds to the points the smallest training size,
 * which is subtracted from native runs. */
int ft_measuring_start(const struct ft_arguments *arguments, size_t machine_count,
                       struct ft_command_points *points, struct ft_measuring *ret_measuring,
                       struct ft_diag *diag);
/* The native runs. progress may be NULL. */
int ft_measuring_run(struct ft_measuring *measuring, struct ft_progress *progress,
                     struct ft_diag *diag);
/* reports: [point], on one machine. */
int ft_measuring_print(const struct ft_measuring *measuring, const struct ft_report *reports,
                       enum ft_report_form form, FILE *stream, struct ft_diag *diag);
void ft_measuring_fini(struct ft_measuring *measuring);

#endif
