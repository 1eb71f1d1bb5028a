/*
 * Threads at a point of a model: how many run, which distances a shared cache sees, how work is
 * divided (model_threads.h). Pure.
 */
#ifndef FT_FORMATS_MODEL_THREAD_LOOKUP_H
#define FT_FORMATS_MODEL_THREAD_LOOKUP_H

#include "formats/model/model.h"

/* How many run at a point; 1 where that is unknown. */
double ft_model_thread_count(const struct ft_model *model, const struct ft_point *at);

/* The model whose distances are those in a cache that so many cores share, where so many threads
 * run, one a core: itself, one of its shared models, or NULL where there is none. */
const struct ft_model *ft_model_shared_by(const struct ft_model *model, uint32_t cores,
                                          double threads);

/* Parts of a scope's work, 0 to 1. */
struct ft_thread_split {
    double first, busiest;
};
/* ret_splits: [scope]. A scope without accesses is divided as the one around it. False where it is
 * unknown how threads divide the work. */
bool ft_model_thread_splits(const struct ft_model *model, const struct ft_point *at,
                            struct ft_thread_split *ret_splits);

#endif
