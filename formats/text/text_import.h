/*
 * Converts the text or records of another tool to a trace file, in one pass and bounded memory. The
 * trace says where it is from: its event FT_EVENT_IMPORTED.
 */
#ifndef FT_FORMATS_TEXT_TEXT_IMPORT_H
#define FT_FORMATS_TEXT_TEXT_IMPORT_H

#include "formats/base/progress.h"
#include "formats/text/byte_source.h"
#include "formats/text/text_format.h"
#include "formats/trace/trace.h"

/* What is worth saying of an import. */
struct ft_text_imported {
    uint64_t empty, larger; /* as in struct ft_text_state */
};

/* Reads `path` ("-": standard input) and writes `output`. metadata: its texts but the end reason
 * are set (program may be NULL); gets its totals, the end reason, and the command where the text
 * tells it. After bad input nothing is left of the output;
 * FILE.partial stays where the output could not be written. options, progress and ret_imported may
 * be NULL. */
int ft_text_import(const char *path, const struct ft_text_format *format,
                   const struct ft_text_options *options, const char *output,
                   struct ft_metadata *metadata, struct ft_progress *progress,
                   struct ft_text_imported *ret_imported, struct ft_diag *diag);

/* A file that a trace without code was made from. */
struct ft_imported_source {
    uint64_t bytes;
    char format[32], sha256[FT_SHA256_TEXT]; /* of the file as it was, compressed or not */
    const char *name;                        /* its path; the trace's */
};
#define FT_TEXT_SYNTHESISED "synthesised" /* the format, where `synthesise` made the accesses */
/* The next one, at: 0 at first. False where there is none, or the trace is of a foretrace that did
 * not write it down. */
bool ft_imported_source(const struct ft_trace *trace, size_t *at,
                        struct ft_imported_source *ret_source);

#endif
