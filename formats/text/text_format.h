/*
 * The traces of other tools as text: what `import` reads and `export` writes. A format is one file
 * with two functions, from a line to an item and from an item to a line, and a row of the table in
 * text_format.c. Everything else (files, line numbers, checks of what an item may be, the trace) is
 * done once for all of them (text_import.c, text_export.c).
 *
 * Pure functions over the state that is passed in; thread safe.
 */
#ifndef FT_FORMATS_TEXT_TEXT_FORMAT_H
#define FT_FORMATS_TEXT_TEXT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/x86/instruction.h"

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

/* What a reader knows from the lines before. */
struct ft_text_state {
    uint64_t line; /* number of the line at hand, from 1 */
    uint64_t pc;   /* of the last instruction */
    char *command; /* that the other tool ran, where the text tells it; owned by the caller */
};

#define FT_TEXT_ITEM_BYTES 256 /* room that an item's text takes at most */

struct ft_text_format {
    const char *name;   /* "lackey" */
    const char *title;  /* "text of valgrind --tool=lackey --trace-mem=yes" */
    const char *header; /* first line that is written, or NULL */
    /* *ret_found is false for lines that say nothing of accesses. What an error says is put behind
     * file and line. Numbers may be anything: the caller checks what they mean. */
    int (*read)(struct ft_text_state *state, const char *line, bool *ret_found,
                struct ft_text_item *ret_item, struct ft_diag *diag);
    /* Appends lines at `text`, gives their end; none where the format cannot say it. */
    char *(*write)(const struct ft_text_item *item, char *text);
};

extern const struct ft_text_format *const ft_text_formats[]; /* the last is NULL */
extern const struct ft_text_format ft_text_csv, ft_text_din, ft_text_lackey;
/* The format of that name; where there is none (or NULL), the message lists those there are, and
 * `other`, one of which the command knows by itself, or NULL. */
int ft_text_format_find(const char *name, const char *other,
                        const struct ft_text_format **ret_format, struct ft_diag *diag);

/* Reads a number at *at and moves past it; base 16 takes digits alone, 0 decimal digits or
 * hexadecimal ones behind 0x. `what` is for the message: "address". */
int ft_text_read_number(const char **at, unsigned base, const char *what, uint64_t *ret_number,
                        struct ft_diag *diag);
/* Both append at `text` and give its end; digits: zeros in front fill up to so many. */
char *ft_text_write_hex(char *text, uint64_t number, unsigned digits);
char *ft_text_write_decimal(char *text, uint64_t number);
char *ft_text_write_string(char *text, const char *string);

#endif
