/*
 * Repeats the commands of an archive that need nothing but its files, in a folder that has these.
 */
#ifndef FT_PREDICT_COMMANDS_ARCHIVE_REPEAT_H
#define FT_PREDICT_COMMANDS_ARCHIVE_REPEAT_H

#include "formats/base/status.h"
#include "formats/cli/json.h"
#include "predict/commands/archive/contents.h"
#include "predict/plan/held_signals.h"

/* Fails unless all files that the command names are inside the folder in which it runs. path: of
 * the archive, for messages. */
int ft_archive_command_check(const struct ft_archive_command *command, const char *path,
                             struct ft_diag *diag);

/* "[12] foretrace replay ...", on standard output. */
void ft_archive_command_show(const struct ft_archive_command *command, size_t number);
/* The command line, as the other has it. */
json_t *ft_archive_command_json(const struct ft_archive_command *command);
/* Runs it in the folder. A failure has the last line of what it said. */
int ft_archive_command_run(const struct ft_archive_command *command, const char *folder,
                           const struct ft_held_signals *signals, struct ft_diag *diag);

/* Makes the folders that a file FOLDER/NAME needs. */
int ft_archive_make_folders(const char *folder, const char *name, struct ft_diag *diag);

#endif
