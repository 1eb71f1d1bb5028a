/*
 * What a model knows of threads: how many run, how they divide the work of scopes, and the
 * distances in caches that they share (docs/predict.md, "Threads").
 */
#ifndef FT_FORMATS_MODEL_MODEL_THREADS_H
#define FT_FORMATS_MODEL_MODEL_THREADS_H

#include "formats/model/basis.h"

struct ft_model;

/* How threads divide the accesses of a scope, without nested ones. */
struct ft_thread_share {
    uint32_t scope;
    struct ft_function accesses; /* of all threads */
    struct ft_function first;    /* of the one that starts the program */
    struct ft_function busiest;  /* of the one that makes most */
};

/* The same model of distances in caches that so many consecutive threads share. */
struct ft_shared_model {
    uint32_t cores;
    struct ft_model *model; /* without executions and threads; its scopes are those of the whole */
};

struct ft_model_threads {
    uint32_t most;  /* at a training size; 0: unknown, in files from before version 12 */
    uint32_t cores; /* that share the caches of the model's own distances: 1 where each thread is by
                       itself; 0: not the same at all training sizes */
    struct ft_function count;       /* of threads */
    struct ft_thread_share *shares; /* by scope; none where threads were not replayed apart */
    size_t share_count;
    struct ft_shared_model *shared;
    size_t shared_count;
};
#endif
