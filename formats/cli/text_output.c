/* A stream notes that a write failed, not why: errno, which is 0 when writing begins, has it. */
#include "formats/cli/text_output.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/base/hdf5_output.h"
#include "formats/base/unfinished.h"

int ft_text_output_create(const char *path, struct ft_text_output *ret_output, struct ft_diag *diag)
{
    struct ft_text_output output = {.path = path};
    int status = ft_output_check(path, diag);
    if (status != FT_OK)
        return status;
    if (asprintf(&output.partial, "%s.partial", path) < 0)
        return ft_fail_memory(diag, path);
    output.stream = fopen(output.partial, "we");
    if (!output.stream) {
        status = ft_output_fail(output.partial, errno, diag);
        free(output.partial);
        return status;
    }
    ft_unfinished_add(output.partial);
    *ret_output = output;
    errno = 0;
    return FT_OK;
}

int ft_text_output_finish(struct ft_text_output *output, int status, struct ft_diag *diag)
{
    /* Whoever wrote may have noticed a failure already, but does not know the file. */
    if ((status == FT_OK || status == FT_ERROR_IO) &&
        (ferror(output->stream) || fflush(output->stream) != 0 ||
         fsync(fileno(output->stream)) != 0))
        status = ft_output_fail(output->path, errno ? errno : EIO, diag);
    if (fclose(output->stream) != 0 && status == FT_OK)
        status = ft_output_fail(output->path, errno, diag);
    if (status == FT_OK && rename(output->partial, output->path) != 0)
        status = ft_output_fail(output->path, errno, diag);
    if (status != FT_OK)
        (void)unlink(output->partial);
    ft_unfinished_drop(output->partial);
    free(output->partial);
    return status;
}
