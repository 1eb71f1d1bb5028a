/*
 * What `study` shows: its steps as commands to type, what they took, the script that repeats them,
 * and the end, which answers what was asked.
 */
#ifndef FT_PREDICT_COMMANDS_STUDY_TEXT_H
#define FT_PREDICT_COMMANDS_STUDY_TEXT_H

#include <stdio.h>

#include "predict/study/repetition.h"
#include "predict/study/step_record.h"

/* "[3/17] foretrace capture ..."; total 0: not known yet. */
void ft_study_step_print(const struct ft_study_step *step, size_t number, size_t total,
                         FILE *stream);
/* "88 ms, 61.8 KiB", with words behind. */
void ft_study_cost_print(const struct ft_step_cost *cost, const char *note, FILE *stream);
/* What was planned: sizes, and what is to come. */
void ft_study_plan_print(const struct ft_study *study, const struct ft_study_plan *plan,
                         FILE *stream);
/* A warning where the program does something else when it runs again. */
void ft_study_repetition_warn(const struct ft_study *study, const char *size,
                              const struct ft_repetition *repetition);
/* What the capture said of source files that it did not keep, and how to have it done again. */
void ft_study_sources_warn(const struct ft_study *study, const struct ft_study_step *capture);

/* FOLDER/steps.sh. */
int ft_study_script_write(const struct ft_study *study, const struct ft_study_steps *steps,
                          struct ft_diag *diag);

/* The answer, how the check went, where the files are, and what to do next. cost: of all steps. */
int ft_study_end_print(const struct ft_study *study, const struct ft_study_steps *steps,
                       const struct ft_step_cost *cost, FILE *stream, struct ft_diag *diag);

#endif
