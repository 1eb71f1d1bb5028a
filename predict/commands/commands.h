/* The subcommands of this layer. */
#ifndef FT_PREDICT_COMMANDS_COMMANDS_H
#define FT_PREDICT_COMMANDS_COMMANDS_H

#include "formats/cli/options.h"

extern const struct ft_command ft_model_command;
extern const struct ft_command ft_plan_command;
extern const struct ft_command ft_predict_command;
extern const struct ft_command ft_query_command;

#endif
