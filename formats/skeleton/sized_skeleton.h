/*
 * The skeleton of a program as a function of the size (docs/skeleton.md, "Other sizes"): that of
 * the largest training size, whose numbers change by exact laws of the size (size_law.h), and its
 * heap blocks likewise. It also has the parts that only other sizes have, if these have laws: their
 * trip counts are 0 where they are not. Parts that have a number without a law stay as they were
 * recorded at the largest size. Plain data, owned.
 */
#ifndef FT_FORMATS_SKELETON_SIZED_SKELETON_H
#define FT_FORMATS_SKELETON_SIZED_SKELETON_H

#include "formats/skeleton/drawn.h"
#include "formats/skeleton/size_law.h"
#include "formats/skeleton/skeleton.h"

#define FT_SIZED_SIZES_MIN 3U
#define FT_SIZED_SIZES_MAX 64U

/* What is added to a number of the nest. */
struct ft_sized_number {
    size_t number;
    struct ft_size_law law;
};

struct ft_sized_block_event {
    uint32_t block; /* as the largest size numbers them; other sizes number those that they have */
    double from;    /* the size from which on there is such a block; 0: at all */
    bool is_freed, clears;
    uint64_t alignment; /* 0: malloc's */
    struct ft_size_law bytes;
};

/* A call of an allocation function, but for its number. */
struct ft_block_call {
    bool is_freed, clears;
    uint64_t alignment; /* 0: malloc's */
};

/* Calls of which sizes have different numbers, such as those for the rows of a matrix, as accesses
 * of a nest of loops: the place of an address has the bytes that are asked for, or the number of
 * the block that is freed. Sizes number blocks in the order in which they are allocated. */
struct ft_block_loops {
    struct ft_block_call *calls; /* [id of ACCESS tokens] */
    size_t call_count;
    struct ft_nest nest;
    struct ft_sized_number *numbers;
    size_t number_count;
};

void ft_block_loops_fini(struct ft_block_loops *loops);

/* Which blocks are allocated and freed in which order, and how large each is; not in the events
 * from the first one on that is not alike at all sizes. */
struct ft_block_laws {
    struct ft_sized_block_event *events;
    size_t event_count;
    struct ft_block_loops loops; /* in their place; no tokens: none */
    bool *is_confirmed;   /* [block]: the model of the allocator put it where it was at all training
                             sizes */
    uint32_t block_count; /* of `is_confirmed`: with those that only larger sizes have, of events */
};
void ft_block_laws_fini(struct ft_block_laws *laws);
/* Whether sizes have different numbers of blocks, so that they number them otherwise. */
bool ft_block_laws_are_renumbered(const struct ft_block_laws *laws);

/* How far off the misses of a scope are at the largest training size, learned from the others:
 * relative, fully associative, in a cache of 2^octave blocks. Scopes, block sizes and octaves
 * without one: not at all. */
struct ft_held_out_error {
    uint32_t scope;      /* of the largest skeleton */
    uint32_t block_size; /* index into the block sizes of the histograms that this was found with */
    uint32_t octave;
    double error;
};
#define FT_HELD_OUT_OCTAVES  32U
#define FT_HELD_OUT_ACCESSES FT_HELD_OUT_OCTAVES /* in their place: of the accesses */

struct ft_sized_skeleton {
    double *sizes; /* ascending */
    size_t size_count;
    struct ft_skeleton largest; /* with places (places.h), of one thread */
    struct ft_sized_number *numbers;
    size_t number_count;
    bool *is_sized; /* [token]: leaves that follow laws; in these, accesses that do not */
    struct ft_block_laws blocks;
    bool is_held_out; /* there are four sizes or more, and the largest was tried */
    struct ft_held_out_error *errors;
    size_t error_count;
    struct ft_drawn_loop *drawn; /* [irregular loop of the largest] */
    size_t drawn_count;
};
void ft_sized_skeleton_fini(struct ft_sized_skeleton *sized);
/* One that was allocated; NULL is ignored. */
void ft_sized_skeleton_free(struct ft_sized_skeleton *sized);
/* The laws of the numbers, then those of the blocks; NULL behind the last one. */
const struct ft_size_law *ft_sized_skeleton_law(const struct ft_sized_skeleton *sized,
                                                size_t index);
/* Whether laws have what model files have from version 11 on alone. */
bool ft_sized_skeleton_is_by_level(const struct ft_sized_skeleton *sized);
/* Whether loops are cut (drawn.h), likewise version 14. */
bool ft_sized_skeleton_has_cuts(const struct ft_sized_skeleton *sized);
/* Sizes are integers. */
bool ft_is_sized_size(double size);

#endif
