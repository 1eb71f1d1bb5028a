#include "formats/cli/style.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_paged;

void ft_style_through_pager(void)
{
    is_paged = true;
}

/* mpirun gives ranks a terminal for their output alone: nobody sits at it. */
static bool is_styled(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if ((no_color && *no_color) || !terminal || strcmp(terminal, "dumb") == 0)
        return false;
    return (stream == stdout && is_paged) || (isatty(fileno(stream)) && isatty(STDIN_FILENO));
}

const char *ft_style_begin(FILE *stream, enum ft_style style)
{
    static const char *const codes[] = {[FT_STYLE_PLAIN] = "",
                                        [FT_STYLE_STRONG] = "\033[1m",
                                        [FT_STYLE_WARNING] = "\033[33m",
                                        [FT_STYLE_FAILURE] = "\033[31m"};
    return is_styled(stream) ? codes[style] : "";
}

const char *ft_style_end(FILE *stream, enum ft_style style)
{
    return style != FT_STYLE_PLAIN && is_styled(stream) ? "\033[0m" : "";
}

const char *ft_style_warning(FILE *stream)
{
    return is_styled(stream) ? "\033[33mwarning:\033[0m" : "warning:";
}
