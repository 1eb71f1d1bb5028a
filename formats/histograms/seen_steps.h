/*
 * The steps between consecutive accesses of one reference, where no formula and no run shows a
 * stride: a loop whose stride is kept in a register that changes from call to call is logged access
 * by access. Only a step that comes twice in succession is the stride of a loop; what leads from
 * one row to the next comes alone. The same for accesses one by one, in runs, and in parts that are
 * appended, however they are cut.
 */
#ifndef FT_FORMATS_HISTOGRAMS_SEEN_STEPS_H
#define FT_FORMATS_HISTOGRAMS_SEEN_STEPS_H

#include <stdint.h>

#define FT_STRIDE_NONE  INT64_MIN
#define FT_STRIDE_MIXED (INT64_MIN + 1)
#define FT_ADDRESS_NONE UINT64_MAX

/* What is known of a reference's stride once another run, or several, had `next`. */
static inline void ft_stride_add(int64_t *stride, int64_t next)
{
    if (*stride == FT_STRIDE_NONE)
        *stride = next;
    else if (*stride != next)
        *stride = FT_STRIDE_MIXED;
}

/* All zero before the first access. */
struct ft_seen_steps {
    uint64_t accesses;
    uint64_t first, last, lowest;  /* addresses */
    int64_t first_step, last_step; /* of two accesses or more */
    uint64_t repeats;              /* how often a step was that before it */
    int64_t repeated; /* which steps these were, as ft_stride_add makes it; of one repeat or more */
};

static inline void ft_seen_repeats_add(struct ft_seen_steps *seen, int64_t step, uint64_t repeats)
{
    if (seen->repeats == 0)
        seen->repeated = step;
    else if (seen->repeated != step)
        seen->repeated = FT_STRIDE_MIXED;
    seen->repeats += repeats;
}

static inline void ft_seen_step_add(struct ft_seen_steps *seen, int64_t step)
{
    if (seen->accesses < 2)
        seen->first_step = step;
    else if (step == seen->last_step)
        ft_seen_repeats_add(seen, step, 1);
    seen->last_step = step;
}

static inline void ft_seen_address_add(struct ft_seen_steps *seen, uint64_t address)
{
    if (seen->accesses > 0)
        ft_seen_step_add(seen, (int64_t)(address - seen->last));
    else
        seen->first = seen->lowest = address;
    seen->lowest = address < seen->lowest ? address : seen->lowest;
    seen->last = address;
    seen->accesses++;
}

/* count accesses, 1 or more, that are stride bytes apart. */
void ft_seen_run_add(struct ft_seen_steps *seen, uint64_t first, int64_t stride, uint64_t count);
/* The accesses that come behind those of seen. */
void ft_seen_steps_append(struct ft_seen_steps *seen, const struct ft_seen_steps *behind);
/* Those of another thread, at the same time. */
void ft_seen_steps_join(struct ft_seen_steps *seen, const struct ft_seen_steps *beside);

/* The step that most accesses had between them, FT_STRIDE_NONE without one, FT_STRIDE_MIXED where
 * several came twice in succession. */
int64_t ft_seen_stride(const struct ft_seen_steps *seen);

#endif
