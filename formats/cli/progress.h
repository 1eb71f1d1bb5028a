/*
 * One line of progress on stderr, redrawn at most ten times a second, only where stderr is a
 * terminal; silent everywhere else, so that logs of batch jobs stay clean. Not thread safe.
 */
#ifndef FT_FORMATS_CLI_PROGRESS_H
#define FT_FORMATS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct ft_progress {
    bool on;
    const char *what; /* "replay run.h5" */
    uint64_t started_ns;
    uint64_t drawn_ns;
    uint64_t done_before; /* of what updates tell: before it began, so no part of the rate */
};

void ft_progress_init(struct ft_progress *progress, const char *what);
/* done and total in any one unit: shown as a share, so many of `unit` a second, and the time left;
 * total 0 means unknown, then done is shown as a count of `unit`. */
void ft_progress_update(struct ft_progress *progress, uint64_t done, uint64_t total,
                        const char *unit);
/* Wipes the line. */
void ft_progress_fini(struct ft_progress *progress);

#endif
