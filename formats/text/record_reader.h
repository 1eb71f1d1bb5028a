/*
 * A file of records of one size, or standard input, record by record in bounded memory, for readers
 * whose errors name file and byte; decompressed where it is compressed (byte_source.h), bytes then
 * being counted behind that. One user at a time.
 */
#ifndef FT_FORMATS_TEXT_RECORD_READER_H
#define FT_FORMATS_TEXT_RECORD_READER_H

#include "formats/text/byte_source.h"

struct ft_record_reader;

/* "-" is standard input. record_bytes: 1 to 4096. */
int ft_record_reader_open(const char *path, size_t record_bytes,
                          struct ft_record_reader **ret_reader, struct ft_diag *diag);
void ft_record_reader_close(struct ft_record_reader *reader);

/* The next record, valid until the next call; NULL at the end of the file. A part of a record at
 * the end is an error: the file is truncated. */
int ft_record_reader_next(struct ft_record_reader *reader, const uint8_t **ret_record,
                          struct ft_diag *diag);

/* What the records are read from; the reader's. */
struct ft_byte_source *ft_record_reader_source(const struct ft_record_reader *reader);

/* Puts "FILE: at byte N: " before the message of a failure at the last record, N being where that
 * begins; gives its status again. */
int ft_record_reader_fail(const struct ft_record_reader *reader, int status, struct ft_diag *diag);

#endif
