/*
 * Irregular loops as they are drawn at random: iterations take paths by their shares, and each of
 * the path's numbers progresses with the loop's iterations and entries, or is drawn from a range,
 * or moves with another number. As found at the largest training size, and with the functions of
 * the size that its parts follow. Plain data, owned.
 */
#ifndef FT_FORMATS_SKELETON_DRAWN_H
#define FT_FORMATS_SKELETON_DRAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/skeleton/size_law.h"

enum ft_drawn_kind {
    FT_DRAWN_BY_ENTRY,     /* first + start(entries) + slope * iteration of the entry / slope_per */
    FT_DRAWN_BY_EXECUTION, /* first + start(executions of the path) */
    FT_DRAWN_START,        /* as the first, its start drawn once an entry */
    FT_DRAWN_EACH,         /* drawn in each execution, or in each slope-th */
    FT_DRAWN_FOLLOWS,      /* first more than the leader; modulo 2^64 */
    FT_DRAWN_IN_BLOCKS, /* first + start(executions of the path / slope) + drawn in each: in blocks
                           that follow each other, each for as many executions */
    /* Of loops that are cut: drawn as in each, but not below... */
    FT_DRAWN_ABOVE_ENTRY, /* ...first + start(entries), which it is in the entry's first execution
                           */
    FT_DRAWN_ABOVE_NUMBER /* ...first more than the number before it in the path; span is the last
                           */
};

/* start(n) = n * step modulo span, if that is not 0; drawn: grain, or the step if that is not 0 and
 * there is no start(n), times a number below choices. */
enum ft_drawn_part {
    FT_DRAWN_FIRST,
    FT_DRAWN_STEP,
    FT_DRAWN_SPAN,
    FT_DRAWN_SLOPE,
    FT_DRAWN_CHOICES,
    FT_DRAWN_PARTS
};

struct ft_drawn_number {
    enum ft_drawn_kind kind;
    uint32_t leader; /* a number before this one, or itself */
    uint64_t grain;
    uint64_t slope_per;             /* iterations; rounded down (irregular.h) */
    uint64_t parts[FT_DRAWN_PARTS]; /* at the largest training size */
    double changes[FT_DRAWN_PARTS][FT_SIZED_COEFFICIENTS]; /* from there, at another size */
};

struct ft_drawn_path {
    uint32_t *tokens; /* (nest.h) */
    size_t token_count;
    double share; /* of the iterations, at the largest training size */
    bool has_law; /* executions and iterations do: law[0] is the one, law[1] the other, by powers
                     of the size */
    double law[2][FT_SIZED_COEFFICIENTS];
    struct ft_drawn_number *numbers;
    size_t number_count;
};

struct ft_drawn_loop {
    struct ft_drawn_path *paths; /* none: not drawn */
    size_t path_count;
    bool is_exact;                            /* iterations follow a law */
    double iterations[FT_SIZED_COEFFICIENTS]; /* of an entry, in the mean, by powers of the size */
    double scale, exponent;                   /* if not exact: scale * size ^ exponent */
    uint64_t iterations_min;                  /* in an entry; drawn between */
    bool varies;                              /* not all entries have as many */
};
/* Whether it is what depends on data in a loop of which the rest is in the nest: a path runs in
 * pieces there, each of which ends with the loop's own token (engine/skeleton/iteration_cut.h). */
bool ft_drawn_loop_is_cut(const struct ft_drawn_loop *loop, uint32_t id);
/* NULL is ignored. */
void ft_drawn_loops_free(struct ft_drawn_loop *loops, size_t loop_count);

#endif
