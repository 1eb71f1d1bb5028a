#include "formats/cli/svg.h"

void ft_svg_text(FILE *stream, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '>' || *text == '&')
            fprintf(stream, "&#%d;", *text);
        else
            fputc(*text, stream);
}
