/*
 * What is known of a step that was done: its command, what it took, and the files that it read and
 * wrote, with size and hash (XXH3-128). It is written when the step has ended well, so that a step
 * without one was not done or not finished. A step counts as done while its command is the same,
 * what it reads has the same hashes, and what it wrote is there as it was.
 *
 * A file whose size and time of change are the recorded ones is not read again.
 */
#ifndef FT_PREDICT_STUDY_STEP_RECORD_H
#define FT_PREDICT_STUDY_STEP_RECORD_H

#include <stdint.h>

#include "predict/study/study_steps.h"

struct ft_file_mark {
    char *path;
    uint64_t bytes, changed_ns;
    uint64_t hash[2];
};

struct ft_file_marks {
    struct ft_file_mark *items;
    size_t count;
};

struct ft_step_cost {
    double seconds, cpu_seconds; /* on the wall; of processors */
    double bytes;                /* of the files that it wrote */
};

#define FT_STEP_WHY 512

/* Whether it is done. If it was done before, but is no longer, `why` says what differs; if it never
 * was, `why` is empty. */
bool ft_step_is_done(const struct ft_study_step *step, struct ft_step_cost *ret_cost,
                     char why[FT_STEP_WHY]);

/* Of a study whose folder is elsewhere now: whether the step was done, and what it wrote is there
 * as it was; the program and other files that it read may be gone. The step's paths begin with the
 * study's folder as it was then; `folder` is the one now. If not, `why` says it. */
bool ft_step_is_kept(const struct ft_study_step *step, const struct ft_study *study,
                     const char *folder, char why[FT_STEP_WHY]);
/* How the folder was called when the study was made, to be freed. */
int ft_study_folder_then(const char *folder, char **ret_then, struct ft_diag *diag);

/* Of files as they are. */
int ft_file_marks_take(const struct ft_words *paths, struct ft_file_marks *ret_marks,
                       struct ft_diag *diag);
void ft_file_marks_fini(struct ft_file_marks *marks);
/* Notes that the step is done. inputs: as they were when it began; bytes are filled in. */
int ft_step_record_write(const struct ft_study_step *step, const struct ft_file_marks *inputs,
                         struct ft_step_cost *cost, struct ft_diag *diag);

#endif
