/*
 * The traces of other tools, as text or as records of one size: what `import` reads and `export`
 * writes. A format is one file with a function from a line to an item, or from a record to items,
 * one back (or a writer, where what is written depends on more than an item), and a row of the
 * table in text_format.c. Everything else (files, compression, places for messages, checks of what
 * an item may be, the trace) is done once for all of them (text_import.c, text_export.c).
 *
 * Pure functions over the state that is passed in; thread safe.
 */
#ifndef FT_FORMATS_TEXT_TEXT_FORMAT_H
#define FT_FORMATS_TEXT_TEXT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/base/status.h"
#include "formats/x86/unit.h"

enum ft_text_kind {
    FT_TEXT_LOAD = FT_LOAD,
    FT_TEXT_STORE = FT_STORE,
    FT_TEXT_STORE_NONTEMPORAL = FT_STORE_NONTEMPORAL,
    FT_TEXT_PREFETCH = FT_PREFETCH,
    FT_TEXT_MODIFY,      /* a load, then a store at the same address */
    FT_TEXT_INSTRUCTION, /* one was executed: its address and length */
};

/* What a line says. */
struct ft_text_item {
    uint64_t pc; /* of the instruction; 0 where the format does not tell it */
    uint64_t address;
    uint64_t size_bytes; /* instructions: 0 where unknown */
    uint8_t kind;        /* enum ft_text_kind */
};

/* What a format does not say, and what is taken in its place. */
struct ft_text_options {
    uint64_t block_bytes;  /* that an object or block is taken to have; a power of two, 0: 64 */
    uint64_t access_bytes; /* of accesses that tell no size; 0: what the format has for them */
    bool has_thread;
    uint64_t thread; /* the one that is read, by the other tool's number */
};
#define FT_TEXT_BLOCK_BYTES 64

/* What a reader knows from the lines or records before. */
struct ft_text_state {
    struct ft_text_options options;
    uint64_t line; /* number of the line or record at hand, from 1 */
    uint64_t pc;   /* of the last instruction */
    char *command; /* that the other tool ran, where the text tells it; owned by the caller */
    bool has_begun, has_ended; /* where lines say so */
    bool has_thread;
    uint64_t thread;       /* of the last line that tells one */
    uint64_t instructions; /* lines of them, and the number of the last one as the text has it */
    uint64_t instruction_number;
    uint64_t empty;  /* records that were left out: of no bytes */
    uint64_t larger; /* that were made smaller: of more than a block */
};

#define FT_TEXT_ITEM_BYTES 256 /* room that an item's text takes at most */
#define FT_TEXT_ITEMS_MAX  7   /* that a record gives */

/* An item as a writer gets it. */
struct ft_written_item {
    struct ft_text_item item;
    const struct ft_unit *unit; /* that executes it */
    unsigned instruction;       /* of the unit */
};

/* Where an item's text depends on those before and behind it. */
struct ft_text_writer {
    int (*create)(FILE *stream, const struct ft_text_options *options, void **ret_writer,
                  struct ft_diag *diag);
    /* Failures of the stream are left to the caller, who looks at it. */
    int (*add)(void *writer, const struct ft_written_item *written, struct ft_diag *diag);
    int (*finish)(void *writer, struct ft_diag *diag);
    void (*destroy)(void *writer);
    bool needs_file;         /* patches what it has written: no pipe */
    bool needs_instructions; /* has no accesses without them */
};

struct ft_text_format {
    const char *name;   /* "lackey" */
    const char *title;  /* "text of valgrind --tool=lackey --trace-mem=yes" */
    const char *lacks;  /* what it does not say of accesses, "their sizes", or NULL */
    const char *header; /* first line that is written, or NULL */
    const char *footer; /* last line, or NULL */
    /* Of text. *ret_found is false for lines that say nothing of accesses. What an error says is
     * put behind file and line. Numbers may be anything: the caller checks what they mean. */
    int (*read)(struct ft_text_state *state, const char *line, bool *ret_found,
                struct ft_text_item *ret_item, struct ft_diag *diag);
    /* Of records: up to FT_TEXT_ITEMS_MAX items; else as `read`, NULL in formats of text. */
    int (*read_record)(struct ft_text_state *state, const uint8_t *record,
                       struct ft_text_item *ret_items, unsigned *ret_count, struct ft_diag *diag);
    size_t record_bytes;
    /* At the end of the text: whether that is its end. NULL: any end is. */
    int (*check_end)(const struct ft_text_state *state, struct ft_diag *diag);
    /* Appends lines at `text`, gives their end; none where the format cannot say it. NULL where
     * `writer` is, or where the format is not written. */
    char *(*write)(const struct ft_text_item *item, char *text);
    const struct ft_text_writer *writer;
    bool takes_block_bytes;                /* options of import and export */
    bool takes_access_bytes, takes_thread; /* of the import */
};

extern const struct ft_text_format *const ft_text_formats[]; /* the last is NULL */
extern const struct ft_text_format ft_text_champsim, ft_text_csv, ft_text_din, ft_text_drmemtrace,
    ft_text_lackey, ft_text_oracle_general, ft_text_pinatrace;
/* Whether it can be written. */
bool ft_text_format_is_written(const struct ft_text_format *format);
/* The format of that name; where there is none (or NULL), the message lists those there are (only
 * those that are written, where `is_written`), and `others` behind them: what the command knows by
 * itself, or NULL. */
int ft_text_format_find(const char *name, bool is_written, const char *others,
                        const struct ft_text_format **ret_format, struct ft_diag *diag);

/* Little-endian numbers of records. */
uint64_t ft_text_get_u64(const uint8_t *bytes);
uint32_t ft_text_get_u32(const uint8_t *bytes);
void ft_text_set_u64(uint8_t *bytes, uint64_t number);
void ft_text_set_u32(uint8_t *bytes, uint32_t number);

/* Reads a number at *at and moves past it; base 16 takes digits alone, 0 decimal digits or
 * hexadecimal ones behind 0x. `what` is for the message: "address". */
int ft_text_read_number(const char **at, unsigned base, const char *what, uint64_t *ret_number,
                        struct ft_diag *diag);
/* Both append at `text` and give its end; digits: zeros in front fill up to so many. */
char *ft_text_write_hex(char *text, uint64_t number, unsigned digits);
char *ft_text_write_decimal(char *text, uint64_t number);
char *ft_text_write_string(char *text, const char *string);

#endif
