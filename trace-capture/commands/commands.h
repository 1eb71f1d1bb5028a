/* The subcommands of this layer, and the libraries that it is built on. */
#ifndef FT_TRACE_CAPTURE_COMMANDS_COMMANDS_H
#define FT_TRACE_CAPTURE_COMMANDS_COMMANDS_H

#include "formats/cli/libraries.h"
#include "formats/cli/options.h"

extern const struct ft_command ft_capture_command;

void ft_trace_capture_libraries(ft_library_visitor *visit);

#endif
