#include <stdio.h>

#include "formats/commands.h"

static int run(const struct ft_arguments *arguments)
{
    (void)arguments;
    return 0;
}

const struct ft_command ft_info_command = {
    .name = "info",
    .synopsis = "info [--json] TRACE",
    .summary = "what a trace holds, in numbers people understand",
    .run = run,
};
