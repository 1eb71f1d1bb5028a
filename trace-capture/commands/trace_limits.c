#include "trace-capture/commands/trace_limits.h"

#include <stdio.h>

#include "formats/base/parse.h"
#include "trace-capture/processes/trace_limits.h"

int ft_limits_parse(const struct ft_arguments *arguments, struct ft_limits *ret_limits,
                    struct ft_diag *diag)
{
    struct ft_limits limits = {0};
    const char *size = ft_option_last(arguments, "max-size");
    const char *time = ft_option_last(arguments, "max-time");
    struct ft_diag reason;
    if (size && (ft_parse_bytes(size, &limits.size_bytes, &reason) < 0 || limits.size_bytes == 0))
        return ft_fail(diag, FT_ERROR_USAGE, "--max-size %s: expected a size such as 500M or 2G",
                       size);
    if (time && ft_parse_seconds(time, &limits.time_seconds, &reason) < 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--max-time %s: expected a time such as 90, 90s, 1.5m or 2h", time);
    snprintf(limits.size_text, sizeof limits.size_text, "%s", size ? size : "");
    snprintf(limits.time_text, sizeof limits.time_text, "%s", time ? time : "");
    *ret_limits = limits;
    return FT_OK;
}
