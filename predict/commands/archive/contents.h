/*
 * What goes into an archive: files under their names there, and the commands of foretrace that made
 * them. Commands name files as they are called in the archive, so that they can be repeated in its
 * folder. Owned texts; zeros are empty contents.
 */
#ifndef FT_PREDICT_COMMANDS_ARCHIVE_CONTENTS_H
#define FT_PREDICT_COMMANDS_ARCHIVE_CONTENTS_H

#include <stdio.h>
#include <time.h>

#include "formats/base/status.h"
#include "predict/study/words.h"

#define FT_ARCHIVE_README   "README.md"
#define FT_ARCHIVE_METADATA "ro-crate-metadata.json"
#define FT_ARCHIVE_VERSIONS "versions.txt"

struct ft_archive_member {
    char *name;   /* in the archive */
    char *source; /* the file */
    char *what;   /* "the model" */
    bool is_kept; /* as it is, in a private archive, too */
};

struct ft_archive_command {
    struct ft_words words;           /* behind "foretrace" */
    size_t program_at;               /* where those of a program begin; SIZE_MAX: there are none */
    char *output;                    /* the file that standard output went to, or NULL */
    bool is_noisy;                   /* with standard error, and an empty input */
    struct ft_words inputs, outputs; /* files of the archive */
    char *ended;                     /* when, ISO 8601; NULL: not known */
};

struct ft_archive_contents {
    char *title; /* one line: "study of matmul" */
    struct ft_archive_member *members;
    size_t member_count, member_capacity;
    struct ft_archive_command *commands; /* in their order */
    size_t command_count, command_capacity;
};

void ft_archive_contents_fini(struct ft_archive_contents *contents);
void ft_archive_command_fini(struct ft_archive_command *command);

/* A name for a file in the archive, to be freed: the path where it is relative and leads nowhere
 * else, or its last component. NULL without memory. */
char *ft_archive_name_of(const char *path);

/* FT_ERROR_USAGE: another file has the name. The same file twice is one. what: "the model". */
int ft_archive_add_file(struct ft_archive_contents *contents, const char *name, const char *source,
                        const char *what, struct ft_diag *diag);
/* The file stays as it is in a private archive, too: somebody wanted it to be there. */
void ft_archive_keep(struct ft_archive_contents *contents, const char *name);
const struct ft_archive_member *ft_archive_find_member(const struct ft_archive_contents *contents,
                                                       const char *name);
/* That of a file on the disk, by whatever path. */
const struct ft_archive_member *ft_archive_find_source(const struct ft_archive_contents *contents,
                                                       const char *source);
/* Adds the files of machines that the command takes by the names of the list, as they are installed
 * now: to be read, as another version of foretrace may know them otherwise. */
int ft_archive_add_machines(struct ft_archive_contents *contents,
                            struct ft_archive_command *command, struct ft_diag *diag);
/* Takes the command over, also where it fails; `ended` is the last change of its first output. */
int ft_archive_add_command(struct ft_archive_contents *contents, struct ft_archive_command *command,
                           struct ft_diag *diag);

/* Whether it needs nothing but files of the archive: no program, no host. */
bool ft_archive_command_repeats(const struct ft_archive_command *command);
/* The number of the first command that makes the file, from 1; 0: none. */
size_t ft_archive_maker_of(const struct ft_archive_contents *contents, const char *name);
/* Whether one that repeats makes it. */
bool ft_archive_is_made(const struct ft_archive_contents *contents, const char *name);
/* As a shell takes it, in one line. */
void ft_archive_command_print(const struct ft_archive_command *command, FILE *stream);
/* The reverse; files are what `inputs` and `outputs` say. */
int ft_archive_command_parse(const char *text, struct ft_archive_command *ret_command,
                             struct ft_diag *diag);

/* ISO 8601, UTC, to be freed; NULL without memory. */
char *ft_archive_time_text(time_t time);

#endif
