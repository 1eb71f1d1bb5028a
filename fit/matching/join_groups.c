#include "fit/matching/join_groups.h"

#include <math.h>
#include <stdlib.h>

#include "engine/match/scope_locations.h"

#define SCATTERS 0.002 /* relative error of a function: what fits worse scatters */
#define EVENS    0.4   /* ratio of the errors, together to apart, at which groups are joined */

/* The scattering groups of one routine. */
struct routine {
    uint32_t first; /* of them, in which the others are joined */
    uint32_t count;
    double accesses, error_accesses; /* at the largest size; the errors of these */
};

struct joining {
    struct ft_match *match;
    const struct ft_scopes *scopes;
    double *accesses;         /* [group][entry] */
    double *errors;           /* [group]: relative, of its function */
    struct routine *routines; /* [scope] */
    double *together;         /* [scope][entry]: accesses of the scattering groups */
    uint32_t *becomes;        /* [group]: the group that it is part of now */
};

static void joining_fini(struct joining *joining)
{
    free(joining->accesses);
    free(joining->errors);
    free(joining->routines);
    free(joining->together);
    free(joining->becomes);
}

static int joining_init(struct joining *joining, struct ft_match *match,
                        const struct ft_histograms *const *entries, struct ft_diag *diag)
{
    size_t groups = match->group_count, count = match->entry_count;
    const struct ft_scopes *scopes = &entries[count - 1]->scopes;
    *joining = (struct joining){
        .match = match,
        .scopes = scopes,
        .accesses = calloc(groups * count + 1, sizeof(double)),
        .errors = calloc(groups + 1, sizeof(double)),
        .routines = calloc(scopes->scope_count + 1, sizeof(struct routine)),
        .together = calloc(scopes->scope_count * count + 1, sizeof(double)),
        .becomes = calloc(groups + 1, sizeof(uint32_t)),
    };
    if (!joining->accesses || !joining->errors || !joining->routines || !joining->together ||
        !joining->becomes) {
        joining_fini(joining);
        return ft_fail_memory(diag, "groups");
    }
    for (size_t e = 0; e < count; e++)
        for (size_t i = 0; i < entries[e]->scopes.reference_count; i++)
            if (match->group_of[e][i] != FT_NO_GROUP)
                joining->accesses[match->group_of[e][i] * count + e] +=
                    (double)entries[e]->reference_accesses[i];
    return FT_OK;
}

static double scatter(struct ft_fitter *fitter, const double *accesses)
{
    struct ft_function function;
    struct ft_expectation nothing = ft_expect_nothing(ft_fitter_axis(fitter));
    ft_fit_function(fitter, accesses, 0, &nothing, &function);
    return function.rms_relative_error;
}

/* The groups that scatter, and their sums in each routine. */
static void list_scattering(struct joining *joining, struct ft_fitter *fitter)
{
    size_t count = joining->match->entry_count;
    for (uint32_t g = 0; g < joining->match->group_count; g++) {
        const double *accesses = joining->accesses + g * count;
        uint32_t scope = ft_scope_routine(joining->scopes, joining->match->groups[g].scope);
        struct routine *routine = &joining->routines[scope];
        joining->errors[g] = scatter(fitter, accesses);
        if (joining->errors[g] <= SCATTERS)
            continue;
        if (routine->count++ == 0)
            routine->first = g;
        routine->accesses += accesses[count - 1];
        routine->error_accesses += joining->errors[g] * accesses[count - 1];
        for (size_t e = 0; e < count; e++)
            joining->together[scope * count + e] += accesses[e];
    }
}

/* Whether the scattering groups of a routine scatter much less together. */
static bool evens_out(const struct joining *joining, uint32_t scope, struct ft_fitter *fitter)
{
    const struct routine *routine = &joining->routines[scope];
    const double *together = joining->together + scope * joining->match->entry_count;
    return routine->count > 1 &&
           scatter(fitter, together) * routine->accesses <= EVENS * routine->error_accesses;
}

/* Closes the gaps that joined groups leave; becomes[g] is then the group's new place. */
static void renumber(struct joining *joining, const struct ft_histograms *const *entries)
{
    struct ft_match *match = joining->match;
    uint32_t kept = 0;
    for (uint32_t g = 0; g < match->group_count; g++) {
        if (joining->becomes[g] == g) {
            match->groups[kept] = match->groups[g];
            joining->becomes[g] = kept++;
        } else { /* its first group came before */
            joining->becomes[g] = joining->becomes[joining->becomes[g]];
        }
    }
    match->group_count = kept;
    for (size_t e = 0; e < match->entry_count; e++)
        for (size_t i = 0; i < entries[e]->scopes.reference_count; i++)
            if (match->group_of[e][i] != FT_NO_GROUP)
                match->group_of[e][i] = joining->becomes[match->group_of[e][i]];
}

int ft_join_scattered(struct ft_match *match, const struct ft_histograms *const *entries,
                      struct ft_fitter *fitter, struct ft_diag *diag)
{
    struct joining joining;
    int status = joining_init(&joining, match, entries, diag);
    if (status < 0)
        return status;
    list_scattering(&joining, fitter);
    for (uint32_t scope = 0; scope < joining.scopes->scope_count; scope++)
        if (!evens_out(&joining, scope, fitter))
            joining.routines[scope].count = 0;
    for (uint32_t g = 0; g < match->group_count; g++) {
        struct ft_matched_group *group = &match->groups[g];
        uint32_t scope = ft_scope_routine(joining.scopes, group->scope);
        bool joins = joining.errors[g] > SCATTERS && joining.routines[scope].count > 0;
        joining.becomes[g] = joins ? joining.routines[scope].first : g;
    }
    for (uint32_t g = 0; g < match->group_count; g++) {
        struct ft_matched_group *group = &match->groups[joining.becomes[g]];
        if (joining.becomes[g] != g) {
            group->scope = ft_scope_routine(joining.scopes, group->scope);
            group->rest = true;
        }
    }
    renumber(&joining, entries);
    joining_fini(&joining);
    return FT_OK;
}
