/*
 * A training plan as text, with the commands that carry it out, as CSV (a row a size) or as JSON
 * (docs/json.md, "plan").
 */
#ifndef FT_PREDICT_COMMANDS_PLAN_REPORT_H
#define FT_PREDICT_COMMANDS_PLAN_REPORT_H

#include <stdio.h>

#include "predict/plan/rehearsal.h"
#include "predict/plan/training_plan.h"

struct ft_plan_report {
    const struct ft_trial_program *program;
    const struct ft_machine *machine;
    const char *machine_name; /* as it was given */
    const struct ft_trials *trials;
    const struct ft_run_costs *costs;
    const struct ft_training_plan *plan;
    const struct ft_rehearsal *rehearsal; /* the same on the trials */
    uint64_t period;                      /* that was asked for */
    double target;
    char *const *defines; /* further parameters as capture's -D takes them, NULL behind the last */
};

int ft_plan_text(const struct ft_plan_report *report, FILE *stream, struct ft_diag *diag);
int ft_plan_csv(const struct ft_plan_report *report, FILE *stream, struct ft_diag *diag);
int ft_plan_json(const struct ft_plan_report *report, FILE *stream, struct ft_diag *diag);

#endif
