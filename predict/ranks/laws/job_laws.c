/*
 * Grids of one, two and three directions are tried, with each rule by which points may be divided.
 * A second grid or rule that explains the runs as well, and gives other blocks or neighbours at the
 * target, leaves it open which one is right.
 *
 * In order: grids; checks; instructions; the module's functions.
 */
#include "predict/ranks/laws/job_laws.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "predict/ranks/laws/class_laws.h"
#include "predict/ranks/laws/recorded_grid.h"

#define PROBE_RANKS 48U

/* ---- grids ---- */

/* Some ranks of the target, outside of loops and in them. */
static int make_probes(struct ft_job_learner *learner, const struct ft_rank_space *space)
{
    const struct ft_rank_size *target = learner->task->target;
    const uint32_t ranks = target ? target->ranks : 0;
    const uint32_t count = ranks < PROBE_RANKS ? ranks : PROBE_RANKS;
    free(learner->probes);
    free(learner->probe_ranks);
    learner->probe_count = 0;
    learner->probes = calloc(2 * (size_t)count + 1, sizeof *learner->probes);
    learner->probe_ranks = calloc(2 * (size_t)count + 1, sizeof *learner->probe_ranks);
    if (!learner->probes || !learner->probe_ranks)
        return ft_fail_memory(learner->diag, "laws");
    for (uint32_t i = 0; i < 2 * count; i++) {
        const uint64_t place = i / 2;
        const uint32_t rank = (uint32_t)(count > 1 ? place * (ranks - 1) / (count - 1) : 0);
        struct ft_law_point point = ft_rank_space_point(space, target, rank);
        if (i % 2) {
            point.values[space->trip] = 2;
            point.values[space->trip + 1] = 1;
            point.values[space->item] = 1;
        }
        learner->probe_ranks[learner->probe_count] = rank;
        learner->probes[learner->probe_count++] = point;
    }
    return FT_OK;
}

/* Whether two spaces of as many directions give the ranks of a size the same values of variables.
 */
static bool same_at(const struct ft_rank_space *a, const struct ft_rank_space *b,
                    const struct ft_rank_size *size, uint64_t variables)
{
    for (uint32_t r = 0; r < size->ranks; r++) {
        const struct ft_law_point at = ft_rank_space_point(a, size, r);
        const struct ft_law_point other = ft_rank_space_point(b, size, r);
        for (unsigned v = 0; v < a->variables.count; v++)
            if (variables >> v & 1 && at.values[v] != other.values[v])
                return false;
    }
    return true;
}

static bool same_in_runs(const struct ft_job_learner *learner, const struct ft_rank_space *a,
                         const struct ft_rank_space *b, uint64_t variables)
{
    for (size_t i = 0; i < learner->task->run_count; i++)
        if (!same_at(a, b, &learner->runs[i], variables))
            return false;
    return true;
}

static int fail_blocks(const struct ft_job_learner *learner)
{
    return ft_fail(learner->diag, FT_ERROR_DATA,
                   "the captured runs do not tell how points are divided where the ranks of a "
                   "direction do not divide them evenly: capture such runs, or forecast a size "
                   "that they divide");
}

static int try_space(struct ft_job_learner *learner, const struct ft_rank_space *space,
                     struct ft_job_laws *ret_laws, bool *ret_is_learned)
{
    struct ft_job_laws laws = {.space = *space};
    *ret_is_learned = false;
    int status = make_probes(learner, space);
    if (status == FT_OK)
        status = ft_class_laws_learn(learner, &laws, ret_is_learned);
    if (status == FT_OK && *ret_is_learned)
        *ret_laws = laws;
    else
        ft_job_laws_fini(&laws);
    return status;
}

/* By the rules of dividing points in turn; those that cannot be told from one that holds must give
 * the same at the target. */
