/*
 * What each scope, or each group of references, of one build is in another build, and how that was
 * found.
 */
#ifndef FT_ENGINE_MATCH_MATCHING_H
#define FT_ENGINE_MATCH_MATCHING_H

#include <stdint.h>

#define FT_NO_MATCH UINT32_MAX

enum ft_match_kind {
    FT_MATCH_NONE,
    FT_MATCH_CODE,    /* the same code of one build; groups: that of the heaviest reference */
    FT_MATCH_NAME,    /* modules and routines: the same name */
    FT_MATCH_STRIDES, /* groups: the same line, data and strides */
    FT_MATCH_LINE,    /* loops: the same line, in scopes that match; groups: the same line and data,
                         but other strides, as after vectorisation or unrolling */
    FT_MATCH_SHIFTED, /* on other lines: loops alike and in order, groups with data and strides */
    FT_MATCH_SHAPE,   /* routines, one of them without a name, whose code alone has this shape, with
                         their loops; groups: the same instruction of such routines */
    FT_MATCH_MOVED,   /* the same line elsewhere in the tree; groups: with the same data */
    FT_MATCH_KINDS
};
extern const char *const ft_match_kind_names[FT_MATCH_KINDS]; /* "", "code", ... */

struct ft_match {
    uint32_t
        item;     /* scope or group of the other side, or FT_NO_MATCH; not always a different one */
    uint8_t kind; /* enum ft_match_kind */
};

struct ft_matching {
    struct ft_match *of[2]; /* [side][scope or group] */
};
void ft_matching_fini(struct ft_matching *matching);

#endif
