#ifndef FT_FORMATS_BASE_FILE_NAME_H
#define FT_FORMATS_BASE_FILE_NAME_H

#include <string.h>

/* What follows the last slash of a path; all of it where there is none. */
static inline const char *ft_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
