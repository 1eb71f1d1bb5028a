/*
 * The metadata of an archive, ro-crate-metadata.json: RO-Crate 1.1
 * (https://w3id.org/ro/crate/1.1) with the profile Process Run Crate 0.5
 * (https://w3id.org/ro/wfrun/process/0.5). Each command is a CreateAction: its description is the
 * command line, object and result are files of the archive.
 */
#ifndef FT_PREDICT_COMMANDS_ARCHIVE_CRATE_H
#define FT_PREDICT_COMMANDS_ARCHIVE_CRATE_H

#include "formats/archive/sums.h"
#include "formats/base/status.h"
#include "predict/commands/archive/contents.h"

struct ft_crate_terms {
    const char *license; /* an address, or a sentence; NULL: none is given */
    const char *author;  /* NULL: not named */
};

/* The JSON as a text, to be freed. sums: of all files but these metadata and SHA256SUMS. */
int ft_crate_write(const struct ft_archive_contents *contents, const struct ft_archive_sums *sums,
                   const struct ft_crate_terms *terms, char **ret_text, struct ft_diag *diag);
/* The commands, with files and outputs; no members. path: for messages. FT_ERROR_DATA: these are no
 * metadata of an archive. ret_version: of foretrace that made it, to be freed. */
int ft_crate_read(const char *text, const char *path, struct ft_archive_contents *ret_contents,
                  char **ret_version, struct ft_diag *diag);

#endif
