/*
 * The subcommands of foretrace. Each is defined in the commands/ of its stage;
 * predict/commands/table/ lists them, in the module that foretrace.c loads for all but `capture`.
 */
#ifndef FT_FORMATS_CLI_COMMANDS_H
#define FT_FORMATS_CLI_COMMANDS_H

#include "formats/cli/options.h"

extern const struct ft_command ft_archive_command;
extern const struct ft_command ft_bandwidth_command;
extern const struct ft_command ft_capture_command;
extern const struct ft_command ft_diff_command;
extern const struct ft_command ft_dump_command;
extern const struct ft_command ft_explain_command;
extern const struct ft_command ft_export_command;
extern const struct ft_command ft_fit_command;
extern const struct ft_command ft_footprint_command;
extern const struct ft_command ft_import_command;
extern const struct ft_command ft_info_command;
extern const struct ft_command ft_machine_command;
extern const struct ft_command ft_model_command;
extern const struct ft_command ft_plan_command;
extern const struct ft_command ft_predict_command;
extern const struct ft_command ft_query_command;
extern const struct ft_command ft_ranks_command;
extern const struct ft_command ft_replay_command;
extern const struct ft_command ft_report_command;
extern const struct ft_command ft_simulate_command;
extern const struct ft_command ft_structure_command;
extern const struct ft_command ft_study_command;
extern const struct ft_command ft_synthesise_command;
extern const struct ft_command ft_verify_command;

/* What main does, for all of them; gives the exit code. */
#define FT_COMMANDS_SYMBOL "ft_commands_main"
typedef int ft_commands_function(int argc, char **argv);
ft_commands_function ft_commands_main;

#endif
