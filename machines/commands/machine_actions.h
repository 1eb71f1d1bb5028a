/*
 * What `foretrace machine` does, one function an action; operands are those behind its name.
 * Each prints its result, and fails as functions do.
 */
#ifndef FT_MACHINES_COMMANDS_MACHINE_ACTIONS_H
#define FT_MACHINES_COMMANDS_MACHINE_ACTIONS_H

#include "formats/cli/options.h"
#include "machines/commands/value_rows.h"
#include "machines/machine_file.h"

/* machine_show.c */
int ft_machine_list_action(const struct ft_arguments *arguments, struct ft_diag *diag);
int ft_machine_show_action(const struct ft_arguments *arguments, struct ft_diag *diag);
int ft_machine_check_action(const struct ft_arguments *arguments, struct ft_diag *diag);
/* machine_compare.c */
int ft_machine_compare_action(const struct ft_arguments *arguments, struct ft_diag *diag);
/* machine_detect.c */
int ft_machine_detect_action(const struct ft_arguments *arguments, struct ft_diag *diag);

/* machine_probe.c */
int ft_machine_probe_action(const struct ft_arguments *arguments, struct ft_diag *diag);

/* A machine with its values, checked as a whole. */
struct ft_shown_machine {
    struct ft_machine_file file;
    struct ft_machine machine;
    struct ft_value_rows rows;
};
int ft_shown_machine_open(const char *name, struct ft_shown_machine *ret_shown,
                          struct ft_diag *diag);
void ft_shown_machine_fini(struct ft_shown_machine *shown);

/* Adds a cell with a value: bytes as such, numbers with up to 6 digits, words; NULL: "-". */
struct ft_table;
void ft_value_cell(struct ft_table *table, const struct ft_value_row *row);

#endif
