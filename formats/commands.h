/* The subcommands of this layer. */
#ifndef FT_FORMATS_COMMANDS_H
#define FT_FORMATS_COMMANDS_H

#include "formats/base/options.h"

extern const struct ft_command ft_info_command;
extern const struct ft_command ft_verify_command;
extern const struct ft_command ft_dump_command;

#endif
