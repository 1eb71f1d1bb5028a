/* `foretrace simulate --signature`. */
#ifndef FT_ENGINE_SIMULATE_SIGNATURE_COMMAND_H
#define FT_ENGINE_SIMULATE_SIGNATURE_COMMAND_H

#include "formats/base/options.h"

/* Options and the one operand are those of simulate; gives the exit code. */
int ft_signature_run(const struct ft_arguments *arguments);

#endif