static int try_directions(struct ft_job_learner *learner, unsigned directions,
                          struct ft_job_laws *ret_laws, bool *ret_is_learned)
{
    const struct ft_job_laws_task *task = learner->task;
    struct ft_rank_space failed[FT_BLOCK_RULES];
    unsigned failed_count = 0;
    *ret_is_learned = false;
    for (unsigned rule = 0; rule < FT_BLOCK_RULES; rule++) {
        struct ft_rank_space space;
        bool is_known = false;
        ft_rank_space_init(&space, task->names, task->parameter_count, directions,
                           (enum ft_block_rule)rule);
        space.division = learner->division;
        for (unsigned i = 0; i < failed_count; i++)
            is_known |= same_in_runs(learner, &failed[i], &space, UINT64_MAX);
        if (*ret_is_learned) {
            if (task->target &&
                same_in_runs(learner, &ret_laws->space, &space, ret_laws->variables) &&
                !same_at(&ret_laws->space, &space, task->target, ret_laws->variables))
                return fail_blocks(learner);
        } else if (!is_known) {
            FT_TRY(try_space(learner, &space, ret_laws, ret_is_learned));
            if (!*ret_is_learned)
                failed[failed_count++] = space;
        }
    }
    return FT_OK;
}

/* Whether ranks that are a grid of so many directions, or of so many others, have other neighbours
 * at the target. */
static bool differ_at_target(const struct ft_job_learner *learner, unsigned one, unsigned other)
{
    const struct ft_rank_size *target = learner->task->target;
    if (!target)
        return false;
    const struct ft_rank_grid a = ft_rank_grid_of(target->ranks, one);
    const struct ft_rank_grid b = ft_rank_grid_of(target->ranks, other);
    return memcmp(a.parts, b.parts, sizeof a.parts) != 0;
}

static int fail_directions(const struct ft_job_learner *learner, unsigned one, unsigned other)
{
    return ft_fail(learner->diag, FT_ERROR_DATA,
                   "the captured runs do not tell whether ranks form a grid of %u or %u "
                   "directions: capture more ranks, such as 8",
                   one, other);
}

static bool needs_grid(const struct ft_job_laws *laws)
{
    bool needs = laws->has_positions;
    for (unsigned v = 0; v < laws->space.variables.count; v++)
        needs |= (laws->variables >> v & 1) && ft_rank_space_is_of_grid(&laws->space, v);
    return needs;
}

/* Grids whose laws are found, and those that explain the peers but leave open which laws. */
struct grid_answers {
    bool is_learned[FT_GRID_DIRECTIONS_MAX + 1], is_open[FT_GRID_DIRECTIONS_MAX + 1];
};

/* The grid that the program asked MPI for. */
static int try_recorded(struct ft_job_learner *learner, struct ft_job_laws *found,
                        struct grid_answers *answers, bool *ret_has_found)
{
    struct ft_recorded_grid grid;
    FT_TRY(ft_recorded_grid_find(learner->task, &grid, learner->diag));
    if (grid.directions == 0)
        return FT_OK;
    learner->division = grid.division;
    FT_TRY(try_directions(learner, grid.directions, found, ret_has_found));
    answers->is_learned[grid.directions] = *ret_has_found;
    found->needs_grid = *ret_has_found && needs_grid(found);
    learner->division = (struct ft_grid_division){0};
    return FT_OK;
}

static int try_grids(struct ft_job_learner *learner, struct ft_job_laws *found,
                     struct grid_answers *answers)
{
    bool has_found = false;
    FT_TRY(try_recorded(learner, found, answers, &has_found));
    const bool is_recorded = has_found;
    for (unsigned directions = 1; directions <= FT_GRID_DIRECTIONS_MAX && !is_recorded;
         directions++) {
        struct ft_job_laws laws = {0};
        learner->is_ambiguous = false;
        const int status =
            try_directions(learner, directions, &laws, &answers->is_learned[directions]);
        answers->is_open[directions] = learner->is_ambiguous || laws.has_positions;
        if (status == FT_OK && answers->is_learned[directions] && !has_found) {
            has_found = true;
            *found = laws;
            laws = (struct ft_job_laws){0};
            found->needs_grid = needs_grid(found);
        }
        ft_job_laws_fini(&laws);
        FT_TRY(status);
        if (has_found && !found->needs_grid)
            break;
    }
    return FT_OK;
}

