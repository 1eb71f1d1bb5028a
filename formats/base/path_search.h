/*
 * Where programs are: the folders of PATH.
 */
#ifndef FT_FORMATS_BASE_PATH_SEARCH_H
#define FT_FORMATS_BASE_PATH_SEARCH_H

#include <stdbool.h>

/* The file that execvp would run for a name without slashes, to be freed; without a PATH from /bin
 * and /usr/bin. NULL where there is none, or without memory; *ret_is_unusable, if not NULL: whether
 * a file of the name is there that may not be executed. */
char *ft_path_search(const char *name, bool *ret_is_unusable);

#endif
