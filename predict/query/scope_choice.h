/*
 * A model of a part of its program: of a routine, or of a loop and what is nested in it. Questions
 * that are asked of it are of the accesses there; footprints stay those of the program.
 */
#ifndef FT_PREDICT_QUERY_SCOPE_CHOICE_H
#define FT_PREDICT_QUERY_SCOPE_CHOICE_H

#include "formats/model/model.h"

/* text: a routine's name, or FILE:LINE of a loop's first line; all that match are kept. Drops the
 * other groups of the model and of its replicas. FT_ERROR_USAGE where nothing matches: the message
 * names routines that there are. */
int ft_model_choose_scope(struct ft_model *model, const char *text, struct ft_diag *diag);

#endif
