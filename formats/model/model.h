/*
 * A fitted model: counts and reuse distances of every group as functions of one parameter or more
 * (Marin & Mellor-Crummey 2004, section 2.3; docs/fit.md). Enough for predict: nothing else is
 * opened. Functions are linear combinations of the terms of a basis (formats/model/basis.h).
 *
 * fit/evaluate/evaluate.h gives the histograms of a model at one n, clamped to what is possible.
 * Everything is owned by struct ft_model; a model that is not changed may be read by many threads.
 */
#ifndef FT_FORMATS_MODEL_MODEL_H
#define FT_FORMATS_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/histograms/set_distances.h"
#include "formats/model/basis.h"
#include "formats/model/data_growth.h"
#include "formats/model/executions.h"
#include "formats/model/group_data.h"
#include "formats/model/group_strides.h"
#include "formats/model/member_bins.h"
#include "formats/model/model_threads.h"
#include "formats/scopes/scopes.h"
#include "formats/skeleton/sized_skeleton.h"

/* Version 2 has inlined calls around loops, and terms that are data. Version 3 has members,
 * replicas, functions that say which sizes they left out, and several models in a file. Version 4
 * has skeletons, version 5 these with quotients in laws and with cycles, version 6 with logarithms
 * and geometric loops; it is written only where there are skeletons. Version 7 has the code of
 * blocks, version 8 distances within sets, version 9 source files, version 10 sizes that were only
 * counted, version 11 skeletons with laws of levels, version 12 what is known of threads, version
 * 13 loops of heap blocks, version 14 skeletons with loops that are cut, version 15 how well
 * branches are predicted, version 16 pages that are mapped again, version 17 which data groups
 * touch. */
#define FT_MODEL_VERSION          17
#define FT_MODEL_VERSION_MEMBERS  3
#define FT_MODEL_VERSION_SKELETON 6
#define FT_MODEL_VERSION_CODE     7
#define FT_MODEL_VERSION_SETS     8
#define FT_MODEL_VERSION_SOURCES  9
#define FT_MODEL_VERSION_COUNTED  10
#define FT_MODEL_VERSION_LEVELS   11
#define FT_MODEL_VERSION_THREADS  12
#define FT_MODEL_VERSION_BLOCKS   13
#define FT_MODEL_VERSION_CUTS     14
#define FT_MODEL_VERSION_BRANCHES 15
#define FT_MODEL_VERSION_REMAPPED 16
#define FT_MODEL_VERSION_DATA     17

/* The data size of a trace, in bytes: its distinct blocks of the smallest size replayed. */
#define FT_DATA_SIZE "s"

/* The forecast of one method for the touches that are not cold. */
struct ft_model_member {
    uint32_t method; /* index into the model's methods */
    double weight;   /* above 0, relative to the histogram's other members */
    struct ft_member_bins *bins;
    bool over_data; /* distances are functions of the data size, in its terms */
};

/* A group at one block size. */
struct ft_model_histogram {
    struct ft_function touches; /* all of them, cold ones included */
    struct ft_function cold;
    struct ft_model_member *members; /* the heaviest first */
    size_t member_count;
};

struct ft_model_group {
    uint32_t scope; /* innermost scope; the routine where `rest` is set */
    bool rest; /* the remainder of a routine: references that some training sizes lack, and groups
                  too small to matter */
    uint32_t reference_count;
    uint32_t line;                /* of its first reference; 0 where unknown */
    int64_t stride_bytes;         /* run stride, FT_STRIDE_NONE or FT_STRIDE_MIXED (histograms.h) */
    uint64_t accesses_at_largest; /* measured at the largest training size, for weighing */
    struct ft_function accesses;
    struct ft_function traced; /* the same as the training sizes alone tell; where the model has
                                  counted sizes */
    struct ft_model_histogram *histograms; /* [size_count] */
};

/* What a scope executes itself, without the scopes inside it. */
struct ft_model_scope_counts {
    uint32_t scope;
    struct ft_function instructions;
    struct ft_function mix[FT_MIX_COUNT];
    struct ft_function flops;
    struct ft_function entries; /* loops: entries from outside; routines: calls, as far as seen */
    struct ft_function iterations;     /* loops: executions of the header */
    struct ft_function remapped_pages; /* as in struct ft_scopes; 0 where these have none */
};

#define FT_LEFT_OUT_MAX 64U /* training sizes, the first ones */

/* How blocks fell into sets at a training size. */
struct ft_model_set_distances {
    size_t training;  /* which; after ft_model_restrict several may be of one */
    uint64_t *blocks; /* [size_count]: the footprint there */
    struct ft_set_distances *distances;
};

/* Sizes at which only executions were counted, besides the training sizes. */
struct ft_model_counted {
    double *values; /* [count][parameters], ascending */
    char **trace_hashes;
    size_t count; /* 0: executions are known at the training sizes alone */
};

/* A parameter of a model over several that has been given a value (model_restriction.h). */
struct ft_model_fixed {
    const char *name;
    double value;
    double least, largest; /* training values */
};

/* A replica is the same model, fitted without one of the training sizes, or some of them: what is
 * forecast by the model and by all of its replicas has an interval (jackknife). It has functions of
 * its own and shares the rest with its model. */
