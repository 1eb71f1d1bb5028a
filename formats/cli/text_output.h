/*
 * A text file that a user asked for: written to PATH.partial, then synced and renamed, so that a
 * failure leaves an earlier file untouched. path must outlive the output.
 */
#ifndef FT_FORMATS_CLI_TEXT_OUTPUT_H
#define FT_FORMATS_CLI_TEXT_OUTPUT_H

#include <stdio.h>

#include "formats/base/status.h"

struct ft_text_output {
    FILE *stream; /* to write to */
    const char *path;
    char *partial;
};

/* Refuses what ft_output_check (hdf5_output.h) does. */
int ft_text_output_create(const char *path, struct ft_text_output *ret_output,
                          struct ft_diag *diag);
/* status: of writing the contents. The file gets its name if that and all writes succeeded, else it
 * is removed. Returns status or the error here. */
int ft_text_output_finish(struct ft_text_output *output, int status, struct ft_diag *diag);

#endif