/* The grid of the fewest directions, if no other is as good. */
static int try_all(struct ft_job_learner *learner, struct ft_job_laws *found)
{
    struct grid_answers answers = {0};
    FT_TRY(try_grids(learner, found, &answers));
    const unsigned one = found->space.directions;
    for (unsigned other = 1; other <= FT_GRID_DIRECTIONS_MAX && found->has_positions; other++)
        if (other != one && answers.is_open[other] && differ_at_target(learner, one, other))
            return fail_directions(learner, one, other);
    if (one > 0)
        return FT_OK;
    return ft_fail(learner->diag, FT_ERROR_DATA, "%s",
                   learner->best.message[0]
                       ? learner->best.message
                       : "ranks make their calls in orders that no nest of loops explains");
}

/* ---- checks ---- */

static int check_captured(const struct ft_job_laws_task *task, struct ft_diag *diag)
{
    const struct ft_rank_size *target = task->target;
    for (size_t q = 0; target && q <= task->parameter_count; q++) {
        bool differs = false, has_target = false;
        for (size_t i = 0; i < task->run_count; i++) {
            const struct ft_rank_size *a = &task->runs[0].size, *b = &task->runs[i].size;
            const bool is_ranks = q == task->parameter_count;
            differs |= is_ranks ? a->ranks != b->ranks : a->parameters[q] != b->parameters[q];
            has_target |=
                is_ranks ? b->ranks == target->ranks : b->parameters[q] == target->parameters[q];
        }
        if (!differs && !has_target)
            return ft_fail(diag, FT_ERROR_DATA,
                           "%s is the same in all captured runs, and another at the forecast: "
                           "capture runs with several values of it",
                           q == task->parameter_count ? FT_RANK_COUNT_NAME : task->names[q]);
    }
    return FT_OK;
}

/* Directions in which the target is divided, and no run. */
static int check_directions(const struct ft_job_laws_task *task, const struct ft_job_laws *laws,
                            struct ft_diag *diag)
{
    if (!task->target || !laws->needs_grid)
        return FT_OK;
    const struct ft_rank_grid grid = ft_rank_space_grid(&laws->space, task->target);
    for (unsigned d = 0; d < grid.directions; d++) {
        uint32_t most = 1;
        for (size_t i = 0; i < task->run_count; i++) {
            const struct ft_rank_grid of = ft_rank_space_grid(&laws->space, &task->runs[i].size);
            most = of.parts[d] > most ? of.parts[d] : most;
        }
        if (grid.parts[d] > 1 && most == 1)
            return ft_fail(diag, FT_ERROR_DATA,
                           "no captured run has several ranks in direction %c: capture more "
                           "ranks",
                           "xyz"[d]);
    }
    return FT_OK;
}

static const struct ft_call_laws *laws_of(const struct ft_job_laws *laws,
                                          const struct ft_rank_size *size, uint32_t rank)
{
    const struct ft_rank_grid grid = ft_rank_space_grid(&laws->space, size);
    const uint32_t category = ft_rank_category(laws->key, &grid, rank);
    for (size_t i = 0; i < laws->case_count; i++)
        if (laws->cases[i].category == category)
            return &laws->cases[i].laws;
    return NULL;
}

static double work_behind_init(const struct ft_mpi_timeline *timeline)
{
    for (size_t i = 0; i < timeline->count; i++)
        if (ft_mpi_call_is_init(&timeline->calls[i]))
            return (double)(timeline->instructions - timeline->calls[i].instructions);
    return (double)timeline->instructions;
}

