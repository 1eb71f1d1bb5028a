/* The subcommands of this layer, and the libraries that it is built on. */
#ifndef FT_MACHINES_COMMANDS_COMMANDS_H
#define FT_MACHINES_COMMANDS_COMMANDS_H

#include "formats/cli/libraries.h"
#include "formats/cli/options.h"

void ft_machines_libraries(ft_library_visitor *visit);

#endif
