/*
 * check_group_histograms HISTOGRAMS: the histograms of group_sample (tests/corpus/group_sample.c)
 * at an even and an odd number of elements, blocks of 64 bytes.
 *
 * Rows are read two elements at a time. Where a row has an even number of them, the first of two is
 * always the one that comes to a new line; where it is odd, either is, every other row (Marin &
 * Mellor-Crummey 2005, Figure 2). Of records of 24 bytes, which field is the first in a line goes
 * by where the record lies. Groups come to a new line with an eighth of their touches, whatever the
 * size: 8 of 64 bytes, and 24 of 64 with three touches.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/histograms/histograms.h"
#include "tests/support/tap.h"

#define NEAR_MAX    3 /* blocks between touches of one line in the loops' iterations */
#define TOLERANCE   0.01
#define MEMBERS_MAX 8

struct shares { /* of touches that come to a new line */
    double group;
    double single[MEMBERS_MAX];
    unsigned count;
    double parameter;
};

static uint64_t new_lines(const struct ft_histogram *histogram)
{
    uint64_t count = histogram->cold;
    for (size_t i = 0; i < histogram->bin_count; i++)
        count += histogram->bins[i].bin >= NEAR_MAX ? histogram->bins[i].count : 0;
    return count;
}

static bool is_in_routine(const struct ft_scopes *scopes, uint32_t scope, const char *routine)
{
    return strcmp(scopes->scopes[ft_scope_routine(scopes, scope)].name, routine) == 0;
}

/* The group of most members in a routine's innermost loop. */
static uint32_t largest_group(const struct ft_scopes *scopes, const char *routine,
                              unsigned loop_depth)
{
    uint32_t best = UINT32_MAX, most = 0;
    for (size_t i = 0; i < scopes->reference_count; i++) {
        const struct ft_scoped_reference *reference = &scopes->references[i];
        uint32_t members = 0;
        if (scopes->scopes[reference->scope].loop_depth != loop_depth ||
            !is_in_routine(scopes, reference->scope, routine))
            continue;
        for (size_t j = 0; j < scopes->reference_count; j++)
            members += scopes->references[j].group == reference->group;
        if (members > most) {
            most = members;
            best = reference->group;
        }
    }
    return best;
}

static struct shares shares_of(const struct ft_histograms *entry, const char *routine,
                               unsigned loop_depth)
{
    struct shares shares = {.parameter = entry->metadata.parameters[0].value};
    const uint32_t group = largest_group(&entry->scopes, routine, loop_depth);
    uint64_t touches = 0, lines = 0;
    for (size_t i = 0; i < entry->reference_count; i++) {
        const struct ft_histogram *histogram = &entry->histograms[i * entry->size_count];
        if (entry->scopes.references[i].group != group || shares.count == MEMBERS_MAX)
            continue;
        touches += histogram->touches;
        lines += new_lines(histogram);
        shares.single[shares.count++] =
            (double)new_lines(histogram) / (double)(histogram->touches + !histogram->touches);
    }
    shares.group = touches ? (double)lines / (double)touches : 0;
    return shares;
}

static bool is_near(double share, double expected)
{
    return fabs(share - expected) < TOLERANCE;
}

static void check_rows(const struct ft_histograms *entry)
{
    struct shares shares = shares_of(entry, "sum_rows", 2);
    bool odd = fmod(shares.parameter, 2) == 1;
    tap_ok(shares.count == 2 && is_near(shares.group, 0.125),
           "rows of %g elements: %u references, together at a new line with %.3f of their touches",
           shares.parameter, shares.count, shares.group);
    tap_ok(is_near(shares.single[0], odd ? 0.125 : 0.25) &&
               is_near(shares.single[1], odd ? 0.125 : 0),
           "by themselves %.3f and %.3f", shares.single[0], shares.single[1]);
}

static void check_records(const struct ft_histograms *entry)
{
    struct shares shares = shares_of(entry, "sum_records", 1);
    unsigned others = 0;
    for (unsigned i = 0; i < shares.count; i++)
        others += shares.single[i] > 0 && !is_near(shares.single[i], 0.125);
    tap_ok(shares.count == 3 && is_near(shares.group, 0.125),
           "%g records: %u references, together at a new line with %.3f of their touches",
           shares.parameter, shares.count, shares.group);
    tap_ok(others > 0, "by themselves %.3f, %.3f and %.3f", shares.single[0], shares.single[1],
           shares.single[2]);
}

int main(int argc, char **argv)
{
    struct ft_histogram_file file = {0};
    struct ft_diag diag = {0};
    int status = argc == 2 ? ft_histogram_file_read(argv[1], &file, &diag) : FT_ERROR_USAGE;
    bool fits = status == 0 && file.count == 2;
    for (size_t e = 0; e < file.count; e++)
        fits = fits && file.entries[e].metadata.parameter_count == 1 &&
               file.entries[e].block_bytes[0] == 64;
    if (tap_ok(fits, "histograms of two sizes %s", diag.message))
        for (size_t e = 0; e < file.count; e++) {
            check_rows(&file.entries[e]);
            check_records(&file.entries[e]);
        }
    ft_histogram_file_fini(&file);
    return tap_plan_done();
}
