/*
 * What a trace knows about each mapped object: identity, symbols, source lines and inlined calls,
 * copied into the trace at capture so that analysis never opens the original file. All addresses
 * are ELF virtual addresses of the object ("offsets"); pc = offset + load bias.
 *
 * Captures since format version 8 have lines and inlined calls of the compilation units in which
 * code was executed, and only where a file could not be held open of all of them.
 *
 * Tables are sorted by start and owned by the module. Strings are indices into `strings`, one
 * block of 0-terminated texts; index 0 is the empty string.
 */
#ifndef FT_FORMATS_TRACE_MODULES_H
#define FT_FORMATS_TRACE_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/bytes.h"
#include "formats/base/status.h"

struct ft_symbol {
    uint64_t start, end;
    uint32_t name;       /* as in the file; demangling is for display */
    uint8_t source;      /* enum ft_symbol_source */
    uint32_t file, line; /* of its definition; 0 where unknown */
    uint32_t body_line; /* that its code begins with (gcc: of the opening brace); 0 where unknown */
};
enum ft_symbol_source { FT_SYMBOL_TABLE, FT_SYMBOL_DYNAMIC, FT_SYMBOL_UNWIND /* no name */ };

struct ft_line {
    uint64_t start, end; /* code generated for the line; ranges do not overlap */
    uint32_t file;
    uint32_t line; /* from 1 */
};

struct ft_inline {
    uint64_t start, end; /* one range of an inlined call; nested ones follow their caller */
    uint32_t name;       /* the inlined routine */
    uint32_t call_file, call_line;
    uint32_t depth; /* 0: inlined straight into a routine of the symbol table */
};

struct ft_variable { /* of static storage: global, or static in a file or routine */
    uint64_t start, end;
    uint32_t name;       /* as in the file */
    uint8_t source;      /* enum ft_variable_source */
    uint32_t file, line; /* of its declaration; 0 where unknown */
};
enum ft_variable_source { FT_VARIABLE_TABLE, FT_VARIABLE_DYNAMIC, FT_VARIABLE_DWARF };

struct ft_module {
    char *path;
    uint8_t build_id[64];
    uint32_t build_id_bytes; /* 0: none */
    uint8_t sha256[32];      /* all zero where the file could not be read (the vDSO) */
    uint64_t load_bias;      /* pc - offset of its first mapping */
    uint64_t start, end;     /* offsets: the extent of its mapped segments */
    struct ft_symbol *symbols;
    size_t symbol_count;
    struct ft_line *lines;
    size_t line_count;
    struct ft_inline *inlines;
    size_t inline_count;
    struct ft_variable *variables; /* none in traces of early captures */
    size_t variable_count;
    char *strings;
    size_t strings_bytes;
};

void ft_module_fini(struct ft_module *module);
void ft_module_write(const struct ft_module *module, struct ft_bytes *bytes);
int ft_module_read(struct ft_cursor *cursor, struct ft_module *ret_module, struct ft_diag *diag);
/* Strings and tables alone, which need not be sorted. Reading puts them into a module that has
 * none; after a failure, which the cursor says, it may have some. */
void ft_module_write_tables(const struct ft_module *module, struct ft_bytes *bytes);
void ft_module_read_tables(struct ft_cursor *cursor, struct ft_module *module);

/* What is known of a module only when the capture ends, because it depends on what was executed:
 * lines, inlined calls, variables, and lines of symbols. The module was written without them, with
 * the first written_strings_bytes of its strings. Reading puts them into that module; if it fails,
 * the module is as it was. */
void ft_module_write_lines(const struct ft_module *module, size_t written_strings_bytes,
                           struct ft_bytes *bytes);
int ft_module_read_lines(struct ft_cursor *cursor, struct ft_module *module, struct ft_diag *diag);

/* The entry that covers an offset, or NULL. Thread safe. */
const struct ft_symbol *ft_module_symbol(const struct ft_module *module, uint64_t offset);
const struct ft_line *ft_module_line(const struct ft_module *module, uint64_t offset);
const struct ft_variable *ft_module_variable(const struct ft_module *module, uint64_t offset);
/* The chain of inlined calls that covers an offset, outermost first; gives how many of the at most
 * `limit` were stored. */
size_t ft_module_inline_chain(const struct ft_module *module, uint64_t offset,
                              const struct ft_inline **ret_chain, size_t limit);

#endif
