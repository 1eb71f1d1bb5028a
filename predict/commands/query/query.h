/*
 * A question to models: which of size, cache and hit ratio are given, and what is asked (Marin &
 * Mellor-Crummey 2004, section 2.4: planes of cache, size and hit ratio; Zhong et al. 2007). Two of
 * the three determine the third, one gives a curve over the others, none the surface.
 *
 * Owned by the caller; ft_query_fini frees the caches.
 */
#ifndef FT_PREDICT_COMMANDS_QUERY_QUERY_H
#define FT_PREDICT_COMMANDS_QUERY_QUERY_H

#include "formats/cli/options.h"
#include "formats/model/query_point.h"
#include "machines/commands/report_options.h"
#include "predict/query/miss_curve.h"

enum ft_question {
    FT_ASK_RATIO,      /* size and caches: miss ratios */
    FT_ASK_MIN_CACHE,  /* size and hit ratio */
    FT_ASK_SIZES,      /* caches and hit ratio: the sizes in which it holds */
    FT_ASK_CRITICAL,   /* caches: critical sizes, what fits, the largest ratio */
    FT_ASK_CAPACITIES, /* a size: ratios over capacities */
    FT_ASK_MIN_CACHES, /* a hit ratio: least caches over sizes */
    FT_ASK_SURFACE,    /* ratios over capacities and sizes */
    FT_ASK_MINI_REF,   /* size and caches: the smallest size with the same ratios */
    FT_ASK_MINI_SET,   /* caches: the smallest inputs that show all ratios of all models */
};

struct ft_query {
    enum ft_question question;
    enum ft_report_form form;
    const char *at;      /* as given, or NULL */
    const char *in;      /* a part of the program (scope_choice.h), or NULL */
    const char *from;    /* of the sizes asked about; NULL: the smallest training size */
    const char *to;      /* NULL: FT_QUERY_REACH times the largest */
    double miss_ratio;   /* at most: 1 - the hit ratio asked for */
    double within;       /* relative difference of ratios that counts for none */
    uint64_t line_bytes; /* of the surface; 0: not given */
    bool reuse;          /* ratios are without first touches */
    bool in_sets;        /* else fully associative */
    struct ft_machine caches;
};

#define FT_QUERY_REACH 100.0

/* The options of a command that asks. */
/* clang-format off */
#define FT_QUERY_OPTIONS                                                                           \
    {"at", 0, "NAME=VALUE", "a size: a value of the model's parameter, or s=BYTES"},               \
    {"cache", 0, "BYTES[:LINE[:WAYS]]",                                                            \
     "a cache, such as 32K, 1M:64 or 48K:64:12; may be repeated",                                  \
     .excludes = "machine", .repeats = true},                                                      \
    {"machine", 'm', "MACHINE", "all caches and TLBs of a machine: " FT_MACHINE_HELP,              \
     .reads = true},                                                                               \
    {"hit-ratio", 0, "SHARE", "a share of the accesses that hit, such as 0.95 or 95%"},            \
    {"mini-ref", 0, NULL, "the smallest size with the miss ratios of --at in all caches"},         \
    {"mini-set", 0, NULL, "the smallest inputs of all models that show all their miss ratios"},    \
    {"in", 0, "SCOPE", "only accesses in a routine (its name) or loop (FILE:LINE)"},                \
    {"reuse", 0, NULL, "leave out first touches, which miss in every cache"},                \
    {"sets", 0, NULL, "misses in the sets of the caches, not fully associative"},              \
    {"within", 0, "SHARE", "relative difference up to which miss ratios are alike (default: 10%)"},       \
    {"from", 0, "VALUE", "the smallest size to examine (default: the smallest training size)"},      \
    {"to", 0, "VALUE", "the largest size (default: 100 times the largest training size)"},             \
    {"line", 0, "BYTES", "the block size of the surface (default: 64 where the model has it)"},    \
    {"model", 0, "NAME", "which of the files' models (default: all)"}
/* clang-format on */

/* What the options ask. Models are needed for the line size of caches given without one. */
int ft_query_read(const struct ft_arguments *arguments, const struct ft_model *models,
                  size_t model_count, struct ft_query *ret_query, struct ft_diag *diag);
void ft_query_fini(struct ft_query *query);

/* The size that an option gives: "N=100" or "100", data sizes also "4M"; or another parameter that
 * the model can be evaluated at. */
int ft_query_size(const struct ft_model *model, const char *option, const char *text,
                  struct ft_query_point *ret_size, struct ft_diag *diag);
/* The value of the model's parameter alone. */
int ft_query_value(const struct ft_model *model, const char *option, const char *text,
                   double *ret_value, struct ft_diag *diag);
/* The block size of the surface, as an index of the model's: as --line says, else that of caches
 * without one. */
size_t ft_query_block(const struct ft_query *query, const struct ft_model *model);
/* The sizes asked about. */
int ft_query_line(const struct ft_query *query, const struct ft_model *model,
                  struct ft_size_line *ret_line, struct ft_diag *diag);

#endif
