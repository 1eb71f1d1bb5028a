/*
 * Which scope of another build a scope is, and how that was found.
 */
#ifndef FT_ENGINE_MATCH_SCOPE_MATCH_H
#define FT_ENGINE_MATCH_SCOPE_MATCH_H

#include <stdint.h>

#define FT_NO_SCOPE UINT32_MAX

enum ft_match_kind {
    FT_MATCH_NONE,
    FT_MATCH_CODE,    /* one build: the same place in the file */
    FT_MATCH_NAME,    /* routines and modules: by name */
    FT_MATCH_LINE,    /* loops: the same line, in what matches */
    FT_MATCH_SHIFTED, /* loops: in order and alike, at other lines */
    FT_MATCH_MOVED,   /* loops: the same line of the same routine, but elsewhere in the tree */
    FT_MATCH_SHAPE,   /* routines, one without a name: the only ones with such code; their loops */
};
extern const char *const ft_match_kind_names[FT_MATCH_SHAPE + 1];

struct ft_scope_match {
    uint32_t scope; /* of the other side, or FT_NO_SCOPE; several may have the same */
    uint8_t kind;   /* enum ft_match_kind */
};

struct ft_scope_matching {
    struct ft_scope_match *of[2]; /* [side][scope] */
};
void ft_scope_matching_fini(struct ft_scope_matching *matching);

#endif
