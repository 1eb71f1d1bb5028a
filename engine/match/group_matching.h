/*
 * Which groups of references of two builds of a program are the same, in routines and loops that
 * are (scope_matching.h): those with the same code; those of the same line that touch the same data
 * and move alike; of the same line and data; of the same data that move alike, in their order;
 * those in the same place of routines with as many instructions that do the same; and those that
 * stand on the same line of the source elsewhere in the tree (docs/structure.md, "Matching").
 */
#ifndef FT_ENGINE_MATCH_GROUP_MATCHING_H
#define FT_ENGINE_MATCH_GROUP_MATCHING_H

#include "engine/match/group_places.h"
#include "engine/match/scope_matching.h"

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

int ft_groups_match(const struct ft_group_places sides[2], const struct ft_scope_matching *scopes,
                    struct ft_group_matching *ret_matching, struct ft_diag *diag);
void ft_group_matching_fini(struct ft_group_matching *matching);

#endif
