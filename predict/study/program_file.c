#include "predict/study/program_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/path_search.h"

char *ft_study_program_file(const char *word)
{
    struct stat there;
    if (!strchr(word, '/'))
        return ft_path_search(word, NULL);
    return stat(word, &there) == 0 && S_ISREG(there.st_mode) ? strdup(word) : NULL;
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
