/*
 * What a name may be, for the message about one that it is not: all of them, and which is meant.
 */
#ifndef FT_MACHINES_KNOWN_NAMES_H
#define FT_MACHINES_KNOWN_NAMES_H

#include "formats/base/closest_name.h"
#include "formats/base/status.h"

#define FT_KNOWN_BYTES 512

/* To be initialised with closest.wanted. */
struct ft_known_names {
    struct ft_closest_name closest;
    char text[FT_KNOWN_BYTES]; /* "a, b, c"; cut where there are too many */
    size_t used;
};

/* name must outlive the struct. */
void ft_known_names_add(struct ft_known_names *names, const char *name);

/* place: what stands in front, "FILE: line 3: ", or ""; what: "machine", "key of L2". */
int ft_known_names_fail(const struct ft_known_names *names, int status, const char *place,
                        const char *what, struct ft_diag *diag);

#endif
