/*
 * Source lines with their accesses and misses before them, as cg_annotate shows them: what `predict
 * --annotate` prints. Misses of a scope are shared among its references as their reuse distances
 * have them. Files are read as they are now; of those that cannot be read the lines have no text.
 */
#ifndef FT_PREDICT_COMMANDS_ANNOTATION_H
#define FT_PREDICT_COMMANDS_ANNOTATION_H

#include <stdio.h>

#include "predict/prediction.h"

int ft_annotation_text(const struct ft_prediction *prediction, FILE *stream, struct ft_diag *diag);

#endif
