#include "formats/base/input_form.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODEL "model.h5" /* as `study` calls it */

static int refuse_folder(const char *path, struct ft_diag *diag)
{
    char *model = NULL;
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

static bool is_packed(const char *path)
{
    static const unsigned char zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    unsigned char head[sizeof zstd_magic];
    FILE *file = fopen(path, "re");
    const bool is_zstd = file && fread(head, sizeof head, 1, file) == 1 &&
                         memcmp(head, zstd_magic, sizeof head) == 0;
    if (file)
        (void)fclose(file); /* it was only read */
    return is_zstd;
}

int ft_check_no_folder(const char *path, struct ft_diag *diag)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode) ? refuse_folder(path, diag) : FT_OK;
}

int ft_check_input_form(const char *path, struct ft_diag *diag)
{
    struct stat there;
    FT_TRY(ft_check_no_folder(path, diag));
    return stat(path, &there) == 0 && S_ISREG(there.st_mode) && is_packed(path)
               ? ft_fail(diag, FT_ERROR_DATA,
                         "%s: is packed, as an archive is; unpack it with 'tar --zstd -xf %s'",
                         path, path)
               : FT_OK;
}
