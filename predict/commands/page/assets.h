/*
 * Files that are part of the program, as make-assets wrote them into it at build time. Several may
 * be of one kind, the name of the place in the template where they go, in their order.
 */
#ifndef FT_PREDICT_COMMANDS_PAGE_ASSETS_H
#define FT_PREDICT_COMMANDS_PAGE_ASSETS_H

#include <stddef.h>

struct ft_asset {
    const char *kind; /* "page", "style", "library", "licence"; scripts of all pages "script", of
                         some "tree", "report", "measured", "diff" */
    const unsigned char *bytes;
    size_t byte_count;
};

extern const struct ft_asset ft_assets[];
extern const size_t ft_asset_count;

#endif
