/*
 * Which references of the largest training size the groups of a model were made of.
 */
#ifndef FT_PREDICT_COMMANDS_REPORT_GROUP_REFERENCES_H
#define FT_PREDICT_COMMANDS_REPORT_GROUP_REFERENCES_H

#include "formats/model/model.h"

/* The group of the model that each group of its scopes became: [group of the scopes], SIZE_MAX
 * where it is not known; the caller frees it. */
int ft_page_group_references(const struct ft_model *model, size_t **ret_groups,
                             struct ft_diag *diag);

#endif
