/*
 * A number of a list of levels (level_lists.h) as a function of the size N and the level k, counted
 * from that of the size itself on: a sum of few terms, such as N / 2^k, 2^k, k, or the sum of the
 * areas of all grids before; some of them at every second level only, as where passes go to and fro
 * between two arrays; or a number that changes where N / 2^k reaches a value, as which path of
 * memset is run.
 */
#ifndef FT_FIT_SKELETONS_LEVEL_LAWS_H
#define FT_FIT_SKELETONS_LEVEL_LAWS_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/skeleton/size_law.h"

#define FT_LEVEL_TERMS_MAX 8U
/* Doublings of the largest size whose levels are known. */
#define FT_LEVEL_DOUBLINGS 8U

struct ft_level_sample {
    double size;
    unsigned level;
    double value; /* an integer */
};

struct ft_level_law {
    size_t count;
    unsigned terms[FT_LEVEL_TERMS_MAX];
    double factors[FT_LEVEL_TERMS_MAX];
    struct ft_law_step steps[FT_LAW_STEPS]; /* from N / 2^k on */
};

/* samples: by ascending size, at most FT_SIZED_SIZES_MAX. All sizes but the largest determine a
 * law, with one sample more than it takes at least, and all samples confirm it. False: there is
 * none. */
bool ft_level_law_find(const struct ft_level_sample *samples, size_t count,
                       struct ft_level_law *ret_law);
/* That of a level. */
void ft_level_law_of(const struct ft_level_law *law, unsigned level, struct ft_size_law *ret_law);

#endif
