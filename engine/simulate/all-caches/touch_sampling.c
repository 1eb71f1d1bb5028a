#include "engine/simulate/all-caches/touch_sampling.h"

#include "formats/base/splitmix.h"

uint64_t ft_touch_samples_in(struct ft_touch_sampling *sampling, uint64_t weight)
{
    uint64_t samples = 0, end = sampling->touches + weight;
    while (sampling->next < end) {
        uint64_t spread = 2 * sampling->interval - 1;
        samples++;
        sampling->next += 1 + ft_splitmix(&sampling->random) % spread;
    }
    sampling->touches = end;
    return samples;
}

void ft_touch_sampling_thin(struct ft_touch_sampling *sampling)
{
    sampling->samples = 0;
    sampling->interval *= 2;
}

uint64_t ft_touch_samples_keep(struct ft_touch_sampling *sampling, uint64_t weight)
{
    uint64_t kept = 0;
    for (; weight >= 64; weight -= 64)
        kept += (uint64_t)__builtin_popcountll(ft_splitmix(&sampling->random));
    uint64_t mask = (UINT64_C(1) << weight) - 1;
    return kept + (uint64_t)__builtin_popcountll(ft_splitmix(&sampling->random) & mask);
}
