#include "trace-capture/commands/estimate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/bytes.h"
#include "formats/base/remove_tree.h"
#include "formats/base/temporary_path.h"

/* A % of the folder's name stands for itself in patterns. NULL: out of memory. */
static char *pattern_in(const char *folder)
{
    static const char name[] = "/trace.h5";
    struct ft_bytes pattern = {0};
    for (; *folder; folder++) {
        if (*folder == '%')
            ft_put_u8(&pattern, '%');
        ft_put_u8(&pattern, (uint8_t)*folder);
    }
    for (size_t i = 0; i < sizeof name; i++)
        ft_put_u8(&pattern, (uint8_t)name[i]);
    if (pattern.failed) {
        ft_bytes_fini(&pattern);
        return NULL;
    }
    return (char *)pattern.data;
}

int ft_estimate_begin(struct ft_estimate *estimate, struct ft_capture_options *options,
                      struct ft_diag *diag)
{
    *estimate = (struct ft_estimate){0};
    if (!options->is_estimate)
        return FT_OK;
    char folder[PATH_MAX];
    FT_TRY(ft_temporary_path(folder, sizeof folder, "estimate", diag));
    if (!mkdtemp(folder))
        return ft_fail(diag, FT_ERROR_IO,
                       "%s: %s; TMPDIR names the folder of the trace that --estimate makes and "
                       "removes",
                       folder, strerror(errno));
    memcpy(estimate->folder, folder, sizeof folder);
    estimate->output_pattern = pattern_in(folder);
    if (!estimate->output_pattern)
        return ft_fail_memory(diag, "the trace's name");
    options->output_pattern = estimate->output_pattern;
    return FT_OK;
}

void ft_estimate_fini(struct ft_estimate *estimate)
{
    if (estimate->folder[0])
        ft_remove_tree(estimate->folder);
    free(estimate->output_pattern);
    *estimate = (struct ft_estimate){0};
}
