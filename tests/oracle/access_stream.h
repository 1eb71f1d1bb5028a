/*
 * Streams of accesses as files or pipes, for the references of a capture.
 *
 * Text: one access a line, "0x<pc> 0x<address> <size> <kind>", kind one of load, store, store_nt,
 * prefetch; what follows a # is a remark. Binary: the magic, then records of 24 bytes. A record
 * of kind FT_STREAM_CODE gives the bytes of the instruction at its pc, for messages. Readers take
 * either form. A stream may be used by one thread at a time.
 */
#ifndef FT_TESTS_ORACLE_ACCESS_STREAM_H
#define FT_TESTS_ORACLE_ACCESS_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/base/status.h"

#define FT_STREAM_MAGIC "FTACCESS"
#define FT_STREAM_CODE  0xff

struct ft_stream_access {
    uint64_t pc;
    uint64_t address;
    uint32_t size_bytes;
    uint8_t kind; /* enum ft_access_kind */
    uint8_t reserved[3];
};

/* The same 24 bytes where kind is FT_STREAM_CODE. */
struct ft_stream_code {
    uint64_t pc;
    uint8_t code[12]; /* of at most 15: enough to tell nearly every instruction */
    uint8_t kind;
    uint8_t code_bytes; /* of code that count */
    uint8_t reserved[2];
};

extern const char *const ft_stream_kind_names[4];

/* Prints one access as a line of the text form. */
void ft_stream_print(FILE *out, const struct ft_stream_access *access);

struct ft_stream_reader {
    FILE *file;
    const char *path;
    bool is_binary;
    uint64_t line;                                                     /* of text, for messages */
    void (*on_code)(void *context, const struct ft_stream_code *code); /* may be NULL */
    void *context;
};

/* "-" is stdin. */
int ft_stream_open(struct ft_stream_reader *ret_reader, const char *path, struct ft_diag *diag);
void ft_stream_close(struct ft_stream_reader *reader);
/* 1: an access; 0: the end; or a negative status. */
int ft_stream_read(struct ft_stream_reader *reader, struct ft_stream_access *ret_access,
                   struct ft_diag *diag);

#endif
