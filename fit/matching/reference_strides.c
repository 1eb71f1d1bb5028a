#include "fit/matching/reference_strides.h"

#include <stdlib.h>
#include <string.h>

void ft_heaviest_references(const struct ft_match *match, const struct ft_histograms *entry,
                            size_t index, uint32_t *heaviest)
{
    for (size_t g = 0; g < match->group_count; g++)
        heaviest[g] = UINT32_MAX;
    for (uint32_t i = 0; i < entry->scopes.reference_count; i++) {
        const uint32_t group = match->group_of[index][i];
        if (group != FT_NO_GROUP &&
            (heaviest[group] == UINT32_MAX ||
             entry->reference_accesses[i] > entry->reference_accesses[heaviest[group]]))
            heaviest[group] = i;
    }
}

/* From a text of strides (formats/scopes/scopes.h); before version 5 of the files the one of the
 * runs. */
struct ft_reference_strides ft_reference_strides_of(const struct ft_histograms *entry,
                                                    uint32_t reference)
{
    struct ft_reference_strides strides = {0};
    const struct ft_scopes *scopes = &entry->scopes;
    if (!scopes->groups) {
        const int64_t seen = entry->reference_strides[reference];
        strides.bytes[0] = seen == FT_STRIDE_NONE ? FT_STRIDE_MIXED : seen;
        strides.count = 1;
        return strides;
    }
    const char *text = scopes->groups[scopes->references[reference].group].strides;
    for (const char *end = text + strlen(text);
         end > text && strides.count < FT_REFERENCE_LOOPS_MAX;) {
        const char *start = end;
        while (start > text && start[-1] != ' ')
            start--;
        char *behind;
        const int64_t bytes = strtoll(start, &behind, 10);
        strides.bytes[strides.count++] = behind == end ? bytes : FT_STRIDE_MIXED;
        end = start > text ? start - 1 : text;
    }
    return strides;
}
