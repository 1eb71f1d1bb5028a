/*
 * "Did you mean": which of some names a mistyped one is close to, by the number of letters that are
 * wrong, missing, superfluous or swapped with their neighbour (optimal string alignment). Words of
 * a name that are missing in front are one letter.
 */
#ifndef FT_FORMATS_BASE_CLOSEST_NAME_H
#define FT_FORMATS_BASE_CLOSEST_NAME_H

#include <stddef.h>

struct ft_closest_name {
    const char *wanted;
    const char *name; /* the closest so far, the first of several; NULL: none is close */
    size_t distance;
};

/* Considers one more name, which must outlive the struct. Of names that differ in more than a third
 * of their letters none is close. */
void ft_closest_name_try(struct ft_closest_name *closest, const char *name);

#endif
