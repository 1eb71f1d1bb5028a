/*
 * A study: a program, the size to forecast, machines; and the folder that holds all that is made
 * for it. What is studied is kept there (FOLDER/study.state), so that jobs know it, and that the
 * folder of one study is not taken for another. The size in the program's words is {NAME}.
 *
 * Texts and lists are owned.
 */
#ifndef FT_PREDICT_STUDY_STUDY_H
#define FT_PREDICT_STUDY_STUDY_H

#include <stdbool.h>

#include "formats/base/status.h"
#include "predict/study/words.h"

struct ft_study {
    char *folder;    /* with which the paths of all files begin */
    char *cwd;       /* in which all steps run */
    char *parameter; /* NAME */
    double target;   /* the size to forecast; 0: not chosen yet */
    double budget_seconds;
    char *block_list;  /* of all machines, as `replay -b` takes it */
    bool with_host;    /* this host, as FOLDER/host.yaml describes it, before the other machines */
    bool keep_sources; /* captures keep the source files that lines name */
    struct ft_words program;
    struct ft_words machines;     /* as predict takes them, without the host */
    struct ft_words defines;      /* NAME=NUMBER of further parameters */
    struct ft_words plan_options; /* words for `plan` besides --at and --machine */
};

#define FT_STUDY_HOST "host.yaml" /* below the folder */

bool ft_study_is_there(const char *folder);
/* The folder must be there. */
int ft_study_save(const struct ft_study *study, struct ft_diag *diag);
/* ret_study: all but what the folder is called, which is a copy of `folder`. */
int ft_study_load(const char *folder, struct ft_study *ret_study, struct ft_diag *diag);
void ft_study_fini(struct ft_study *study);

/* "matmul-study" of ./matmul, "ssor-N-study" of ./ssor-{N}; NULL without memory. */
char *ft_study_default_folder(char *const *words);

#endif
