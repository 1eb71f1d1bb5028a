/*
 * What needs attention stands out on terminals: in bold or colour, never by colour alone. Pipes,
 * files, programs whose input is no terminal, TERM=dumb and NO_COLOR (https://no-color.org) get
 * plain text. Not thread safe.
 */
#ifndef FT_FORMATS_CLI_STYLE_H
#define FT_FORMATS_CLI_STYLE_H

#include <stdio.h>

enum ft_style { FT_STYLE_PLAIN, FT_STYLE_STRONG, FT_STYLE_WARNING, FT_STYLE_FAILURE };

/* What begins a text of this style on stdout or stderr, and what ends it; "" on streams that are no
 * terminal. */
const char *ft_style_begin(FILE *stream, enum ft_style style);
const char *ft_style_end(FILE *stream, enum ft_style style);

/* stdout goes through a pager, to a terminal: it is styled as one (pager.h). */
void ft_style_through_pager(void);

/* "warning:", as messages have it behind their command's name. */
const char *ft_style_warning(FILE *stream);

#endif
