/*
 * A diff as text, CSV and JSON (docs/diff.md; docs/json.md, "diff"): what both sides are, the
 * answer in a sentence, all metrics of the program or of the part asked about, what changed most by
 * routine and loop, what only one side has, and limits.
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
};

int ft_diff_text(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag);
int ft_diff_csv(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag);
int ft_diff_json(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag);

/* What a limit is about, as text: "+12.3 %", "+1.20 M", "8.01 M"; with the interval where it has
 * one: "+12.3 % (+10.1 % to +14.5 %)". */
#define FT_VERDICT_TEXT 192
char *ft_verdict_text(char text[FT_VERDICT_TEXT], const struct ft_diff_document *document,
                      size_t limit);

/* How many rows are of one side alone, within what was asked about. */
size_t ft_diff_count_only(const struct ft_diff_document *document, unsigned side);

#endif
