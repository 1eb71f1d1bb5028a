#include "predict/intervals/regimes.h"

#include <math.h>

#define SHARE_MIN 0.01

/* Of a group, by sizes left out: the largest count among the functions that left so many out. */
struct counts {
    double largest[FT_REGIMES_MAX + 1];
};

static void note(struct counts *counts, const struct ft_function *function, double count)
{
    size_t left_out = function->left_out < FT_REGIMES_MAX ? function->left_out : FT_REGIMES_MAX;
    counts->largest[left_out] = fmax(counts->largest[left_out], count);
}

static void note_histogram(struct counts *counts, const struct ft_model_histogram *histogram,
                           const struct ft_point *at)
{
    note(counts, &histogram->touches, ft_function_at(&histogram->touches, at));
    note(counts, &histogram->cold, ft_function_at(&histogram->cold, at));
    for (size_t i = 0;
         histogram->member_count > 0 && i < ft_member_bins_count(histogram->members[0].bins); i++) {
        const struct ft_model_bin bin = ft_member_bin(histogram->members[0].bins, i);
        double touches = ft_function_at(&bin.tail, at);
        note(counts, &bin.tail, touches);
        note(counts, &bin.distance_blocks, touches);
    }
}

static struct counts counts_of(const struct ft_model *model, const struct ft_machine *machine,
                               const struct ft_model_group *group, const struct ft_point *at)
{
    struct counts counts = {{0}};
    note(&counts, &group->accesses, ft_function_at(&group->accesses, at));
    for (size_t size = 0; size < model->size_count; size++)
        for (size_t i = 0; i < machine->level_count; i++)
            if (machine->levels[i].block_bytes == model->block_bytes[size]) {
                note_histogram(&counts, &group->histograms[size], at);
                break;
            }
    return counts;
}

size_t ft_regimes_dropped(const struct ft_model *model, const struct ft_machine *machine,
                          struct ft_regime ret_regimes[FT_REGIMES_MAX])
{
    const struct ft_point largest = ft_model_largest(model);
    double shares[FT_REGIMES_MAX + 1] = {0}, heaviest[FT_REGIMES_MAX + 1] = {0}, total = 0;
    uint32_t scopes[FT_REGIMES_MAX + 1] = {0};
    size_t count = 0;
    for (size_t i = 0; i < model->group_count; i++) {
        const struct ft_model_group *group = &model->groups[i];
        const struct counts counts = counts_of(model, machine, group, &largest);
        total += ft_function_at(&group->accesses, &largest);
        for (size_t left_out = 1; left_out <= FT_REGIMES_MAX; left_out++) {
            shares[left_out] += counts.largest[left_out];
            if (counts.largest[left_out] > heaviest[left_out]) {
                heaviest[left_out] = counts.largest[left_out];
                scopes[left_out] = group->scope;
            }
        }
    }
    for (size_t i = 1; i <= FT_REGIMES_MAX; i++)
        if (shares[i] > 0 && shares[i] >= SHARE_MIN * total)
            ret_regimes[count++] =
                (struct ft_regime){.left_out = i, .share = shares[i] / total, .scope = scopes[i]};
    return count;
}
