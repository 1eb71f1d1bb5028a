#include "fit/counted_skeleton.h"

#include <math.h>
#include <stdlib.h>

#include "engine/match/scope_locations.h"
#include "fit/skeletons/synthesis.h"

#define STARTUP 1e-3 /* of the accesses: what environment and arguments may change */

/* Of a routine, in all its scopes. */
struct routine {
    double made, counted;
    bool is_known; /* all of it follows laws and was counted */
};

struct checking {
    const struct ft_fit_work *work;
    const struct ft_sized_skeleton *sized;
    const struct ft_scopes *scopes;     /* the model's */
    struct ft_synthetic_share *largest; /* [scope]: at the largest training size */
    struct ft_synthetic_share *shares;  /* [scope]: at the size in question */
    struct routine *routines;           /* [scope] */
};

static void sum_routines(const struct checking *checking, size_t column)
{
    const struct ft_fit_work *work = checking->work;
    for (size_t s = 0; s < checking->scopes->scope_count; s++)
        checking->routines[s] = (struct routine){.is_known = true};
    for (uint32_t s = 0; s < checking->scopes->scope_count; s++) {
        const struct ft_synthetic_share *share = &checking->largest[s];
        struct routine *routine = &checking->routines[ft_scope_routine(checking->scopes, s)];
        routine->made += checking->shares[s].accesses;
        routine->is_known = routine->is_known &&
                            share->single + share->recorded + share->drawn + share->irregular == 0;
    }
    for (size_t g = 0; g < work->match.group_count; g++) {
        struct routine *routine =
            &checking->routines[ft_scope_routine(checking->scopes, work->match.groups[g].scope)];
        routine->counted += work->group_counts.counts[g * work->counted.count + column];
        routine->is_known = routine->is_known && work->group_counts.known[g];
    }
}

/* After sum_routines. */
static int compare(const struct checking *checking, size_t column, struct ft_diag *ret_reason)
{
    double differing = 0, all = 0, worst = 0;
    size_t most = 0;
    for (size_t s = 0; s < checking->scopes->scope_count; s++) {
        const struct routine *routine = &checking->routines[s];
        all += routine->counted;
        if (!routine->is_known || checking->scopes->scopes[s].kind != FT_SCOPE_ROUTINE)
            continue;
        const double difference = fabs(routine->made - routine->counted);
        differing += difference;
        if (difference > worst) {
            worst = difference;
            most = s;
        }
    }
    if (differing <= STARTUP * all)
        return FT_OK;
    return ft_fail(ret_reason, FT_ERROR_USAGE,
                   "at %s = %.15g its laws make %.15g accesses in %s, and %.15g were counted",
                   checking->work->model->parameter, checking->work->counted.values[column],
                   checking->routines[most].made, checking->scopes->scopes[most].name,
                   checking->routines[most].counted);
}

static int check_size(const struct checking *checking, size_t column, struct ft_diag *ret_reason)
{
    const double size = checking->work->counted.values[column];
    struct ft_unknown_residue unknown;
    struct ft_synthesis synthesis;
    if (!ft_is_sized_size(size) || !ft_sized_skeleton_reaches(checking->sized, size, &unknown))
        return FT_OK;
    FT_TRY(ft_synthesis_init(checking->sized, size, &synthesis, ret_reason));
    int status = ft_synthesis_shares(&synthesis, checking->shares, ret_reason);
    ft_synthesis_fini(&synthesis);
    if (status == FT_OK) {
        sum_routines(checking, column);
        status = compare(checking, column, ret_reason);
    }
    return status;
}

int ft_counted_skeleton_check(const struct ft_fit_work *work, const struct ft_sized_skeleton *sized,
                              struct ft_diag *ret_reason)
{
    struct checking checking = {
        .work = work, .sized = sized, .scopes = &work->entries[work->count - 1]->scopes};
    const size_t scopes = checking.scopes->scope_count;
    if (sized->largest.scopes.scope_count != scopes)
        return FT_OK; /* of other scopes than the model's */
    checking.largest = calloc(scopes + 1, sizeof *checking.largest);
    checking.shares = calloc(scopes + 1, sizeof *checking.shares);
    checking.routines = calloc(scopes + 1, sizeof *checking.routines);
    int status = checking.largest && checking.shares && checking.routines
                     ? ft_synthetic_shares(sized, checking.largest, ret_reason)
                     : ft_fail_memory(ret_reason, "a skeleton over sizes");
    for (size_t e = 0; e < work->counted.alone && status == FT_OK; e++)
        status = check_size(&checking, work->counted.columns[e], ret_reason);
    free(checking.largest);
    free(checking.shares);
    free(checking.routines);
    return status;
}
