/* The subcommands of this layer, and the libraries that it is built on. */
#ifndef FT_FIT_COMMANDS_COMMANDS_H
#define FT_FIT_COMMANDS_COMMANDS_H

#include "formats/cli/libraries.h"
#include "formats/cli/options.h"

extern const struct ft_command ft_fit_command;

void ft_fit_libraries(ft_library_visitor *visit);

#endif
