/*
 * A fitted model: counts and reuse distances of every group as functions of one parameter
 * (Marin & Mellor-Crummey 2004, section 4; docs/method.md). Enough for predict; nothing else is
 * opened. Polynomials are over the basis {1, n, n^2, n^3, log2 n, n log2 n} with x = value/scale.
 */
#ifndef FT_FORMATS_MODEL_H
#define FT_FORMATS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/scopes.h"

#define FT_MODEL_VERSION 1

enum ft_basis { FT_BASIS_ONE, FT_BASIS_N, FT_BASIS_N2, FT_BASIS_N3, FT_BASIS_LOG, FT_BASIS_NLOG,
                FT_BASIS_COUNT };
extern const char *const ft_basis_names[FT_BASIS_COUNT]; /* "1", "N", "N^2", ... */

struct ft_function {
    double coefficients[FT_BASIS_COUNT];
    double rms_relative_error; /* over the training sizes */
};
/* The value at n, not below 0. */
double ft_function_at(const struct ft_function *function, double n);

/* A bin of a modelled histogram: so many touches at such a distance. */
struct ft_model_bin {
    struct ft_function count;             /* touches */
    struct ft_function distance_blocks;   /* mean distance */
};

struct ft_model_group {
    uint32_t scope;
    uint64_t accesses_at_largest; /* measured at the largest training size, for weighing */
    uint32_t reference_count;
    uint32_t line;                /* of its first reference; 0 where unknown */
    int64_t stride_bytes;         /* run stride, FT_STRIDE_NONE or FT_STRIDE_MIXED */
    struct ft_function accesses;
    /* for each block size: */
    struct ft_function *cold;           /* [size] */
    struct ft_function *distinct_clamp; /* unused groups share NULL */
    struct ft_model_bin **bins;         /* [size][bin], by ascending distance */
    size_t *bin_counts;                 /* [size] */
};

struct ft_model_scope_counts {
    uint32_t scope;
    struct ft_function instructions;
    struct ft_function mix[FT_MIX_COUNT];
    struct ft_function flops;
    struct ft_function iterations;
};

struct ft_model {
    char *program;
    char *parameter;            /* the parameter that the model runs over: "N" */
    double *training;           /* its values, ascending */
    size_t training_count;
    char **trace_hashes;        /* [training_count] */
    struct ft_scopes scopes;    /* of the largest training size */
    uint64_t *block_bytes;
    size_t size_count;
    struct ft_function *distinct_blocks;  /* [size]: footprint */
    struct ft_model_group *groups;
    size_t group_count;
    struct ft_model_scope_counts *counts; /* one for each scope that executes instructions itself */
    size_t counts_count;
    double matched_share;       /* of accesses at the largest size, in references found at all sizes */
    char *options;
    char *tool_version;
};

void ft_model_fini(struct ft_model *model);
int ft_model_write(const char *path, const struct ft_model *model, struct ft_diag *diag);
int ft_model_read(const char *path, struct ft_model *ret_model, struct ft_diag *diag);

#endif
