/*
 * The bandwidth model of a machine, and the file that it is kept in beside the machine's: HDF5 of
 * kind "bandwidth" with the caches it holds for, the points it was trained on with their hit rates,
 * and trained functions, the best first.
 *
 * Owned. HDF5 must not be called by two threads at once.
 */
#ifndef FT_MACHINES_BANDWIDTH_BANDWIDTH_MODEL_H
#define FT_MACHINES_BANDWIDTH_BANDWIDTH_MODEL_H

#include "machines/bandwidth/training.h"
#include "machines/machine.h"

enum ft_training_method {
    FT_METHOD_GENETIC,    /* genetic.h */
    FT_METHOD_MULTISTART, /* multistart.h */
    FT_METHOD_LATENCIES,  /* untrained: the machine's latencies, and plateaus of the points */
    FT_METHOD_COUNT
};
extern const char *const ft_training_method_names[FT_METHOD_COUNT];

struct ft_trained_function {
    struct ft_bandwidth_function function;
    uint8_t method; /* enum ft_training_method */
    struct ft_bandwidth_error error;
    uint64_t seed; /* genetic */
    uint32_t entities, generations;
};

struct ft_bandwidth_cache { /* what hit rates were found for */
    uint64_t capacity_bytes, block_bytes, ways;
};

struct ft_bandwidth_model {
    char *machine; /* its name when it was trained */
    struct ft_bandwidth_cache caches[FT_BANDWIDTH_LEVELS_MAX];
    uint32_t cache_count;
    struct ft_bandwidth_points points;
    struct ft_trained_function *functions; /* by their mean error; one or more */
    size_t function_count;
};

int ft_bandwidth_model_write(const char *path, const struct ft_bandwidth_model *model,
                             struct ft_diag *diag);
int ft_bandwidth_model_read(const char *path, struct ft_bandwidth_model *ret_model,
                            struct ft_diag *diag);
void ft_bandwidth_model_fini(struct ft_bandwidth_model *model);

/* The caches of a machine; FT_ERROR_UNSUPPORTED: it has none, or too many. */
int ft_bandwidth_model_set_machine(struct ft_bandwidth_model *model,
                                   const struct ft_machine *machine, struct ft_diag *diag);
/* FT_ERROR_USAGE where a machine has other caches than the model. */
int ft_bandwidth_model_check(const struct ft_bandwidth_model *model, const char *path,
                             const struct ft_machine *machine, struct ft_diag *diag);

/* Eq. 5 as it is before any training: c from the machine's latencies, b the mean bandwidth of the
 * points that spend most of their time in a level. */
void ft_bandwidth_from_latencies(const struct ft_bandwidth_points *points,
                                 const struct ft_machine *machine,
                                 struct ft_bandwidth_function *ret_function);

#endif
