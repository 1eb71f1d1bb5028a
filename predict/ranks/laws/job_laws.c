/*
 * Grids of one, two and three directions are tried, with each rule by which points may be divided;
 * for each, ranks with one shape or with one a class; for each class, shapes from the shortest on,
 * until one has laws for all it holds. A second grid or rule that explains the runs as well, and
 * gives other blocks or neighbours at the target, leaves it open which one is right.
 *
 * In order: ranks as symbols; shapes; laws of a class; of all classes; grids; checks; the module's
 * functions.
 */
#include "predict/ranks/laws/job_laws.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "predict/ranks/laws/job_symbols.h"

#define PROBE_RANKS 48U

struct learner {
    const struct ft_job_laws_task *task;
    struct ft_job_symbols symbols;
    struct ft_rank_size *runs; /* [run_count] */
    struct ft_law_point *probes;
    uint32_t *probe_ranks;
    size_t probe_count;
    size_t known;         /* nodes with laws of the attempt that got farthest */
    struct ft_diag best;  /* what it lacked */
    struct ft_diag *diag; /* of what ends all attempts */
};

/* ---- laws of a class of ranks ---- */

struct class_ranks {
    struct ft_shaped_rank *items;
    size_t count, capacity;
};

static void class_ranks_fini(struct class_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++) {
        free(ranks->items[i].visits.items);
        free(ranks->items[i].first_visit);
    }
    free(ranks->items);
    *ranks = (struct class_ranks){0};
}

static uint32_t category_of(const struct learner *learner, const struct ft_job_laws *laws,
                            const struct ft_value_source *source)
{
    const struct ft_rank_grid grid =
        ft_rank_grid_of(learner->runs[source->run].ranks, laws->space.directions);
    return ft_rank_category(laws->key, &grid, source->rank);
}

/* Visits by node, in each in order. */
static bool sort_visits(const struct ft_call_shape *shape, struct ft_shaped_rank *rank)
{
    const size_t count = rank->visits.count;
    struct ft_shape_visit *sorted = calloc(count + 1, sizeof *sorted);
    size_t *next = calloc(shape->count + 2, sizeof *next);
    rank->first_visit = calloc(shape->count + 2, sizeof *rank->first_visit);
    const bool is_there = sorted && next && rank->first_visit;
    for (size_t i = 0; is_there && i < count; i++)
        rank->first_visit[rank->visits.items[i].node + 1]++;
    for (size_t n = 0; is_there && n < shape->count; n++)
        rank->first_visit[n + 1] += rank->first_visit[n];
    if (is_there)
        memcpy(next, rank->first_visit, (shape->count + 1) * sizeof *next);
    for (size_t i = 0; is_there && i < count; i++)
        sorted[next[rank->visits.items[i].node]++] = rank->visits.items[i];
    free(next);
    if (!is_there) {
        free(sorted);
        return false;
    }
    free(rank->visits.items);
    rank->visits.items = sorted;
    return true;
}

/* The ranks of a category, which must all have the shape. */
static int match_class(struct learner *learner, const struct ft_job_laws *laws, uint32_t category,
                       const struct ft_call_shape *shape, struct class_ranks *ranks,
                       bool *ret_matches)
{
    *ret_matches = true;
    for (size_t i = 0; i < learner->symbols.rank_count && *ret_matches; i++) {
        const struct ft_symbol_rank *of = &learner->symbols.ranks[i];
        bool is_out_of_memory = false;
        if (category_of(learner, laws, &of->source) != category)
            continue;
        if (!FT_RESERVE(ranks->items, ranks->capacity, ranks->count + 1))
            return ft_fail_memory(learner->diag, "the calls of ranks");
        struct ft_shaped_rank *rank = &ranks->items[ranks->count++];
        *rank = (struct ft_shaped_rank){.calls = &of->calls, .source = of->source};
        *ret_matches = ft_call_shape_match(shape, of->symbols, of->calls.count, &rank->visits,
                                           &is_out_of_memory);
        if (is_out_of_memory || (*ret_matches && !sort_visits(shape, rank)))
            return ft_fail_memory(learner->diag, "the calls of ranks");
    }
    return FT_OK;
}

