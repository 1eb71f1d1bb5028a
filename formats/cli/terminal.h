/*
 * How wide printed lines may be, and text in lines of that width. Not thread safe.
 */
#ifndef FT_FORMATS_CLI_TERMINAL_H
#define FT_FORMATS_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns of the lines on stdout: COLUMNS, else the terminal's width, else 80, so that pipes, logs
 * and mails get what a terminal shows. SIZE_MAX where lines may have any width. */
size_t ft_terminal_columns(void);
/* From here on stdout is no terminal, but what it shows reaches one as wide as it was. */
void ft_terminal_keep_width(void);

/* The option of every command that prints tables. The parser of command lines (options.h) calls
 * ft_terminal_widen where it is given: then all columns are printed, and names in full. */
#define FT_WIDE_OPTION                                                                             \
    {                                                                                              \
        "wide", 0, NULL, "all columns and full names, however wide the lines get"                  \
    }
void ft_terminal_widen(void);
bool ft_terminal_is_wide(void);

/* Columns that a UTF-8 text takes: its characters. */
size_t ft_text_width(const char *text);

#define FT_VALUE_INDENT 16 /* of what stands behind a name in the head of a text */

/* Prints a text, of one or more lines, broken at blanks; lines that a break begins are indented. A
 * word that is wider than a line has one to itself. */
__attribute__((format(printf, 3, 4))) void ft_print_wrapped(FILE *stream, size_t indent,
                                                            const char *format, ...);

#endif
