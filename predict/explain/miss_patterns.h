/*
 * What the misses of each group of an explanation are (after the patterns of Marin & Mellor-Crummey
 * 2005 and ISPASS 2008, table I), and which changes of the code remove such misses. Pure; nothing
 * is said of whether the program allows a change.
 */
#ifndef FT_PREDICT_EXPLAIN_MISS_PATTERNS_H
#define FT_PREDICT_EXPLAIN_MISS_PATTERNS_H

#include "predict/explain/explanation.h"

/* Sets the pattern of each group in each level. */
void ft_miss_patterns_find(struct ft_explanation *explanation);
/* Adds changes without forecasts, each once; those for misses that cost most first. */
int ft_changes_suggest(struct ft_explanation *explanation, struct ft_diag *diag);

#endif
