#include "predict/commands/source_file.h"

#include <sys/stat.h>

FILE *ft_source_open(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISREG(there.st_mode) ? fopen(path, "re") : NULL;
}
