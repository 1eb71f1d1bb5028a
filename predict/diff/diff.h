/*
 * Two sides of a program, scope by scope: routines and loops that are the same by source and
 * structure (engine/match/scopes.h) are rows with values of both sides, those of one side alone are
 * rows with values of that one. Where several scopes of a side are one of the other, as a loop and
 * its remainder are, they are one row.
 *
 * The sides and metrics must outlive the diff. Values are those of diff_side.h.
 */
#ifndef FT_PREDICT_DIFF_DIFF_H
#define FT_PREDICT_DIFF_DIFF_H

#include "engine/match/matching.h"
#include "predict/diff/change.h"

#define FT_NO_ROW UINT32_MAX

struct ft_diff_row {
    uint32_t scopes[2]; /* the one with most accesses of each side; FT_NO_MATCH: none */
    uint32_t counts[2]; /* how many scopes of each side */
    uint8_t kind;       /* enum ft_match_kind, of these scopes */
};

struct ft_diff {
    const struct ft_diff_side *sides; /* [2] */
    const struct ft_diff_metrics *metrics;
    bool alike; /* the errors of both sides (change.h) */
    struct ft_diff_row *rows;
    uint32_t row_count;
    uint32_t *row_of[2];                 /* [scope], or FT_NO_ROW of the program and modules */
    double *exclusive;                   /* [(row * 2 + side) * metrics + metric] */
    struct ft_compared_value *inclusive; /* likewise */
    double related[2]; /* share of each side's work in code that may be the other's, too */
};

/* Where a row's value is in the arrays. */
static inline size_t ft_diff_value_at(const struct ft_diff *diff, uint32_t row, unsigned side,
                                      size_t metric)
{
    return ((size_t)row * 2 + side) * diff->metrics->count + metric;
}

/* Of one tree on both sides, the same pointer, each scope is itself. */
int ft_diff_make(const struct ft_diff_side sides[2], const struct ft_diff_metrics *metrics,
                 bool alike, struct ft_diff *ret_diff, struct ft_diag *diag);
void ft_diff_fini(struct ft_diff *diff);

/* Whether both may be of one program: one of them has a fifth of its work, accesses and
 * instructions, in routines, loops or source files that the other has as well. */
bool ft_diff_is_related(const struct ft_diff *diff);

/* The row of a routine, or of a loop at FILE:LINE, on the second side or the first. FT_ERROR_USAGE
 * if neither has it. */
int ft_diff_find(const struct ft_diff *diff, const char *text, uint32_t *ret_row,
                 struct ft_diag *diag);
/* Whether a row is another one, or is nested in it on some side. Every row is in FT_NO_ROW, the
 * program. */
bool ft_diff_is_inside(const struct ft_diff *diff, uint32_t row, uint32_t outer);

/* Where a row counts whose scopes only one side has: in the nearest row around it that both have,
 * or in the outermost one; other rows are themselves. */
uint32_t ft_diff_place(const struct ft_diff *diff, uint32_t row);

/* Values of both sides with what is nested: of a row, or of the program. */
void ft_diff_inclusive(const struct ft_diff *diff, uint32_t row, size_t metric,
                       struct ft_compared_value ret_values[2]);
/* Of a row by itself. */
static inline double ft_diff_exclusive(const struct ft_diff *diff, uint32_t row, unsigned side,
                                       size_t metric)
{
    return diff->exclusive[ft_diff_value_at(diff, row, side, metric)];
}
/* Second - first of it; a side without the row counts as 0, NAN is unknown. */
double ft_diff_exclusive_change(const struct ft_diff *diff, uint32_t row, size_t metric);

/* The metric whose change matters most within a row, or the program: the time, if it is known on
 * both sides; the misses that cost most cycles on the machine, or the instructions; without a
 * machine (NULL) accesses, or instructions where only these change. */
size_t ft_diff_main_metric(const struct ft_diff *diff, uint32_t within,
                           const struct ft_machine *machine);
/* Rows within another in which something changes, by how much a metric does, most first. The caller
 * frees the list. */
int ft_diff_sort(const struct ft_diff *diff, uint32_t within, size_t metric, uint32_t **ret_rows,
                 size_t *ret_count, struct ft_diag *diag);

#endif