static struct ft_value_task value_task(const struct learner *learner,
                                       const struct ft_job_laws *laws)
{
    return (struct ft_value_task){.space = &laws->space,
                                  .runs = learner->runs,
                                  .run_count = learner->task->run_count,
                                  .target = learner->task->target,
                                  .probes = learner->probes,
                                  .probe_ranks = learner->probe_ranks,
                                  .probe_count = learner->probe_count};
}

/* What an attempt lacked, if none got farther. */
static void note(struct learner *learner, size_t known, const struct ft_diag *why)
{
    if (learner->best.message[0] && known <= learner->known)
        return;
    learner->best = *why;
    learner->known = known;
}

static int try_shape(struct learner *learner, struct ft_job_laws *laws, struct ft_shape_case *one,
                     const struct ft_call_shape *shape, bool *ret_is_learned)
{
    const struct ft_value_task task = value_task(learner, laws);
    struct class_ranks ranks = {0};
    struct ft_diag inner = {0};
    size_t known = 0;
    bool matches;
    *ret_is_learned = false;
    int status = match_class(learner, laws, one->category, shape, &ranks, &matches);
    if (status == FT_OK && matches) {
        status = ft_job_symbols_copy_shape(shape, &one->laws.shape, learner->diag);
        if (status == FT_OK) {
            status =
                ft_call_laws_learn(&task, ranks.items, ranks.count, &one->laws, &known, &inner);
            *ret_is_learned = status == FT_OK;
            if (status == FT_ERROR_DATA)
                note(learner, known, &inner);
            else if (status != FT_OK)
                *learner->diag = inner;
        }
        if (status != FT_OK)
            ft_call_laws_fini(&one->laws);
    }
    class_ranks_fini(&ranks);
    return status == FT_ERROR_DATA ? FT_OK : status;
}

/* ---- laws of all classes ---- */

static bool has_case(const struct ft_job_laws *laws, uint32_t category)
{
    for (size_t i = 0; i < laws->case_count; i++)
        if (laws->cases[i].category == category)
            return true;
    return false;
}

static bool is_needed(const struct learner *learner, const struct ft_job_laws *laws,
                      uint32_t category)
{
    if (!learner->task->target)
        return true;
    const struct ft_rank_grid grid =
        ft_rank_grid_of(learner->task->target->ranks, laws->space.directions);
    for (uint32_t r = 0; r < grid.ranks; r++)
        if (ft_rank_category(laws->key, &grid, r) == category)
            return true;
    return false;
}

static int learn_class(struct learner *learner, struct ft_job_laws *laws,
                       const struct ft_value_source *source, bool *ret_is_learned)
{
    struct ft_shape_case one = {.category = category_of(learner, laws, source),
                                .size = learner->runs[source->run],
                                .rank = source->rank};
    *ret_is_learned = false;
    for (size_t i = 0; i < learner->symbols.shape_count && !*ret_is_learned; i++)
        FT_TRY(try_shape(learner, laws, &one, &learner->symbols.shapes[i], ret_is_learned));
    if (!*ret_is_learned)
        return FT_OK;
    if (!FT_RESERVE(laws->cases, laws->case_capacity, laws->case_count + 1)) {
        ft_call_laws_fini(&one.laws);
        return ft_fail_memory(learner->diag, "laws");
    }
    laws->cases[laws->case_count++] = one;
    return FT_OK;
}

/* A rank of the target whose category no captured rank has. */
static bool has_unseen(struct learner *learner, const struct ft_job_laws *laws)
{
    char text[FT_CATEGORY_TEXT];
    struct ft_diag inner = {0};
    if (!learner->task->target)
        return false;
    const struct ft_rank_grid grid =
        ft_rank_grid_of(learner->task->target->ranks, laws->space.directions);
    for (uint32_t r = 0; r < grid.ranks; r++)
        if (!has_case(laws, ft_rank_category(laws->key, &grid, r))) {
            (void)ft_fail(&inner, FT_ERROR_DATA,
                          "ranks differ in which calls they make, and none that was captured is %s "
                          "of its grid: capture more ranks",
                          ft_rank_category_text(text, laws->key, &grid, r));
            note(learner, learner->known, &inner);
            return true;
        }
    return false;
}

