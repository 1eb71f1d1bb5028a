/*
 * Source lines with their accesses and misses before them, as cg_annotate shows them: what `predict
 * --annotate` prints. Misses of a scope are shared among its references as their reuse distances
 * have them. Files are read as they are now (source_file.h), from the folder `sources` unless that
 * is NULL; of those that cannot be read the lines have no text.
 */
#ifndef FT_PREDICT_COMMANDS_ANNOTATION_H
#define FT_PREDICT_COMMANDS_ANNOTATION_H

#include <stdio.h>

#include "predict/prediction.h"

int ft_annotation_text(const struct ft_prediction *prediction, const char *sources, FILE *stream,
                       struct ft_diag *diag);

#endif
