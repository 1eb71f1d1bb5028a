#include "predict/study/program_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_file(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISREG(there.st_mode);
}

char *ft_study_program_file(const char *word)
{
    const char *folder = getenv("PATH");
    char *path = NULL;
    if (strchr(word, '/'))
        return is_file(word) ? strdup(word) : NULL;
    while (folder && *folder) {
        const size_t length = strcspn(folder, ":");
        if (asprintf(&path, "%.*s%s%s", (int)length, folder, length ? "/" : "", word) < 0)
            return NULL;
        if (is_file(path) && access(path, X_OK) == 0)
            return path;
        free(path);
        folder += length + (folder[length] == ':');
    }
    return NULL;
}

int ft_study_program_check(const char *word, struct ft_diag *diag)
{
    struct stat there;
    char *path = strchr(word, '{') ? NULL : ft_study_program_file(word);
    const bool is_found = path && access(path, X_OK) == 0;
    free(path);
    if (is_found || strchr(word, '{'))
        return FT_OK;
    if (stat(word, &there) != 0)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: there is no such program%s", word,
                       strchr(word, '/') ? "" : " in the PATH");
    if (!S_ISREG(there.st_mode))
        return ft_fail(diag, FT_ERROR_USAGE, "%s: is no file, which a program has to be", word);
    if (access(word, X_OK) != 0)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: is not executable (chmod +x %s)", word, word);
    return ft_fail(diag, FT_ERROR_USAGE, "%s: there is no such program in the PATH; write ./%s",
                   word, word);
}