static int learn_by_key(struct learner *learner, struct ft_job_laws *laws, bool *ret_is_learned)
{
    *ret_is_learned = true;
    for (size_t i = 0; i < learner->symbols.rank_count && *ret_is_learned; i++) {
        const struct ft_value_source *source = &learner->symbols.ranks[i].source;
        const uint32_t category = category_of(learner, laws, source);
        if (!has_case(laws, category) && is_needed(learner, laws, category))
            FT_TRY(learn_class(learner, laws, source, ret_is_learned));
    }
    if (*ret_is_learned && has_unseen(learner, laws))
        *ret_is_learned = false;
    return FT_OK;
}

static void drop_cases(struct ft_job_laws *laws)
{
    for (size_t i = 0; i < laws->case_count; i++)
        ft_call_laws_fini(&laws->cases[i].laws);
    laws->case_count = 0;
}

/* With the space that the laws have. */
static int learn_in_space(struct learner *learner, struct ft_job_laws *laws, bool *ret_is_learned)
{
    *ret_is_learned = false;
    for (unsigned key = 0; key < FT_RANK_KEYS && !*ret_is_learned; key++) {
        laws->key = (enum ft_rank_key)key;
        if (!ft_rank_key_is_of(laws->key, laws->space.directions))
            continue;
        drop_cases(laws);
        FT_TRY(learn_by_key(learner, laws, ret_is_learned));
    }
    laws->needs_grid = laws->key > FT_RANKS_ROOT;
    for (size_t i = 0; i < laws->case_count; i++)
        laws->needs_grid |= ft_call_laws_need_grid(&laws->cases[i].laws, &laws->space);
    return FT_OK;
}

/* ---- grids ---- */

/* Some ranks of the target, outside of loops and in them. */
static int make_probes(struct learner *learner, const struct ft_rank_space *space)
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

/* Whether all parameters divide evenly in all directions; then all rules give the same. */
static bool divides(const struct ft_rank_space *space, const struct ft_rank_size *size)
{
    const struct ft_rank_grid grid = ft_rank_grid_of(size->ranks, space->directions);
    for (unsigned q = 0; q < space->parameter_count; q++)
        for (unsigned d = 0; d < space->directions; d++)
            if (size->parameters[q] % grid.parts[d] != 0)
                return false;
    return true;
}

/* Whether two spaces give the ranks of the target other blocks. */
static bool differ_at_target(const struct ft_rank_space *a, const struct ft_rank_space *b,
                             const struct ft_rank_size *target)
{
    if (!target)
        return false;
    const struct ft_rank_grid one = ft_rank_grid_of(target->ranks, a->directions);
    const struct ft_rank_grid other = ft_rank_grid_of(target->ranks, b->directions);
    if (memcmp(one.parts, other.parts, sizeof one.parts) != 0)
        return true;
    for (uint32_t r = 0; r < target->ranks && a->directions == b->directions; r++) {
        const struct ft_law_point at = ft_rank_space_point(a, target, r);
        const struct ft_law_point in_other = ft_rank_space_point(b, target, r);
        if (memcmp(&at, &in_other, sizeof at) != 0)
            return true;
    }
    return false;
}

/* The laws of a space join those that are there already. */
static int join(struct learner *learner, struct ft_job_laws *found, struct ft_job_laws *laws,
                bool *has_found)
{
    if (!*has_found) {
        *found = *laws;
        *laws = (struct ft_job_laws){0};
        *has_found = true;
        return FT_OK;
    }
    if (!found->needs_grid || !laws->needs_grid ||
        !differ_at_target(&found->space, &laws->space, learner->task->target))
        return FT_OK;
    if (found->space.directions != laws->space.directions)
        return ft_fail(learner->diag, FT_ERROR_DATA,
                       "the captured runs do not tell whether ranks form a grid of %u or %u "
                       "directions: capture more ranks, such as 8",
                       found->space.directions, laws->space.directions);
    return ft_fail(learner->diag, FT_ERROR_DATA,
                   "the captured runs do not tell how points are divided where the ranks of a "
                   "direction do not divide them evenly: capture such runs, or forecast a size "
                   "that they divide");
}

