/*
 * A text file, or standard input, line by line in bounded memory, for readers whose errors name
 * file and line; decompressed where it is compressed (byte_source.h). One user at a time.
 */
#ifndef FT_FORMATS_TEXT_LINE_READER_H
#define FT_FORMATS_TEXT_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/text/byte_source.h"

#define FT_LINE_BYTES_MAX 65536U

struct ft_line_reader;

/* "-" is standard input. */
int ft_line_reader_open(const char *path, struct ft_line_reader **ret_reader, struct ft_diag *diag);
void ft_line_reader_close(struct ft_line_reader *reader);

/* The next line without its newline ("\n" or "\r\n"), 0-terminated, valid until the next call.
 * *ret_line is NULL at the end of the file. A last line without a newline is an error: the file is
 * truncated. */
int ft_line_reader_next(struct ft_line_reader *reader, const char **ret_line, struct ft_diag *diag);

/* Number of the line that was read last, from 1; 0 before the first. */
uint64_t ft_line_reader_number(const struct ft_line_reader *reader);
/* What the lines are read from; the reader's. */
struct ft_byte_source *ft_line_reader_source(const struct ft_line_reader *reader);

/* Puts "FILE:LINE: " before the message of a failure at the last line; gives its status again. */
int ft_line_reader_fail(const struct ft_line_reader *reader, int status, struct ft_diag *diag);

#endif
