/*
 * Which scopes of two builds of a program, or of two runs of one build, are the same: modules by
 * build-id or name; routines and loops of one build by their code's place in the file, else
 * routines by name and file, and loops by inlined calls, file, line and nesting (docs/structure.md,
 * "Matching"). What is alike more than once, and so not certain, stays unmatched.
 */
#ifndef FT_ENGINE_MATCH_SCOPE_MATCHING_H
#define FT_ENGINE_MATCH_SCOPE_MATCHING_H

#include "engine/match/scope_places.h"

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

int ft_scopes_match(const struct ft_scope_places sides[2], struct ft_scope_matching *ret_matching,
                    struct ft_diag *diag);
void ft_scope_matching_fini(struct ft_scope_matching *matching);

#endif
