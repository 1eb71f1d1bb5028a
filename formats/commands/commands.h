/* The subcommands of this layer, and the libraries that it is built on. */
#ifndef FT_FORMATS_COMMANDS_COMMANDS_H
#define FT_FORMATS_COMMANDS_COMMANDS_H

#include "formats/cli/libraries.h"
#include "formats/cli/options.h"

extern const struct ft_command ft_info_command;
extern const struct ft_command ft_verify_command;
extern const struct ft_command ft_dump_command;
extern const struct ft_command ft_export_command;
extern const struct ft_command ft_import_command;

void ft_formats_libraries(ft_library_visitor *visit);

#endif
