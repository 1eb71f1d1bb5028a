/*
 * Which group of references of another build a group is, and how that was found.
 */
#ifndef FT_ENGINE_MATCH_GROUP_MATCH_H
#define FT_ENGINE_MATCH_GROUP_MATCH_H

#include <stdint.h>

#define FT_NO_GROUP_MATCH UINT32_MAX

enum ft_group_match_kind {
    FT_GROUP_UNMATCHED,
    FT_GROUP_CODE,    /* its heaviest reference is of code that the other side has */
    FT_GROUP_STRIDES, /* the same line, data and strides */
    FT_GROUP_LINE,    /* the same line and data: vectorised, unrolled */
    FT_GROUP_SHIFTED, /* the same data and strides on other lines */
    FT_GROUP_SHAPE,   /* the same instruction of routines of one name and shape */
    FT_GROUP_MOVED,   /* the same line and data elsewhere in the tree */
};
extern const char *const ft_group_match_names[FT_GROUP_MOVED + 1];

struct ft_group_match {
    uint32_t group; /* of the other side, or FT_NO_GROUP_MATCH; several may have the same */
    uint8_t kind;   /* enum ft_group_match_kind */
};

struct ft_group_matching {
    struct ft_group_match *of[2]; /* [side][group] */
};
void ft_group_matching_fini(struct ft_group_matching *matching);

#endif
