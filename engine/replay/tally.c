#include "engine/replay/tally.h"

int ft_tally_init(struct ft_tally *tally, uint32_t reference_count, struct ft_diag *diag)
{
    *tally = (struct ft_tally){0};
    int status = ft_zero_array_reserve(
        &tally->chunk_of, ((size_t)reference_count + 1) * FT_TALLY_CHUNKS * sizeof(uint32_t), diag);
    if (!status)
        status = ft_zero_array_reserve(&tally->cold,
                                       ((size_t)reference_count + 1) * sizeof(uint64_t), diag);
    return status;
}

int ft_tally_reserve(struct ft_tally *tally, uint32_t additions, struct ft_diag *diag)
{
    if (tally->chunk_count > UINT32_MAX - 1 - additions)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more than 2^32 pieces of histograms");
    return ft_zero_array_reserve(&tally->chunks,
                                 ((size_t)tally->chunk_count + additions + 1) *
                                     FT_TALLY_CHUNK_BINS * sizeof(struct ft_tally_bin),
                                 diag);
}

void ft_tally_fini(struct ft_tally *tally)
{
    ft_zero_array_fini(&tally->chunk_of);
    ft_zero_array_fini(&tally->chunks);
    ft_zero_array_fini(&tally->cold);
}
