/*
 * What became of the source files of `capture --source`: how many were kept, how many were not and
 * why, with the first name for each reason. Of one trace, or summed up over those of a run.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_SOURCE_OUTCOME_H
#define FT_TRACE_CAPTURE_MODULES_SOURCE_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

enum ft_source_remark {
    FT_SOURCE_MISSING,
    FT_SOURCE_UNREADABLE,
    FT_SOURCE_NO_TEXT,
    FT_SOURCE_LARGE,
    FT_SOURCE_BEYOND_LIMITS, /* of all files together */
    FT_SOURCE_NAMESAKE,      /* in a private trace */
    FT_SOURCE_NEWER,         /* than what was built of it: kept all the same */
    FT_SOURCE_REMARKS
};

struct ft_source_outcome {
    size_t named, kept; /* named: by other code than the system's libraries */
    size_t traces;
    struct ft_source_remark_count {
        size_t files;  /* of the trace that has most of them */
        size_t traces; /* that have any */
        char *first;   /* path; owned; NULL: unknown */
        int error;     /* why it is unreadable: errno */
    } remarks[FT_SOURCE_REMARKS];
};

/* Of one trace: one more file. Without memory the name is left out. */
void ft_source_outcome_add(struct ft_source_outcome *outcome, enum ft_source_remark remark,
                           const char *path, int error);
/* Adds the outcome of one trace, and empties it. */
void ft_source_outcome_merge(struct ft_source_outcome *sum, struct ft_source_outcome *outcome);
/* The warning of a remark, or, for FT_SOURCE_REMARKS, that there are no source files at all; false:
 * nothing is to be said. */
bool ft_source_outcome_message(const struct ft_source_outcome *outcome,
                               enum ft_source_remark remark, char *message, size_t bytes);
void ft_source_outcome_fini(struct ft_source_outcome *outcome);

#endif
