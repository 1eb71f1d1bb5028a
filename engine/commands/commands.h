/* The subcommands of this layer, and the libraries that it is built on. */
#ifndef FT_ENGINE_COMMANDS_COMMANDS_H
#define FT_ENGINE_COMMANDS_COMMANDS_H

#include "formats/cli/libraries.h"
#include "formats/cli/options.h"

extern const struct ft_command ft_footprint_command;
extern const struct ft_command ft_replay_command;
extern const struct ft_command ft_simulate_command;
extern const struct ft_command ft_structure_command;

void ft_engine_libraries(ft_library_visitor *visit);

#endif
