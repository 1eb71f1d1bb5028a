/*
 * A model of a part of its program: of a routine, or of a loop and what is nested in it. Questions
 * to it are about the accesses there; footprints remain those of the program.
 */
#ifndef FT_PREDICT_QUERY_SCOPE_CHOICE_H
#define FT_PREDICT_QUERY_SCOPE_CHOICE_H

#include "formats/model/model.h"

/* text: a routine's name, or FILE:LINE of a loop's first line; all that match are kept. Removes the
 * other groups from the model and its replicas. FT_ERROR_USAGE if nothing matches: the message
 * names routines that exist. */
int ft_model_choose_scope(struct ft_model *model, const char *text, struct ft_diag *diag);

/* One scope: of those with that name the one with most accesses; where no loop begins at FILE:LINE
 * the innermost one around that line. */
int ft_model_find_scope(const struct ft_model *model, const char *text, uint32_t *ret_scope,
                        struct ft_diag *diag);
/* The same in a tree, of whose scopes `accesses` are inclusive; 0: none. */
uint32_t ft_scopes_find(const struct ft_scopes *scopes, const double *accesses, const char *text);
/* For messages: "multiply, main", the routines with most accesses; "" where there are none. */
#define FT_BUSIEST_ROUTINES_TEXT 512
char *ft_busiest_routines_text(char text[FT_BUSIEST_ROUTINES_TEXT], const struct ft_scopes *scopes,
                               const double *accesses);

#endif
