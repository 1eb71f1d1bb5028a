/*
 * What was given again before it was seen to be given back: threads are ordered only between their
 * timestamps, so that one's free of a block may go by after another's allocation of the same
 * memory. The one that comes late must not take the new block away. It is never of the thread that
 * the new one was given to, whose log is in order.
 */
#ifndef FT_ENGINE_DATA_OVERDUE_H
#define FT_ENGINE_DATA_OVERDUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many are remembered; of more the oldest are forgotten. */
#define FT_OVERDUE_MAX 64U

struct ft_overdue {
    struct {
        uint64_t start, end;
        uint32_t to; /* the thread that got it again */
    } items[FT_OVERDUE_MAX];
    size_t count;
};

static inline void ft_overdue_add(struct ft_overdue *overdue, uint64_t start, uint64_t end,
                                  uint32_t to)
{
    if (overdue->count == FT_OVERDUE_MAX)
        for (size_t i = 1; i < overdue->count; i++)
            overdue->items[i - 1] = overdue->items[i];
    else
        overdue->count++;
    overdue->items[overdue->count - 1].start = start;
    overdue->items[overdue->count - 1].end = end;
    overdue->items[overdue->count - 1].to = to;
}

/* Whether a thread was due to give back what starts at `start`, and ends at `end` unless that is 0;
 * it is not any more. */
static inline bool ft_overdue_take(struct ft_overdue *overdue, uint64_t start, uint64_t end,
                                   uint32_t thread)
{
    for (size_t i = 0; i < overdue->count; i++)
        if (overdue->items[i].start == start && (!end || overdue->items[i].end == end) &&
            overdue->items[i].to != thread) {
            overdue->items[i] = overdue->items[--overdue->count];
            return true;
        }
    return false;
}

#endif
