#include "formats/base/path_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *ft_path_search(const char *name, bool *ret_is_unusable)
{
    const char *folder = getenv("PATH");
    bool is_unusable = false;
    char *path = NULL;
    if (!folder || !*folder)
        folder = "/bin:/usr/bin";
    while (*folder && !path) {
        const size_t length = strcspn(folder, ":");
        struct stat there;
        if (asprintf(&path, "%.*s%s%s", (int)length, folder, length ? "/" : "./", name) < 0)
            return NULL;
        const bool is_file = stat(path, &there) == 0 && S_ISREG(there.st_mode);
        if (!is_file || access(path, X_OK) != 0) {
            is_unusable = is_unusable || is_file;
            free(path);
            path = NULL;
        }
        folder += length + (folder[length] == ':');
    }
    if (ret_is_unusable)
        *ret_is_unusable = is_unusable && !path;
    return path;
}
