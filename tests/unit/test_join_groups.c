/*
 * Paths of a routine that scatter apart and not together: a routine with a loop, of which now this
 * path, now that does the work, beside groups that must stay as they are.
 */
#include "fit/matching/join_groups.h"

#include <gsl/gsl_errno.h>
#include <math.h>

#include "tests/support/tap.h"

#define SIZES      5
#define GROUPS     5
#define REFERENCES 6 /* the last one is a fetch, in no group */

/* program > copy > loop; program > noise */
enum { PROGRAM, COPY, LOOP, NOISE, SCOPES };

static const double sizes[SIZES] = {36, 44, 52, 60, 68};
static const double shares[SIZES] = {0.3, 0.7, 0.2, 0.6, 0.4};

int main(void)
{
    static struct ft_scope scopes[SCOPES] = {[PROGRAM] = {.kind = FT_SCOPE_PROGRAM},
                                             [COPY] = {.kind = FT_SCOPE_ROUTINE},
                                             [LOOP] = {.kind = FT_SCOPE_LOOP, .parent = COPY},
                                             [NOISE] = {.kind = FT_SCOPE_ROUTINE}};
    struct ft_matched_group groups[GROUPS] = {
        {COPY, false, 0}, {COPY, false, 1}, {LOOP, false, 2}, {NOISE, false, 3}, {NOISE, false, 4}};
    struct ft_histograms entries[SIZES] = {0};
    const struct ft_histograms *pointers[SIZES];
    uint64_t accesses[SIZES][REFERENCES];
    uint32_t group_of[SIZES][REFERENCES], *group_lists[SIZES];
    for (size_t e = 0; e < SIZES; e++) {
        double first = round(100 * shares[e] * sizes[e]);
        accesses[e][0] = (uint64_t)first;
        accesses[e][1] = (uint64_t)(7 * sizes[e]);
        accesses[e][2] = (uint64_t)(100 * sizes[e] - first);
        accesses[e][3] = (uint64_t)(1000 * shares[e]);
        accesses[e][4] = (uint64_t)(900 * shares[e]);
        accesses[e][5] = 1;
        for (uint32_t i = 0; i < REFERENCES; i++)
            group_of[e][i] = i < GROUPS ? i : FT_NO_GROUP;
        group_lists[e] = group_of[e];
        entries[e].scopes.scopes = scopes;
        entries[e].scopes.scope_count = SCOPES;
        entries[e].scopes.reference_count = REFERENCES;
        entries[e].reference_accesses = accesses[e];
        pointers[e] = &entries[e];
    }
    struct ft_match match = {
        .entry_count = SIZES, .groups = groups, .group_count = GROUPS, .group_of = group_lists};
    struct ft_axis axis;
    struct ft_fitter *fitter;
    gsl_set_error_handler_off();
    if (ft_axis_init(&axis, NULL, sizes, SIZES, NULL) < 0 ||
        ft_fitter_create(&axis, &fitter, NULL) < 0)
        return 1;
    int status = ft_join_scattered(&match, pointers, fitter, NULL);
    tap_ok(status == FT_OK && match.group_count == 4, "one group less: %zu", match.group_count);
    tap_ok(groups[0].scope == COPY && groups[0].rest && groups[0].first_reference == 0,
           "the joined ones are the routine's");
    tap_ok(groups[1].scope == COPY && !groups[1].rest && groups[1].first_reference == 1,
           "one that does not scatter stays by itself");
    tap_ok(groups[2].first_reference == 3 && groups[3].first_reference == 4 && !groups[2].rest &&
               !groups[3].rest,
           "those that scatter together as they do apart stay by themselves");
    bool right = true;
    for (size_t e = 0; e < SIZES; e++)
        right = right && group_of[e][0] == 0 && group_of[e][1] == 1 && group_of[e][2] == 0 &&
                group_of[e][3] == 2 && group_of[e][4] == 3 && group_of[e][5] == FT_NO_GROUP;
    tap_ok(right, "references follow their groups, fetches stay in none");
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
    return tap_plan_done();
}
