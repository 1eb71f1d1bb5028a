/*
 * Parts of an explanation as text (explain_report.h).
 */
#ifndef FT_PREDICT_COMMANDS_EXPLAIN_PARTS_H
#define FT_PREDICT_COMMANDS_EXPLAIN_PARTS_H

#include "predict/commands/explain_report.h"

struct ft_explanation_printing {
    const struct ft_explanation *explanation;
    const struct ft_machine *machine;
    const struct ft_scopes *scopes;
    FILE *stream;
};

#define FT_EXPLAINED_TEXT 160
/* "the loop at matmul.c:18", or a routine's name; and "matmul.c:18". */
const char *ft_explained_scope_text(char text[FT_EXPLAINED_TEXT], const struct ft_scopes *scopes,
                                    uint32_t index);
const char *ft_explained_short_text(char text[FT_EXPLAINED_TEXT], const struct ft_scopes *scopes,
                                    uint32_t index);
/* "matmul.c:21", where accesses are. */
const char *ft_explained_line_text(char text[FT_EXPLAINED_TEXT], const struct ft_scopes *scopes,
                                   const struct ft_explained_group *group);

/* Changes of the code. */
int ft_explained_changes_print(const struct ft_explanation_printing *printing,
                               struct ft_diag *diag);

#endif
