/*
 * The values of a machine as rows, for tables and JSON: each number, and each word that is not the
 * default.
 *
 * Texts point into the machine, and are valid while it is.
 */
#ifndef FT_MACHINES_COMMANDS_VALUE_ROWS_H
#define FT_MACHINES_COMMANDS_VALUE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "machines/yaml_sections.h"

struct ft_value_row {
    char path[FT_SECTION_PATH + 32]; /* "caches[2].ways"; the same in all machines */
    const char *part, *key;          /* "L2", "ways" */
    const char *text;
    const struct ft_number_key *number; /* NULL: a word */
    double value;                       /* of a number, in its key's unit; INFINITY: full */
    enum ft_source_kind kind;           /* NONE of words, and of numbers that need none */
    const char *source;                 /* "" where there is none */
};

struct ft_value_rows {
    struct ft_value_row *items;
    size_t count, capacity;
};

int ft_value_rows_list(struct ft_yaml_machine *yaml, struct ft_value_rows *ret_rows,
                       struct ft_diag *diag);
void ft_value_rows_fini(struct ft_value_rows *rows);

/* Whether nobody measured or published it: an estimate, the nearest machine's, or from nowhere. */
bool ft_value_is_guess(const struct ft_value_row *row);
/* Of those that should have a source, how many are guesses. */
size_t ft_value_count_guesses(const struct ft_value_rows *rows, size_t *ret_sourced);

#endif
