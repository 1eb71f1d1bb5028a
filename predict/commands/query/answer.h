/*
 * The answer for all models side by side: up to FT_ANSWER_TABLES tables, printed one after the
 * other as text, as lists of one JSON object, and the first as CSV (docs/json.md, "query").
 *
 * In CSV and JSON all rows start with the model's name, in text if there are several. A failed
 * allocation is reported when the answer is written.
 */
#ifndef FT_PREDICT_COMMANDS_QUERY_ANSWER_H
#define FT_PREDICT_COMMANDS_QUERY_ANSWER_H

#include <stdio.h>

#include "formats/cli/table.h"
#include "predict/commands/query/query.h"

#define FT_ANSWER_TABLES 2U

struct ft_answer_table {
    const char *key;     /* in JSON */
    const char *heading; /* a line as text, or NULL */
    struct ft_table *table;
    size_t rows;
};

struct ft_answer {
    const struct ft_query *query;
    const struct ft_model *models;
    size_t model_count;
    bool as_text;
    bool guesses;     /* some ratio is one */
    bool refuses;     /* something is unknown */
    const char *note; /* as text, below the tables; or NULL */
    struct ft_answer_table tables[FT_ANSWER_TABLES];
};

/* Answers the question. The caller frees the answer with fini, also after a failure. */
int ft_answer_make(const struct ft_query *query, const struct ft_model *models, size_t model_count,
                   struct ft_answer *ret_answer, struct ft_diag *diag);
int ft_answer_write(const struct ft_answer *answer, FILE *stream, struct ft_diag *diag);
void ft_answer_fini(struct ft_answer *answer);

/* ---- for those who make answers ---- */

/* A table with its first column. */
struct ft_table *ft_answer_table(struct ft_answer *answer, size_t table, const char *key,
                                 const char *heading, struct ft_diag *diag);
/* A row of a table: the model's name. */
struct ft_table *ft_answer_row(struct ft_answer *answer, size_t table,
                               const struct ft_model *model);
/* A size; how many times beyond the training sizes. */
void ft_answer_size(struct ft_table *table, double n);
void ft_answer_extrapolation(struct ft_table *table, const struct ft_model *model, double n);
/* Whether the training sizes determine that many misses of a cache at n (predict/resolution.h). */
bool ft_answer_knows(const struct ft_model *model, const struct ft_level *level, double n,
                     double misses);
/* A ratio, in text followed by '?' if it is a guess, which a note then explains. */
void ft_answer_ratio(struct ft_answer *answer, struct ft_table *table, double ratio, bool known);
/* In CSV and JSON: a column and its cells that say so, 1 or 0. */
void ft_answer_known_column(const struct ft_answer *answer, struct ft_table *table);
void ft_answer_known_cell(const struct ft_answer *answer, struct ft_table *table, bool known);
/* Block sizes of the first model side by side, as text: the title of a column, and which of a
 * model's block sizes stands in it; size_count where it lacks that. */
#define FT_BLOCK_TITLE (FT_NUMBER_TEXT + 16)
char *ft_answer_block_title(char text[FT_BLOCK_TITLE], const struct ft_answer *answer,
                            size_t column);
size_t ft_answer_block(const struct ft_answer *answer, const struct ft_model *model, size_t column);
/* The columns of a cache and their cells; in CSV and JSON kind and geometry in addition to the
 * name. */
void ft_answer_cache_columns(const struct ft_answer *answer, struct ft_table *table);
void ft_answer_cache_cells(const struct ft_answer *answer, struct ft_table *table,
                           const struct ft_level *level);

/* Answers about caches (cache_answers.c), sizes (size_answers.c, critical_answers.c), inputs
 * (input_answers.c), capacities (capacity_answers.c) and planes of the surface (plane_answers.c):
 * each makes the columns of its tables, or adds the rows of a model to them. */
typedef int ft_answer_columns(struct ft_answer *answer, struct ft_diag *diag);
typedef int ft_answer_rows(struct ft_answer *answer, const struct ft_model *model,
                           struct ft_diag *diag);
struct ft_answer_maker {
    ft_answer_columns *columns;
    ft_answer_rows *rows;
    ft_answer_columns *all_rows; /* where rows is NULL: those of all models */
    const char *name;            /* of the question, in JSON */
};
extern const struct ft_answer_maker ft_ratio_answers, ft_min_cache_answers;
extern const struct ft_answer_maker ft_sizes_answers, ft_critical_answers, ft_mini_ref_answers,
    ft_mini_set_answers;
extern const struct ft_answer_maker ft_capacity_answers, ft_min_caches_answers, ft_surface_answers;

#endif
