/*
 * A diff as text, CSV, JSON and a page (docs/diff.md; docs/json.md, "diff"): what both sides are,
 * the answer in a sentence, all metrics of the program or of the part asked about, what changed
 * most by routine and loop, what only one side has, and limits.
 *
 * Everything is the caller's.
 */
#ifndef FT_PREDICT_COMMANDS_DIFF_DOCUMENT_H
#define FT_PREDICT_COMMANDS_DIFF_DOCUMENT_H

#include <stdio.h>

#include "predict/commands/diff/source.h"
#include "predict/diff/diff.h"

struct ft_diff_document {
    const struct ft_diff *diff;
    const struct ft_diff_source *sources; /* [2] */
    const char *in;                       /* what was asked about; NULL: the program */
    uint32_t within;                      /* its row, or FT_NO_ROW */
    size_t sorted_by;                     /* the metric that rows are sorted by, and the answer is
                                             about */
    const uint32_t *rows;                 /* those that change, most first */
    size_t row_count;
    size_t limit;          /* of them are shown */
    bool limit_is_default; /* as text fewer, then: those that matter */
    const struct ft_diff_limit *limits;
    const struct ft_verdict *verdicts; /* [limit] */
    size_t limit_count;
    /* of the page: lines of source files, which are where they were or, but NULL, in folders */
    bool with_source;
    const char *source_folders[2];
};

int ft_diff_text(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag);
int ft_diff_csv(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag);
int ft_diff_json(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag);

/* All of it as a page to look at (docs/diff.md, "As a page"); null where memory ran out. command:
 * as it was typed. */
json_t *ft_diff_page(const struct ft_diff_document *document, const char *command,
                     struct ft_diag *diag);

/* ---- parts ---- */

/* The answer, in lines of the terminal's width. */
int ft_diff_answer(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag);
/* "L2 misses", "L2 misses, fully assoc." */
char *ft_diff_metric_title(char text[FT_DIFF_METRIC_TEXT], const struct ft_shown_metric *metric);
/* Where a row is: "" in both, "shifted" and such where that was not seen by name or line, or
 * "only A". */
const char *ft_diff_match_text(const struct ft_diff *diff, const struct ft_diff_row *row);
/* What JSON says of a side, and of a limit. */
json_t *ft_diff_side_json(const struct ft_diff_source *source);
json_t *ft_diff_limit_json(const struct ft_diff_document *document, size_t index);

/* What a limit is about, as text: "+12.3 %", "+1.20 M", "8.01 M"; with the interval where it has
 * one: "+12.3 % (+10.1 % to +14.5 %)". */
#define FT_VERDICT_TEXT 192
char *ft_verdict_text(char text[FT_VERDICT_TEXT], const struct ft_diff_document *document,
                      size_t limit);

/* How many rows are of one side alone, within what was asked about. */
size_t ft_diff_count_only(const struct ft_diff_document *document, unsigned side);

#endif