/* The captured ranks as the laws make them: how far off their instructions are, behind MPI_Init as
 * far as these are simulated. */
static void check_work(const struct ft_job_laws_task *task, struct ft_job_laws *laws)
{
    for (size_t i = 0; i < task->run_count; i++)
        for (size_t r = 0; r < task->runs[i].job->rank_count; r++) {
            const struct ft_mpi_rank *captured = &task->runs[i].job->ranks[r];
            const struct ft_call_laws *of = laws_of(laws, &task->runs[i].size, captured->rank);
            const double counted = work_behind_init(&captured->timeline);
            struct ft_mpi_rank made = {.path = captured->path, .rank = captured->rank};
            struct ft_diag inner = {0}; /* the target may need no law that this rank does */
            if (of && counted > 0 &&
                ft_call_laws_make(of, &laws->space, &task->runs[i].size, &made, &inner) == FT_OK)
                laws->work_error = fmax(laws->work_error,
                                        fabs(work_behind_init(&made.timeline) - counted) / counted);
            ft_mpi_timeline_fini(&made.timeline);
        }
}

/* ---- the module's functions ---- */

static int learn(struct ft_job_learner *learner, struct ft_job_laws *laws)
{
    const struct ft_job_laws_task *task = learner->task;
    learner->runs = calloc(task->run_count + 1, sizeof *learner->runs);
    if (!learner->runs)
        return ft_fail_memory(learner->diag, "laws");
    for (size_t i = 0; i < task->run_count; i++) {
        learner->runs[i] = task->runs[i].size;
        FT_TRY(
            ft_job_symbols_add(&learner->symbols, task->runs[i].job, (uint32_t)i, learner->diag));
    }
    FT_TRY(ft_job_symbols_fold(&learner->symbols, learner->diag));
    FT_TRY(try_all(learner, laws));
    FT_TRY(check_directions(task, laws, learner->diag));
    check_work(task, laws);
    return FT_OK;
}

int ft_job_laws_learn(const struct ft_job_laws_task *task, struct ft_job_laws *ret_laws,
                      struct ft_diag *diag)
{
    struct ft_job_learner learner = {.task = task, .diag = diag};
    struct ft_job_laws laws = {0};
    FT_TRY(check_captured(task, diag));
    const int status = learn(&learner, &laws);
    ft_job_symbols_fini(&learner.symbols);
    free(learner.runs);
    free(learner.probes);
    free(learner.probe_ranks);
    if (status == FT_OK)
        *ret_laws = laws;
    else
        ft_job_laws_fini(&laws);
    return status;
}

void ft_job_laws_fini(struct ft_job_laws *laws)
{
    ft_class_laws_drop(laws);
    free(laws->cases);
    *laws = (struct ft_job_laws){0};
}

int ft_job_laws_forecast(const struct ft_job_laws *laws, const struct ft_rank_size *size,
                         struct ft_mpi_job *ret_job, struct ft_diag *diag)
{
    struct ft_mpi_job job = {.size = size->ranks};
    int status = FT_RESERVE(job.ranks, job.rank_capacity, size->ranks)
                     ? FT_OK
                     : ft_fail_memory(diag, "the ranks of a job");
    for (uint32_t r = 0; r < size->ranks && status == FT_OK; r++) {
        const struct ft_call_laws *of = laws_of(laws, size, r);
        struct ft_mpi_rank *rank = &job.ranks[job.rank_count++];
        *rank = (struct ft_mpi_rank){.path = "forecast", .rank = r, .is_whole = true};
        status = of ? ft_call_laws_make(of, &laws->space, size, rank, diag)
                    : ft_fail(diag, FT_ERROR_DATA, "rank %" PRIu32 ": of no captured class", r);
    }
    if (status == FT_OK)
        status = ft_mpi_job_resolve(&job, diag);
    if (status == FT_OK)
        *ret_job = job;
    else
        ft_mpi_job_fini(&job);
    return status;
}
