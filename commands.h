/*
 * All subcommands, as the module that the front door loads for every one but `capture`.
 */
#ifndef FT_COMMANDS_H
#define FT_COMMANDS_H

#define FT_COMMANDS_SYMBOL "ft_commands_main"

typedef int ft_commands_function(int argc, char **argv);

/* What main does; gives the exit code. */
ft_commands_function ft_commands_main;

#endif
