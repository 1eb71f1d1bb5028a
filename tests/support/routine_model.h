/*
 * A model made by hand: a routine for each group, one block size of 32 bytes, three training sizes,
 * and in each group up to ROUTINE_MODEL_BINS bins. Tests fill in its functions.
 */
#ifndef FT_TESTS_SUPPORT_ROUTINE_MODEL_H
#define FT_TESTS_SUPPORT_ROUTINE_MODEL_H

#include "formats/model/model.h"
#include "machines/machine.h"

#define ROUTINE_MODEL_GROUPS 6
#define ROUTINE_MODEL_BINS   3

struct routine_model {
    struct ft_model model;
    double training[3];
    uint64_t block_bytes[1];
    struct ft_function footprint[1];
    struct ft_scope scopes[1 + ROUTINE_MODEL_GROUPS];
    struct ft_model_group groups[ROUTINE_MODEL_GROUPS];
    struct ft_model_histogram histograms[ROUTINE_MODEL_GROUPS];
    struct ft_model_member members[ROUTINE_MODEL_GROUPS];
    struct ft_model_bin bins[ROUTINE_MODEL_GROUPS][ROUTINE_MODEL_BINS];
};

/* Over N, or over the data size s, with terms as `fit --basis` takes them. Points into *model,
 * which must stay where it is. */
void routine_model_init(struct routine_model *model, const char *parameter, const char *terms,
                        double smallest, double largest);
/* Packs the first `count` bins of a group. They outlive the model, whose copies point to them. */
void routine_model_set_bins(struct routine_model *model, size_t group, size_t count);
/* Frees the packed bins of all models. */
void routine_models_free_bins(void);

/* factor * x^exponent; the same plus a constant. */
struct ft_function routine_model_term(const struct ft_basis *basis, double exponent, double factor);
struct ft_function routine_model_plus(struct ft_function function, double constant);

/* A machine of one fully associative cache of 32-byte blocks. */
struct ft_machine routine_model_cache(struct ft_level *level, uint64_t blocks);

#endif
