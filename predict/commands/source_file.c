#include "predict/commands/source_file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ft_source_name(const char *path, char *name, size_t bytes)
{
    size_t used = 0;
    while (*path) {
        const size_t length = strcspn(path, "/");
        const bool is_up = length == 2 && strncmp(path, "..", 2) == 0;
        const char *component = is_up ? "__" : path;
        if (length > 0 && !(length == 1 && *path == '.')) {
            if (used + length + 2 > bytes)
                return false;
            if (used > 0)
                name[used++] = '/';
            memcpy(name + used, component, length);
            used += length;
        }
        path += length + (path[length] == '/');
    }
    name[used] = 0;
    return used > 0;
}

int ft_sources_check(const char *folder, struct ft_diag *diag)
{
    struct stat there;
    if (!folder || (stat(folder, &there) == 0 && S_ISDIR(there.st_mode)))
        return FT_OK;
    return ft_fail(diag, FT_ERROR_USAGE,
                   "--sources %s: %s; expected a folder that has the source files under their "
                   "whole paths, such as sources/ of an archive",
                   folder, access(folder, F_OK) == 0 ? "is no folder" : strerror(errno));
}

FILE *ft_source_open(const struct ft_source_place *place, const char *path)
{
    char name[PATH_MAX], in_folder[2 * PATH_MAX];
    struct stat there;
    const struct ft_source_file *kept =
        place->kept ? ft_source_files_find(place->kept, path) : NULL;
    if (kept)
        return fmemopen((void *)ft_source_files_text(place->kept, kept), kept->bytes, "r");
    if (place->folder) {
        if (!ft_source_name(path, name, sizeof name))
            return NULL;
        const int length = snprintf(in_folder, sizeof in_folder, "%s/%s", place->folder, name);
        if (length < 0 || (size_t)length >= sizeof in_folder)
            return NULL;
        path = in_folder;
    }
    return stat(path, &there) == 0 && S_ISREG(there.st_mode) ? fopen(path, "re") : NULL;
}
