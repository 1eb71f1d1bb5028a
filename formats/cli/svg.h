/*
 * What pictures (SVG) of several commands have in common.
 */
#ifndef FT_FORMATS_CLI_SVG_H
#define FT_FORMATS_CLI_SVG_H

#include <stdio.h>

/* A text with the characters that XML wants written otherwise: names come from users, programs and
 * the kernel. */
void ft_svg_text(FILE *stream, const char *text);

#endif
