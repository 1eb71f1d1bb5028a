/* `foretrace simulate` with a machine and nothing else: each level by itself. */
#ifndef FT_ENGINE_SIMULATE_ALONE_COMMAND_H
#define FT_ENGINE_SIMULATE_ALONE_COMMAND_H

#include "formats/base/options.h"

/* Options and the one operand are those of simulate; gives the exit code. */
int ft_alone_run(const struct ft_arguments *arguments);

#endif
