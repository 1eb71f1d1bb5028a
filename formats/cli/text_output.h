/*
 * A file of text that a user asked for: written to PATH.partial, synced and renamed when it is
 * whole, so that a failure leaves what was there before as it was. path must outlive the output.
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
/* status: of what was written; the file gets its name if that and all writes went well, else it is
 * removed. Returns status or what failed here. */
int ft_text_output_finish(struct ft_text_output *output, int status, struct ft_diag *diag);

#endif
