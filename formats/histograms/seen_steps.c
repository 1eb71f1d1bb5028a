#include "formats/histograms/seen_steps.h"

void ft_seen_run_add(struct ft_seen_steps *seen, uint64_t first, int64_t stride, uint64_t count)
{
    const uint64_t last = first + (uint64_t)stride * (count - 1);
    ft_seen_address_add(seen, first);
    if (count == 1)
        return;
    ft_seen_step_add(seen, stride);
    if (count > 2)
        ft_seen_repeats_add(seen, stride, count - 2);
    seen->lowest = last < seen->lowest ? last : seen->lowest;
    seen->last = last;
    seen->accesses += count - 1;
}

static void add_repeats_of(struct ft_seen_steps *seen, const struct ft_seen_steps *more)
{
    if (more->repeats > 0)
        ft_seen_repeats_add(seen, more->repeated, more->repeats);
}

void ft_seen_steps_append(struct ft_seen_steps *seen, const struct ft_seen_steps *behind)
{
    if (behind->accesses == 0)
        return;
    if (seen->accesses == 0) {
        *seen = *behind;
        return;
    }
    const int64_t between = (int64_t)(behind->first - seen->last);
    ft_seen_step_add(seen, between);
    if (behind->accesses > 1) {
        if (behind->first_step == between)
            ft_seen_repeats_add(seen, between, 1);
        seen->last_step = behind->last_step;
    }
    add_repeats_of(seen, behind);
    seen->lowest = behind->lowest < seen->lowest ? behind->lowest : seen->lowest;
    seen->last = behind->last;
    seen->accesses += behind->accesses;
}

void ft_seen_steps_join(struct ft_seen_steps *seen, const struct ft_seen_steps *beside)
{
    if (beside->accesses == 0)
        return;
    if (seen->accesses == 0) {
        *seen = *beside;
        return;
    }
    add_repeats_of(seen, beside);
    seen->lowest = beside->lowest < seen->lowest ? beside->lowest : seen->lowest;
    seen->accesses += beside->accesses;
}

int64_t ft_seen_stride(const struct ft_seen_steps *seen)
{
    return seen->repeats > 0 && 2 * seen->repeats >= seen->accesses ? seen->repeated
                                                                    : FT_STRIDE_NONE;
}
