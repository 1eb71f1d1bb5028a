#include "predict/ranks/laws/rank_classes.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/base/hash_table.h"

static uint64_t mix_rules(uint64_t hash, const struct ft_value_rules *rules,
                          const struct ft_rank_grid *grid, uint32_t rank)
{
    uint32_t to;
    for (size_t i = 0; i < rules->count; i++)
        if (rules->cases[i].category == ft_rank_category(rules->key, grid, rank) &&
            rules->cases[i].rule.is_shift)
            hash = ft_hash_add(
                hash, ft_rank_grid_shift(grid, rank, &rules->cases[i].rule.shift, &to) ? 1 : 2);
    return hash;
}

/* The same for ranks of a class, of all sizes. */
static uint64_t signature_of(const struct ft_job_laws *laws, const struct ft_rank_size *size,
                             uint32_t rank)
{
    const struct ft_rank_grid grid = ft_rank_space_grid(&laws->space, size);
    const uint32_t category = ft_rank_category(laws->key, &grid, rank);
    uint64_t hash = ft_hash_mix(category);
    for (size_t i = 0; i < laws->case_count; i++) {
        const struct ft_call_laws *calls = &laws->cases[i].laws;
        if (laws->cases[i].category != category)
            continue;
        for (size_t n = 0; n < calls->shape.count; n++)
            for (size_t d = 0; d < calls->nodes[n].detail_count; d++)
                for (size_t k = 0; k < calls->nodes[n].details[d].item_count; k++)
                    hash = mix_rules(hash, &calls->nodes[n].details[d].items[k], &grid, rank);
    }
    return hash;
}

static uint32_t find_signature(const struct ft_rank_classes *classes, uint64_t signature)
{
    for (uint32_t i = 0; i < classes->count; i++)
        if (classes->signatures[i] == signature)
            return i;
    return FT_NO_RANK_CLASS;
}

uint32_t ft_rank_class_of(const struct ft_rank_classes *classes, const struct ft_job_laws *laws,
                          const struct ft_rank_size *size, uint32_t rank)
{
    return find_signature(classes, signature_of(laws, size, rank));
}

int ft_rank_classes_find(const struct ft_job_laws *laws, const struct ft_rank_size *size,
                         struct ft_rank_classes *ret_classes, struct ft_diag *diag)
{
    struct ft_rank_classes classes = {.of_rank = calloc((size_t)size->ranks + 1, sizeof(uint32_t))};
    bool is_there = classes.of_rank != NULL;
    for (uint32_t r = 0; r < size->ranks && is_there; r++) {
        const uint64_t signature = signature_of(laws, size, r);
        uint32_t at = find_signature(&classes, signature);
        if (at == FT_NO_RANK_CLASS) {
            at = (uint32_t)classes.count;
            is_there = FT_RESERVE(classes.signatures, classes.capacity, classes.count + 1);
            if (is_there)
                classes.signatures[classes.count++] = signature;
        }
        classes.of_rank[r] = at;
    }
    if (is_there) {
        *ret_classes = classes;
        return FT_OK;
    }
    ft_rank_classes_fini(&classes);
    return ft_fail_memory(diag, "the classes of ranks");
}

void ft_rank_classes_fini(struct ft_rank_classes *classes)
{
    free(classes->of_rank);
    free(classes->signatures);
    *classes = (struct ft_rank_classes){0};
}
