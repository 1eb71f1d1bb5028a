/*
 * Histogram files of earlier format versions stay readable: each with the figures that it was made
 * with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/histograms/histograms.h"
#include "tests/support/tap.h"

/* A file of a version up to this one, with the figures that it was made with: of version 1 there
 * are no totals, before version 3 no pairs. what: of several files of a version. */
static void check_version(unsigned version, const char *what, size_t sizes, size_t references,
                          uint64_t touches_made, uint64_t cold_made)
{
    struct ft_histogram_file read;
    struct ft_diag diag = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/golden/version-%u%s.histograms", getenv("SOURCE"),
             version, what);
    if (!tap_ok(ft_histogram_file_read(path, &read, &diag) == FT_OK, "version %u%s is read %s",
                version, what, diag.message))
        return;
    const struct ft_histograms *entry = &read.entries[0];
    uint64_t touches = 0, cold = 0, of_pairs = 0;
    for (size_t r = 0; r < entry->reference_count; r++) {
        touches += entry->histograms[r * entry->size_count].touches;
        cold += entry->histograms[r * entry->size_count].cold;
    }
    for (size_t i = 0; entry->pairs && i < entry->pairs[0].count; i++)
        of_pairs += entry->pairs[0].histograms[i].touches;
    tap_ok(read.count == 1 && entry->size_count == sizes && entry->reference_count == references &&
               touches == touches_made && cold == cold_made &&
               entry->distinct_blocks[0] == cold_made && !entry->touches == (version < 2) &&
               !entry->scope_totals == (version < 2) &&
               of_pairs == (version < 3 || entry->data ? 0 : touches_made) &&
               (entry->data != NULL) == (strcmp(what, "-data") == 0) &&
               entry->scopes.inlined_count == (*what ? 4 : 0) &&
               !entry->scopes.groups == (version < 5),
           "with the figures that it was made with");
    ft_histogram_file_fini(&read);
}

/* How well branches are predicted is known from version 12 on, and of pages that are mapped again
 * in version 13: the first trace's of two pages, twice. */
static void check_read(unsigned version)
{
    struct ft_histogram_file read;
    struct ft_diag diag = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/golden/version-%u.histograms", getenv("SOURCE"), version);
    if (!tap_ok(ft_histogram_file_read(path, &read, &diag) == FT_OK, "version %u is read %s",
                version, diag.message))
        return;
    const struct ft_scopes *scopes = &read.entries[0].scopes;
    uint64_t branches = 0;
    for (size_t b = 0; scopes->predictions && b < scopes->block_count; b++)
        branches += scopes->predictions[b].branches;
    tap_ok(read.count > 0 && (branches > 0) == (version >= FT_HISTOGRAMS_VERSION_BRANCHES),
           "%zu traces, with %s", read.count, branches ? "branches" : "no branches");
    uint64_t remapped = 0;
    for (size_t i = 0; scopes->remapped_pages && i < scopes->scope_count; i++)
        remapped += scopes->remapped_pages[i];
    tap_ok(remapped == (version < FT_HISTOGRAMS_VERSION_REMAPPED ? 0 : 4),
           "%u pages that are mapped again", (unsigned)remapped);
    ft_histogram_file_fini(&read);
}

int main(void)
{
    check_version(1, "", 3, 7, 4480, 65);
    check_version(2, "", 2, 8, 45, 3);
    check_version(3, "", 2, 8, 45, 3);
    check_version(4, "", 2, 29, 15379, 388);
    check_version(4, "-inlined", 2, 6, 63, 5);
    check_version(4, "-data", 2, 6, 63, 5);
    check_version(5, "", 1, 132, 110627, 37);
    for (unsigned version = 6; version <= FT_HISTOGRAMS_VERSION; version++)
        check_read(version);
    return tap_plan_done();
}
