#include "formats/base/temporary_path.h"

#include <stdio.h>
#include <stdlib.h>

int ft_temporary_path(char *path, size_t bytes, const char *name, struct ft_diag *diag)
{
    const char *folder = getenv("TMPDIR");
    const int length = snprintf(path, bytes, "%s/foretrace-%s-XXXXXX",
                                folder && folder[0] ? folder : "/tmp", name);
    if (length < 0 || (size_t)length >= bytes)
        return ft_fail(diag, FT_ERROR_IO, "TMPDIR: the path is too long");
    return FT_OK;
}