static int try_space(struct learner *learner, unsigned directions, enum ft_block_rule rule,
                     struct ft_job_laws *found, bool *has_found)
{
    const struct ft_job_laws_task *task = learner->task;
    struct ft_job_laws laws = {0};
    bool is_learned = false, is_even = true;
    ft_rank_space_init(&laws.space, task->names, task->parameter_count, directions, rule);
    for (size_t i = 0; i < task->run_count; i++)
        is_even &= divides(&laws.space, &learner->runs[i]);
    const bool is_even_there = !task->target || divides(&laws.space, task->target);
    if (is_even && is_even_there && rule > 0)
        return FT_OK; /* as the first rule */
    int status = make_probes(learner, &laws.space);
    if (status == FT_OK)
        status = learn_in_space(learner, &laws, &is_learned);
    if (status == FT_OK && is_learned)
        status = join(learner, found, &laws, has_found);
    ft_job_laws_fini(&laws);
    return status;
}

static int try_all(struct learner *learner, struct ft_job_laws *found)
{
    bool has_found = false;
    for (unsigned directions = 1; directions <= FT_GRID_DIRECTIONS_MAX; directions++)
        for (unsigned rule = 0; rule < FT_BLOCK_RULES; rule++) {
            FT_TRY(try_space(learner, directions, (enum ft_block_rule)rule, found, &has_found));
            if (has_found && !found->needs_grid)
                return FT_OK;
        }
    if (has_found)
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
    const struct ft_rank_grid grid = ft_rank_grid_of(task->target->ranks, laws->space.directions);
    for (unsigned d = 0; d < grid.directions; d++) {
        uint32_t most = 1;
        for (size_t i = 0; i < task->run_count; i++) {
            const struct ft_rank_grid of =
                ft_rank_grid_of(task->runs[i].size.ranks, laws->space.directions);
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
    const struct ft_rank_grid grid = ft_rank_grid_of(size->ranks, laws->space.directions);
    const uint32_t category = ft_rank_category(laws->key, &grid, rank);
    for (size_t i = 0; i < laws->case_count; i++)
        if (laws->cases[i].category == category)
            return &laws->cases[i].laws;
    return NULL;
}

static double work_behind_init(const struct ft_mpi_timeline *timeline)
{
    for (size_t i = 0; i < timeline->count; i++)
        if (strcmp(timeline->calls[i].name, "MPI_Init") == 0 ||
            strcmp(timeline->calls[i].name, "MPI_Init_thread") == 0)
            return (double)(timeline->instructions - timeline->calls[i].instructions);
    return (double)timeline->instructions;
}

/* The captured ranks as the laws make them: how far off their instructions are, behind MPI_Init as
 * far as these are simulated. */
static int check_work(const struct ft_job_laws_task *task, struct ft_job_laws *laws,
                      struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; i < task->run_count; i++)
        for (size_t r = 0; r < task->runs[i].job->rank_count && status == FT_OK; r++) {
            const struct ft_mpi_rank *captured = &task->runs[i].job->ranks[r];
            const struct ft_call_laws *of = laws_of(laws, &task->runs[i].size, captured->rank);
            struct ft_mpi_rank made = {.path = captured->path, .rank = captured->rank};
            if (!of)
                continue;
            status = ft_call_laws_make(of, &laws->space, &task->runs[i].size, &made, diag);
            const double counted = work_behind_init(&captured->timeline);
            if (status == FT_OK && counted > 0)
                laws->work_error = fmax(laws->work_error,
                                        fabs(work_behind_init(&made.timeline) - counted) / counted);
            ft_mpi_timeline_fini(&made.timeline);
        }
    return status;
}

/* ---- the module's functions ---- */

static int learn(struct learner *learner, struct ft_job_laws *laws)
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
    return check_work(task, laws, learner->diag);
}

int ft_job_laws_learn(const struct ft_job_laws_task *task, struct ft_job_laws *ret_laws,
                      struct ft_diag *diag)
{
    struct learner learner = {.task = task, .diag = diag};
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
    drop_cases(laws);
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
