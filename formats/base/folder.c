#include "formats/base/folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODEL "model.h5" /* as `study` calls it */

int ft_refuse_folder(const char *path, struct ft_diag *diag)
{
    struct stat there;
    char *model = NULL;
    if (stat(path, &there) != 0 || !S_ISDIR(there.st_mode))
        return FT_OK;
    const size_t length = strlen(path);
    const bool ends = length > 0 && path[length - 1] == '/';
    if (asprintf(&model, "%s%s" MODEL, path, ends ? "" : "/") < 0)
        return ft_fail_memory(diag, path);
    const int status =
        access(model, R_OK) == 0
            ? ft_fail(diag, FT_ERROR_DATA, "%s: is a folder; the model in it is %s", path, model)
            : ft_fail(diag, FT_ERROR_DATA, "%s: is a folder; expected a file", path);
    free(model);
    return status;
}
