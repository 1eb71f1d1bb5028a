/*
 * Options shared by commands that show misses on a machine: the machine, how many routines and
 * loops, and the form of the output.
 *
 * The machines are owned.
 */
#ifndef FT_MACHINES_COMMANDS_REPORT_OPTIONS_H
#define FT_MACHINES_COMMANDS_REPORT_OPTIONS_H

#include "formats/cli/options.h"
#include "formats/cli/terminal.h"
#include "machines/machine.h"

enum ft_report_form { FT_REPORT_TEXT, FT_REPORT_JSON, FT_REPORT_CSV };

struct ft_report_options {
    struct ft_machine *machines; /* one for each --machine, in their order */
    size_t machine_count;
    uint64_t loop_limit; /* routines and loops to show at most */
    enum ft_report_form form;
    bool folds_startup; /* of commands that do: whether start-up and exit code is a single row */
};

/* What --machine takes, for the help of all commands that have it. */
#define FT_MACHINE_HELP   "a name ('machine list'), host, or a YAML file; with edits: amd-zen5,L2=2M"
#define FT_MACHINE_NEEDED "--machine is needed: " FT_MACHINE_HELP

/* Rows of a command's table of options. several: whether it takes several machines; `measure`
 * completes "routines and loops ...". */
/* clang-format off */
#define FT_REPORT_OPTIONS(several, measure)                                                        \
    {"machine", 'm', "MACHINE", FT_MACHINE_HELP,                                                    \
     .reads = true, .repeats = (several)},                                                         \
    {"loops", 0, "COUNT", "show the COUNT routines and loops " measure " (20)"},                   \
    {"json", 0, NULL, "as JSON (docs/json.md), all loops unless --loops is given", .excludes = "csv"},                \
    {"csv", 0, NULL, "program, routines and loops as CSV, all unless --loops is given"},            \
    FT_WIDE_OPTION
/* clang-format on */

/* What --json and --csv say. */
enum ft_report_form ft_report_form_read(const struct ft_arguments *arguments);
/* --machine must have been given. */
int ft_report_options_read(const struct ft_arguments *arguments,
                           struct ft_report_options *ret_options, struct ft_diag *diag);
/* Of these --machine alone, for commands with options of their own. Also after a failure, the
 * caller frees the options. */
int ft_report_machines_read(const struct ft_arguments *arguments, struct ft_report_options *options,
                            struct ft_diag *diag);
void ft_report_options_fini(struct ft_report_options *options);

#endif
