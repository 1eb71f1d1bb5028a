/*
 * Machine code in documents: the instructions of routines and loops that ran, with what their
 * references do. Of the heaviest scopes, as far as there is room for them (docs/report.md).
 *
 * Figures start from ft_page_code_init, which makes all of them unknown (NAN).
 */
#ifndef FT_PREDICT_COMMANDS_REPORT_CODE_H
#define FT_PREDICT_COMMANDS_REPORT_CODE_H

#include "formats/cli/json.h"
#include "formats/scopes/scopes.h"

struct ft_page_code {
    const struct ft_scopes *scopes;
    size_t width;       /* columns of a row: accesses, then the misses of each level */
    double *references; /* [reference * width + column] */
    uint32_t *alike;    /* [reference]: how many references a row is of, together */
    double *executions; /* [block] */
};

int ft_page_code_init(struct ft_page_code *code, const struct ft_scopes *scopes, size_t level_count,
                      struct ft_diag *diag);
void ft_page_code_fini(struct ft_page_code *code);

/* is_shown: [scope]; code of other scopes is left out. null where the scopes have no code. */
int ft_page_code_json(const struct ft_page_code *code, const bool *is_shown, json_t **ret_code,
                      struct ft_diag *diag);

#endif
