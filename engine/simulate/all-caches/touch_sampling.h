/*
 * Touches sampled at random, evenly over a run whose length is not known: the first ones all, and
 * whenever there are twice as many samples as wanted, each is kept with probability 1/2, and from
 * then on half as many are taken. In the end each touch was as likely to be kept as any other.
 */
#ifndef FT_ENGINE_SIMULATE_ALL_CACHES_TOUCH_SAMPLING_H
#define FT_ENGINE_SIMULATE_ALL_CACHES_TOUCH_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

struct ft_touch_sampling {
    uint64_t random;
    uint64_t interval;        /* mean number of touches from sample to sample */
    uint64_t next;            /* the touch that is sampled next */
    uint64_t touches;         /* so far */
    uint64_t samples, wanted; /* samples: kept; the caller adds to and thins them */
};

static inline struct ft_touch_sampling ft_touch_sampling(uint64_t wanted, uint64_t seed)
{
    return (struct ft_touch_sampling){.random = seed, .interval = 1, .wanted = wanted};
}

/* How many samples fall on the next `weight` touches. */
uint64_t ft_touch_samples_in(struct ft_touch_sampling *sampling, uint64_t weight);

static inline bool ft_touch_samples_are_many(const struct ft_touch_sampling *sampling)
{
    return sampling->samples >= 2 * sampling->wanted;
}

/* Half as many from now on; the caller gives each of its samples to ft_touch_samples_keep, and adds
 * what is kept of it to `samples`, which is 0 then. */
void ft_touch_sampling_thin(struct ft_touch_sampling *sampling);
uint64_t ft_touch_samples_keep(struct ft_touch_sampling *sampling, uint64_t weight);

#endif
