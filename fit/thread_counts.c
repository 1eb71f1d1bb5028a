#include "fit/thread_counts.h"

#include <stdlib.h>
#include <string.h>

#include "fit/shared_caches.h"

static bool are_alike(const struct ft_histograms *a, const struct ft_histograms *b)
{
    for (size_t i = 0; i < a->metadata.parameter_count; i++) {
        const struct ft_parameter *parameter = &a->metadata.parameters[i];
        const struct ft_parameter *other = ft_metadata_parameter(&b->metadata, parameter->name);
        if (!other || other->value != parameter->value)
            return false;
    }
    return a->metadata.parameter_count == b->metadata.parameter_count;
}

/* Whether what was recorded does not tell how many threads ran. */
static bool is_unexplained(const struct ft_histograms *entries, size_t count)
{
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < a; b++)
            if (entries[a].metadata.parameter_count > 0 && are_alike(&entries[a], &entries[b]) &&
                ft_thread_count_of(&entries[a]) != ft_thread_count_of(&entries[b]))
                return true;
    return false;
}

static bool is_asked(const char *asked)
{
    const size_t length = strlen(FT_THREADS);
    while (asked && *asked) {
        const size_t name = strcspn(asked, ",");
        if (name == length && memcmp(asked, FT_THREADS, length) == 0)
            return true;
        asked += name + (asked[name] == ',');
    }
    return false;
}

int ft_thread_counts_offer(struct ft_histograms *entries, size_t count, const char *asked,
                           struct ft_diag *diag)
{
    for (size_t i = 0; i < count; i++)
        if (ft_metadata_parameter(&entries[i].metadata, FT_THREADS))
            return FT_OK;
    if (!is_asked(asked) && (asked || !is_unexplained(entries, count)))
        return FT_OK;
    for (size_t i = 0; i < count; i++)
        FT_TRY(ft_metadata_add_parameter(&entries[i].metadata, FT_THREADS,
                                         ft_thread_count_of(&entries[i]), diag));
    return FT_OK;
}
