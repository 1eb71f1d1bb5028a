/*
 * The surface of miss ratios as an SVG picture (Zhong et al. 2007, section 4.1, seen from above): a
 * panel a model, sizes from left to right, capacities upwards, both in equal ratios, and the ratio
 * as a colour. All panels have the same scales, so that programs and builds can be compared.
 */
#ifndef FT_PREDICT_COMMANDS_QUERY_SURFACE_SVG_H
#define FT_PREDICT_COMMANDS_QUERY_SURFACE_SVG_H

#include <stdio.h>

#include "predict/commands/query/answer.h"

int ft_surface_svg(const struct ft_query *query, const struct ft_model *models, size_t model_count,
                   FILE *stream, struct ft_diag *diag);

#endif
