#include "formats/model/thread_lookup.h"

#include <math.h>

double ft_model_thread_count(const struct ft_model *model, const struct ft_point *at)
{
    return model->threads.most > 1 ? fmax(round(ft_function_at(&model->threads.count, at)), 1) : 1;
}

const struct ft_model *ft_model_shared_by(const struct ft_model *model, uint32_t cores,
                                          double threads)
{
    const struct ft_model_threads *known = &model->threads;
    const uint32_t wanted = cores < known->most ? cores : known->most;
    if (threads <= 1)
        return model;
    /* Of more threads than ever ran those of a larger cache never filled it. */
    if (cores >= known->most && threads > cores)
        return NULL;
    if (wanted == known->cores)
        return model;
    for (size_t i = 0; i < known->shared_count; i++)
        if (known->shared[i].cores == wanted)
            return known->shared[i].model;
    return NULL;
}

/* Of a scope with accesses; no thread makes less than an even part, or more than all. */
static struct ft_thread_split split_of(const struct ft_thread_share *share,
                                       const struct ft_point *at, double threads)
{
    const double all = ft_function_at(&share->accesses, at);
    struct ft_thread_split split = {1, 1};
    if (all > 0) {
        split.busiest = ft_function_at(&share->busiest, at) / all;
        split.first = ft_function_at(&share->first, at) / all;
    }
    split.busiest = fmin(fmax(split.busiest, 1 / threads), 1);
    split.first = fmin(fmax(split.first, 0), split.busiest);
    return split;
}

bool ft_model_thread_splits(const struct ft_model *model, const struct ft_point *at,
                            struct ft_thread_split *ret_splits)
{
    const struct ft_model_threads *known = &model->threads;
    const double threads = ft_model_thread_count(model, at);
    const struct ft_scopes *scopes = &model->scopes;
    size_t next = 0;
    for (uint32_t i = 0; i < scopes->scope_count; i++) {
        const uint32_t parent = scopes->scopes[i].parent;
        ret_splits[i] = i > 0 && parent < i ? ret_splits[parent] : (struct ft_thread_split){1, 1};
        while (next < known->share_count && known->shares[next].scope < i)
            next++;
        if (next < known->share_count && known->shares[next].scope == i && threads > 1)
            ret_splits[i] = split_of(&known->shares[next], at, threads);
    }
    return threads <= 1 || known->share_count > 0;
}
