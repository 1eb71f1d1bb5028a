/*
 * The steps of a study, each one a command of foretrace with the files that it reads and writes:
 *
 *     host.yaml                    machine detect
 *     plan.json                    plan
 *     trace-N.h5, output-N.txt     capture, each training size and the one that is held out
 *     again-N.h5                   capture, the smallest size once more
 *     histograms-N.h5              replay, each training size
 *     model.h5                     fit
 *     forecast-MACHINE.txt         predict
 *     check.json                   predict --check
 *     report.html                  report
 *
 * Until a plan is made only the first two are known. Owned lists.
 */
#ifndef FT_PREDICT_STUDY_STUDY_STEPS_H
#define FT_PREDICT_STUDY_STUDY_STEPS_H

#include "predict/study/study.h"
#include "predict/study/study_plan.h"

enum ft_step_kind {
    FT_STEP_HOST,
    FT_STEP_PLAN,
    FT_STEP_CAPTURE,
    FT_STEP_AGAIN,
    FT_STEP_REPLAY,
    FT_STEP_FIT,
    FT_STEP_FORECAST,
    FT_STEP_CHECK,
    FT_STEP_REPORT,
};

struct ft_study_step {
    enum ft_step_kind kind;
    const char *size;        /* of captures and replays: the plan's text */
    struct ft_words words;   /* behind "foretrace"; those of the program at their end */
    size_t program_at;       /* where these begin; words.count: there are none */
    char *output;            /* the file that its standard output goes to; NULL: discarded */
    bool is_noisy;           /* its standard error is the program's, and goes there, too */
    struct ft_words inputs;  /* files */
    struct ft_words outputs; /* files that have to be there afterwards */
    char *record;            /* the file that says that it is done (step_record.h) */
};

struct ft_study_steps {
    struct ft_study_step *items;
    size_t count, capacity;
};

/* plan: NULL before there is one, else it must outlive the steps. */
int ft_study_steps_make(const struct ft_study *study, const struct ft_study_plan *plan,
                        struct ft_study_steps *ret_steps, struct ft_diag *diag);
void ft_study_steps_fini(struct ft_study_steps *steps);

/* The first step of that kind, or NULL. */
const struct ft_study_step *ft_study_steps_find(const struct ft_study_steps *steps,
                                                enum ft_step_kind kind);

/* FOLDER/NAME, to be freed; NULL without memory. */
__attribute__((format(printf, 2, 3))) char *ft_study_path(const struct ft_study *study,
                                                          const char *format, ...);

#endif
