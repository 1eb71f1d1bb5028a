/*
 * In order: grids of runs; laws of their parts.
 */
#include "predict/ranks/laws/recorded_grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- grids of runs ---- */

/* Whether a communicator of a rank has all ranks, in the order of the world. */
static bool is_of_all(const struct ft_mpi_job *job, const struct ft_mpi_rank *rank,
                      uint64_t communicator)
{
    return ft_mpi_communicator_size(rank, communicator) == job->size &&
           ft_mpi_communicator_rank(rank, communicator) == rank->rank;
}

/* The first grid of all ranks; without directions where there is none. */
static struct ft_mpi_grid grid_of_run(const struct ft_mpi_job *job)
{
    const struct ft_mpi_rank *first = &job->ranks[0];
    for (uint64_t c = FT_MPI_FIRST_MADE; c < first->communicators.count; c++) {
        const struct ft_mpi_grid grid = ft_mpi_communicator_grid(first, c);
        bool is_grid = grid.directions > 0 && grid.directions <= FT_GRID_DIRECTIONS_MAX;
        for (size_t r = 0; is_grid && r < job->rank_count; r++)
            is_grid = is_of_all(job, &job->ranks[r], c);
        if (is_grid)
            return grid;
    }
    return (struct ft_mpi_grid){0};
}

static bool is_by_dims_create(const struct ft_mpi_grid *grid, uint32_t ranks)
{
    const struct ft_rank_grid made = ft_rank_grid_of(ranks, grid->directions);
    return memcmp(made.parts, grid->parts, grid->directions * sizeof *grid->parts) == 0;
}

/* ---- laws of their parts ---- */

static struct ft_law_point point_of(const struct ft_job_laws_task *task,
                                    const struct ft_rank_size *size)
{
    struct ft_law_point point = {{0}};
    for (size_t q = 0; q < task->parameter_count; q++)
        point.values[q] = size->parameters[q];
    point.values[task->parameter_count] = size->ranks;
    return point;
}

static int fail_parts(const struct ft_job_laws_task *task, unsigned direction, struct ft_diag *diag)
{
    const char name = "xyz"[direction];
    return ft_fail(diag, FT_ERROR_DATA,
                   "MPI_Cart_create: the parts of direction %c are not those of MPI_Dims_create, "
                   "and no law of the parameters and P gives them in %zu runs: capture more, or "
                   "with -D of what gives them",
                   name, task->run_count);
}

static int find_law(const struct ft_job_laws_task *task, const struct ft_mpi_grid *grids,
                    unsigned direction, struct ft_exact_law *ret_law, struct ft_diag *diag)
{
    struct ft_law_point *points = calloc(task->run_count + 1, sizeof *points);
    int64_t *parts = calloc(task->run_count + 1, sizeof *parts);
    struct ft_law_variables variables = {.count = (unsigned)task->parameter_count + 1};
    struct ft_law_point target = {{0}};
    enum ft_law_answer answer = FT_LAW_NONE;
    int status = points && parts ? FT_OK : ft_fail_memory(diag, "a grid");
    for (unsigned v = 0; v < variables.count; v++) {
        variables.is_size[v] = true;
        snprintf(variables.names[v], sizeof variables.names[v], "%.20s",
                 v < task->parameter_count ? task->names[v] : FT_RANK_COUNT_NAME);
    }
    for (size_t i = 0; i < task->run_count && status == FT_OK; i++) {
        points[i] = point_of(task, &task->runs[i].size);
        parts[i] = grids[i].parts[direction];
    }
    if (task->target)
        target = point_of(task, task->target);
    const struct ft_law_question question = {.effort = FT_LAW_PRODUCTS,
                                             .variables = &variables,
                                             .points = points,
                                             .values = parts,
                                             .count = task->run_count,
                                             .probes = &target,
                                             .probe_count = task->target ? 1 : 0};
    if (status == FT_OK)
        status = ft_exact_law_find(&question, &answer, ret_law, diag);
    if (status == FT_OK && answer != FT_LAW_FOUND)
        status = fail_parts(task, direction, diag);
    free(points);
    free(parts);
    return status;
}

static int check_target(const struct ft_job_laws_task *task, const struct ft_recorded_grid *grid,
                        struct ft_diag *diag)
{
    const struct ft_law_point point = point_of(task, task->target);
    char text[80] = "";
    uint64_t ranks = 1;
    bool is_right = true;
    for (unsigned d = 0; d < grid->directions; d++) {
        int64_t parts = 0;
        const size_t length = strlen(text);
        is_right &= ft_exact_law_at(&grid->division.parts[d], &point, &parts) && parts > 0 &&
                    parts <= UINT32_MAX;
        ranks = is_right ? ranks * (uint64_t)parts : 0;
        snprintf(text + length, sizeof text - length, "%s%" PRId64, d > 0 ? " x " : "", parts);
    }
    if (is_right && ranks == task->target->ranks)
        return FT_OK;
    return ft_fail(diag, FT_ERROR_DATA,
                   "MPI_Cart_create: its grid would be %s, and P is %" PRIu32
                   ": ask for a run whose parameters fit together",
                   text, task->target->ranks);
}

int ft_recorded_grid_find(const struct ft_job_laws_task *task, struct ft_recorded_grid *ret_grid,
                          struct ft_diag *diag)
{
    struct ft_mpi_grid *grids = calloc(task->run_count + 1, sizeof *grids);
    struct ft_recorded_grid found = {0};
    int status = grids ? FT_OK : ft_fail_memory(diag, "grids");
    bool has_all = grids != NULL;
    for (size_t i = 0; i < task->run_count && has_all; i++) {
        grids[i] = grid_of_run(task->runs[i].job);
        has_all = grids[i].directions > 0 && grids[i].directions == grids[0].directions;
        found.division.is_by_law |=
            has_all && !is_by_dims_create(&grids[i], task->runs[i].job->size);
    }
    found.directions = has_all ? grids[0].directions : 0;
    for (unsigned d = 0; d < found.directions && found.division.is_by_law && status == FT_OK; d++)
        status = find_law(task, grids, d, &found.division.parts[d], diag);
    free(grids);
    if (status == FT_OK && found.directions > 0 && found.division.is_by_law && task->target)
        status = check_target(task, &found, diag);
    if (status == FT_OK)
        *ret_grid = found;
    return status;
}
