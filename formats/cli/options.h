/*
 * Subcommands and their options as tables: parsing and --help both come from the same rows.
 *
 * A command is one struct ft_command; predict/commands/table/ lists them. The parser follows git
 * and perf: options before or between operands, "--" ends them, --help prints to stdout and exits
 * 0, misuse prints one sentence to stderr and exits 2. What rows say of repetitions, of options
 * together and of files that are written is checked before the command runs; commands that write
 * files have the option --force (output_file.h).
 */
#ifndef FT_FORMATS_CLI_OPTIONS_H
#define FT_FORMATS_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/cli/output_file.h"

struct ft_option {
    const char *name;         /* "output": the long form, without dashes */
    char letter;              /* 'o', or 0 */
    const char *argument;     /* "FILE" as help shows it; NULL: a flag */
    const char *help;         /* one line; what it does, default and unit */
    const char *excludes;     /* names of options that exclude it, "csv dot"; or NULL */
    const char *needs;        /* names of options of which it needs at least one; or NULL */
    const char *fallback;     /* the argument where the option is not given; or NULL */
    enum ft_file_kind writes; /* the argument is a file of this kind that the command writes */
    bool reads;               /* the argument is a file that the command reads */
    bool repeats;             /* may be given several times, and all count */
};

struct ft_arguments;

struct ft_command {
    const char *name;
    const char *synopsis; /* "replay [options] -o HIST TRACE..." */
    const char *summary;  /* one line for the list of commands */
    const char *details;  /* paragraphs and examples for --help; may be NULL */
    const struct ft_option *options;
    size_t option_count;
    bool operands_end_options; /* as for capture: the first operand starts another program's
                                  command line */
    int usage_exit_code;       /* 0 means 2 */
    const char *joins;         /* the option with which several processes run it as one: then it
                                  checks its outputs itself, so that one of them speaks */
    int (*run)(const struct ft_arguments *arguments); /* gives the exit code */
};

/* The rows of the command's table, then those that it need not list: --force where it writes files,
 * and --help. */
size_t ft_command_row_count(const struct ft_command *command);
const struct ft_option *ft_command_row(const struct ft_command *command, size_t index);

/* How often an option was given, its i-th argument of those, and its last or, where it was not
 * given, its fallback or NULL. A name that is not in the command's table, and an index beyond what
 * was given, are bugs, and abort. */
size_t ft_option_count(const struct ft_arguments *arguments, const char *name);
const char *ft_option_at(const struct ft_arguments *arguments, const char *name, size_t index);
const char *ft_option_last(const struct ft_arguments *arguments, const char *name);

/* The last argument as an integer in [low, high], or fallback where the option was not given.
 */
int ft_option_u64(const struct ft_arguments *arguments, const char *name, uint64_t fallback,
                  uint64_t low, uint64_t high, uint64_t *ret_value, struct ft_diag *diag);

size_t ft_operand_count(const struct ft_arguments *arguments);
/* All operands, followed by a NULL as for execvp. */
char **ft_operands(const struct ft_arguments *arguments);

/* How many of the operands, the last ones, are behind "--"; not of commands whose operands end
 * options. */
size_t ft_operands_behind_dashes(const struct ft_arguments *arguments);

/* Checks all files that the options say will be written, by the rule of output_file.h. */
int ft_command_check_outputs(const struct ft_arguments *arguments, struct ft_diag *diag);
/* Checks a file that no option names, such as one of several. */
int ft_command_check_output(const struct ft_arguments *arguments, const char *path,
                            enum ft_file_kind kind, struct ft_diag *diag);

/* Prints "foretrace NAME: message" to stderr and gives the exit code of the status. */
int ft_command_fail(const struct ft_arguments *arguments, const struct ft_diag *diag);
/* The same for misuse, with a hint at --help; returns the command's usage exit code. */
__attribute__((format(printf, 2, 3))) int ft_command_misuse(const struct ft_arguments *arguments,
                                                            const char *format, ...);

/* Parses argv (argv[0] is the command's name) and runs the command; gives the exit code. */
int ft_command_main(const struct ft_command *command, int argc, char **argv);

#endif
