/*
 * A unit's program without the fetches that are not asked for: they are removed from its pieces,
 * the others move up. Fetches depend on nothing, so computations and updates stay.
 */
#include <stdlib.h>

#include "formats/expand/expand.h"
#include "formats/expand/program.h"

/* Whether the entry is left out; that of the unit's first instruction never is. */
static bool is_passed(const uint32_t *references, unsigned entry, uint32_t first_fetch,
                      const bool *passed)
{
    return entry && references[entry] >= first_fetch && passed[references[entry] - first_fetch];
}

static void drop_entries(struct ft_variant *variant, const uint32_t *references,
                         uint32_t first_fetch, const bool *passed)
{
    uint16_t kept = 0;
    for (unsigned i = 0; i < variant->piece_count; i++) {
        struct ft_piece *piece = &variant->pieces[i];
        const uint16_t first = kept;
        for (unsigned j = piece->first; j < (unsigned)piece->first + piece->count; j++)
            if (!is_passed(references, j, first_fetch, passed))
                variant->entries[kept++] = variant->entries[j];
        if (piece->kind == FT_PIECE_ACCESSES)
            variant->access_count =
                (uint16_t)(variant->access_count - piece->count + (kept - first));
        piece->first = first;
        piece->count = (uint16_t)(kept - first);
    }
    variant->entry_count = kept;
}

int ft_unit_program_skip_fetches(struct ft_unit_program *program, const uint32_t *references,
                                 uint32_t first_fetch, const bool *passed,
                                 uint32_t **ret_references, struct ft_diag *diag)
{
    const unsigned count = program->variants[0].entry_count;
    uint32_t *kept = malloc((count + 1U) * sizeof *kept);
    unsigned kept_count = 0;
    if (!kept)
        return ft_fail_memory(diag, "the program of a unit");
    for (unsigned i = 0; i < count; i++)
        if (!is_passed(references, i, first_fetch, passed))
            kept[kept_count++] = references[i];
    drop_entries(&program->variants[0], references, first_fetch, passed);
    drop_entries(&program->variants[1], references, first_fetch, passed);
    drop_entries(&program->last_iteration, references, first_fetch, passed);
    *ret_references = kept;
    return FT_OK;
}