struct ft_model {
    char *name; /* by which it is found in a file */
    char *program;
    char *parameter; /* the parameter that the model runs over, "N"; the first of several */
    char *further[FT_PARAMETERS_MAX - 1]; /* the other ones */
    bool over_data_size;                  /* which is the size of the data, in bytes */
    struct ft_basis basis;                /* of all of them */
    struct ft_data_growth growth; /* of the data with what the traces recorded, where the model is
                                     over the data size */
    struct ft_basis data_basis; /* of FT_DATA_SIZE: terms of members over the data size; none where
                                   there are no such members */
    double *training;           /* [training_count][parameters]: their values, ascending; of several
                                   by the first, then the next */
    size_t training_count;
    char **trace_hashes; /* [training_count] */
    struct ft_model_counted counted;
    struct ft_scopes scopes;  /* of the largest training size */
    bool has_scopes_of_whole; /* which are those of the model that it is a shared model of */
    uint64_t *block_bytes;    /* ascending */
    size_t size_count;
    struct ft_function *distinct_blocks; /* [size_count]: footprint */
    struct ft_model_group *groups;       /* by scope, joined ones in the first one's place */
    size_t group_count;
    uint64_t *training_accesses; /* [group * training_count + size]: as measured; NULL in files from
                                    before there was this */
    uint64_t *training_blocks;   /* [block size * training_count + size]: footprints, likewise */
    uint64_t *training_remapped; /* [size]: remapped pages of all scopes; NULL: none */
    struct ft_model_set_distances *set_distances; /* of training sizes that have them */
    size_t set_distance_count;
    struct ft_group_strides strides;      /* of the groups */
    struct ft_group_data data;            /* likewise */
    struct ft_model_scope_counts *counts; /* by scope; one for each scope that executes itself */
    size_t counts_count;
    struct ft_model_executions executions; /* of the scopes' blocks and edges */
    struct ft_model_threads threads;       /* replicas have none */
    double matched_share; /* of accesses at the largest size, in references found at all sizes */
    char *method;         /* the fitting method's name */
    char **methods;       /* [method_count]: names of the methods that members are of */
    size_t method_count;
    char *options;
    char *tool_version;
    struct ft_model *replicas; /* [replica_count]; without replicas of their own */
    size_t replica_count;
    uint64_t left_out; /* of a replica: bit k where it was fitted without training size k */
    struct ft_model_fixed fixed[FT_PARAMETERS_MAX - 1]; /* not in files */
    size_t fixed_count;
    struct ft_sized_skeleton *skeleton; /* NULL: none; replicas share it */
};

void ft_model_fini(struct ft_model *model);
void ft_model_threads_fini(struct ft_model_threads *threads);
/* So many replicas, without one of the first sizes each, all of whose functions are 0 and whose
 * histograms are empty. The model must have all that they share. */
int ft_model_add_replicas(struct ft_model *model, size_t count, struct ft_diag *diag);
void ft_model_histogram_fini(struct ft_model_histogram *histogram);
/* The index of a block size; the number of sizes: the model does not have it. */
size_t ft_model_block_size(const struct ft_model *model, uint64_t block_bytes);
/* What a scope executes itself; NULL where that is nothing. */
const struct ft_model_scope_counts *ft_model_counts_of(const struct ft_model *model,
                                                       uint32_t scope);
/* The largest training size. */
struct ft_point ft_model_largest(const struct ft_model *model);
/* The replica without that training size only, or NULL. */
const struct ft_model *ft_model_replica_without(const struct ft_model *model, size_t size);
/* Where the data size is what the model forecasts at a point: of the data's terms. */
struct ft_point ft_model_data_point(const struct ft_model *model, const struct ft_point *at);
/* Of a bin, at a point of the model's own terms. */
double ft_member_distance(const struct ft_model *model, const struct ft_model_member *member,
                          size_t bin, const struct ft_point *at);
/* The values of a training size, one a parameter. */
const double *ft_model_training(const struct ft_model *model, size_t size);
/* Whether it has a skeleton over one parameter, of the same training sizes. */
bool ft_model_has_sized_skeleton(const struct ft_model *model);
/* The values of a counted size, likewise. */
const double *ft_model_counted_size(const struct ft_model *model, size_t size);
/* Of a model of one parameter the sizes at which executions are known, training sizes and counted
 * ones, ascending, each once; returns how many, 0 where they are more than `room` or the parameters
 * several. */
size_t ft_model_execution_sizes(const struct ft_model *model, size_t room, double *ret_sizes);
/* "N = 16 32 64", of several parameters "N, M = 16, 1; 16, 2; 32, 1". */
#define FT_TRAINING_TEXT 2048
char *ft_model_training_text(char text[FT_TRAINING_TEXT], const struct ft_model *model);
/* The same of the counted sizes. */
char *ft_model_counted_text(char text[FT_TRAINING_TEXT], const struct ft_model *model);
/* The least and the largest training value of a parameter. */
void ft_model_range(const struct ft_model *model, size_t parameter, double *ret_min,
                    double *ret_largest);

/* Models side by side, of several programs or builds; their names differ. */
struct ft_model_file {
    struct ft_model *models;
    size_t count;
};
/* Writes PATH.partial, syncs, renames. The bytes depend on the contents alone. */
int ft_model_file_write(const char *path, const struct ft_model_file *file, struct ft_diag *diag);
bool ft_model_file_is(const char *path);
int ft_model_file_read(const char *path, struct ft_model_file *ret_file, struct ft_diag *diag);
void ft_model_file_fini(struct ft_model_file *file);

/* A file of one model. */
int ft_model_write(const char *path, const struct ft_model *model, struct ft_diag *diag);
/* One model of a file: the one of that name, or with NULL the only one. FT_ERROR_USAGE, with the
 * names that there are, where there is no such one. */
int ft_model_read(const char *path, const char *name, struct ft_model *ret_model,
                  struct ft_diag *diag);

#endif
