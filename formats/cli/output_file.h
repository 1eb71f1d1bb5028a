/*
 * The one place that decides whether a command may write a file. It never writes over what it reads
 * (the same file by any name), and only with --force over a file of another kind than it writes, or
 * over a trace, which took a run of its program to make. Running a pipeline again over its own
 * histograms and models needs no --force.
 */
#ifndef FT_FORMATS_CLI_OUTPUT_FILE_H
#define FT_FORMATS_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/status.h"

enum ft_file_kind {
    FT_FILE_NONE, /* nothing there, or nothing in it */
    FT_FILE_TRACE,
    FT_FILE_HISTOGRAMS,
    FT_FILE_MODEL,
    FT_FILE_ACCESSES, /* the text of `export` */
    FT_FILE_SVG,
    FT_FILE_PAGE,      /* HTML of `report` */
    FT_FILE_MACHINE,   /* a machine file that foretrace made */
    FT_FILE_PROBE,     /* the curves of 'machine probe' */
    FT_FILE_BANDWIDTH, /* the model of 'bandwidth' */
    FT_FILE_OTHER,
};

/* By what is in the file, whatever it is called. */
enum ft_file_kind ft_file_kind_of(const char *path);

/* Whether `path` may become a file of this kind; the folder must be there and be writable. Inputs
 * may be "-", standard input, "NAME=FILE", or, as machines with edits, "FILE,EDITS". FT_ERROR_USAGE
 * says what stands in the way and what to do; FT_ERROR_IO that it cannot be written at all. */
int ft_output_file_check(const char *path, enum ft_file_kind kind, bool force,
                         const char *const *inputs, size_t input_count, struct ft_diag *diag);

#endif
