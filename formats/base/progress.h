/*
 * Progress of long work. The caller hands down a progress; libraries update it and never print.
 * NULL, or one without a function, is silent. Not thread safe.
 */
#ifndef FT_FORMATS_BASE_PROGRESS_H
#define FT_FORMATS_BASE_PROGRESS_H

#include <stdint.h>

struct ft_progress {
    /* done and total in the same unit ("accesses"); total 0: unknown. */
    void (*update)(struct ft_progress *progress, uint64_t done, uint64_t total, const char *unit);
};

static inline void ft_progress_update(struct ft_progress *progress, uint64_t done, uint64_t total,
                                      const char *unit)
{
    if (progress && progress->update)
        progress->update(progress, done, total, unit);
}

#endif
