/*
 * A communicator is made by all members of another, each of which calls the same functions of it in
 * the same order. So of each rank the next call that makes one is looked at; where it is of a group
 * whose members' next calls are all of that group, they make the new one together. The order of
 * calls of different communicators is free, but since each rank's calls return one after the other,
 * some group is always complete, unless traces are missing or cut off.
 *
 * In order: ranks; making communicators; what is asked.
 */
#include "formats/trace/mpi_job.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/bytes.h"
#include "formats/base/parse.h"
#include "formats/trace/capture_host.h"
#include "formats/trace/mpi_groups.h"

#define RANKS_MAX (1U << 24)

static struct ft_mpi_group *group_of(const struct ft_mpi_rank *rank, uint64_t communicator)
{
    return ft_mpi_group_at(&rank->communicators, communicator);
}

/* ---- ranks ---- */

static uint32_t number_of_variable(const struct ft_trace *trace, const char *const *names)
{
    const struct ft_capture_host *host = &ft_trace_metadata(trace)->capture_host;
    for (; *names; names++)
        for (size_t i = 0; i < host->variable_count; i++) {
            uint64_t value;
            if (strcmp(host->variables[i].name, *names) == 0 &&
                ft_parse_u64(host->variables[i].value, &value) && value < FT_MPI_NO_RANK)
                return (uint32_t)value;
        }
    return FT_MPI_NO_RANK;
}

/* What MPI_Comm_rank or MPI_Comm_size said of MPI_COMM_WORLD. */
static uint32_t number_of_world(const struct ft_mpi_timeline *timeline, enum ft_mpi_key key)
{
    for (size_t i = 0; i < timeline->count; i++) {
        uint64_t communicator = 0, value;
        const struct ft_mpi_call *call = &timeline->calls[i];
        if (ft_mpi_call_detail(timeline, call, FT_MPI_KEY_COMMUNICATOR, 0, &communicator) &&
            communicator == FT_MPI_WORLD && ft_mpi_call_detail(timeline, call, key, 0, &value))
            return (uint32_t)value;
    }
    return FT_MPI_NO_RANK;
}

static int check_rank(const struct ft_mpi_job *job, const struct ft_mpi_rank *rank,
                      struct ft_diag *diag)
{
    if (rank->timeline.count == 0)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: no MPI calls in this trace: a program without MPI, captured with "
                       "--no-mpi-calls or cut off before the first",
                       rank->path);
    if (rank->rank == FT_MPI_NO_RANK)
        return ft_fail(diag, FT_ERROR_DATA, "%s: which rank it is of is not known", rank->path);
    if (rank->rank >= RANKS_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "%s: damaged: rank %" PRIu32, rank->path, rank->rank);
    for (size_t i = 0; i < job->rank_count; i++)
        if (job->ranks[i].rank == rank->rank)
            return ft_fail(diag, FT_ERROR_DATA, "%s: rank %" PRIu32 ", as %s: traces of two jobs?",
                           rank->path, rank->rank, job->ranks[i].path);
    return FT_OK;
}

int ft_mpi_job_add(struct ft_mpi_job *job, struct ft_trace *trace, struct ft_diag *diag)
{
    struct ft_mpi_rank rank = {.path = ft_trace_path(trace),
                               .is_whole = ft_trace_is_complete(trace)};
    FT_TRY(ft_mpi_timeline_read(trace, &rank.timeline, diag));
    rank.rank = number_of_world(&rank.timeline, FT_MPI_KEY_RANK);
    uint32_t size = number_of_world(&rank.timeline, FT_MPI_KEY_SIZE);
    if (rank.rank == FT_MPI_NO_RANK)
        rank.rank = number_of_variable(trace, ft_rank_variables);
    if (size >= RANKS_MAX)
        size = number_of_variable(trace, ft_rank_count_variables);
    if (size >= RANKS_MAX)
        size = FT_MPI_NO_RANK;
    int status = check_rank(job, &rank, diag);
    if (status == FT_OK && size != FT_MPI_NO_RANK && job->size && size != job->size)
        status = ft_fail(diag, FT_ERROR_DATA,
                         "%s: rank %" PRIu32 " of %" PRIu32
                         ", and the job of the others has %" PRIu32 " ranks",
                         rank.path, rank.rank, size, job->size);
    if (status == FT_OK && !FT_RESERVE(job->ranks, job->rank_capacity, job->rank_count + 1))
        status = ft_fail_memory(diag, "the ranks of a job");
    if (status < 0) {
        ft_mpi_timeline_fini(&rank.timeline);
        return status;
    }
    if (size != FT_MPI_NO_RANK)
        job->size = size;
    job->ranks[job->rank_count++] = rank;
    return FT_OK;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct ft_mpi_rank *a = left, *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static size_t index_of_rank(const struct ft_mpi_job *job, uint32_t rank)
{
    const struct ft_mpi_rank key = {.rank = rank};
    const struct ft_mpi_rank *found =
        bsearch(&key, job->ranks, job->rank_count, sizeof *job->ranks, compare_ranks);
    return found ? (size_t)(found - job->ranks) : SIZE_MAX;
}

/* ---- making communicators ---- */

/* One member's part in it. */
struct maker {
    struct ft_mpi_rank *rank;
    uint32_t position;
    uint64_t number; /* of the new communicator; 0: it gets none */
    uint64_t colour; /* 0: undefined; without a split all have 1 */
    int64_t order;
};

static int compare_makers(const void *left, const void *right)
{
    const struct maker *a = left, *b = right;
    if (a->colour != b->colour)
        return a->colour < b->colour ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

/* The next call of a rank, from *at on, that makes a communicator; NULL: there is none. Groups that
 * it makes on the way are followed. */
static const struct ft_mpi_call *next_maker(struct ft_mpi_job *job, size_t index, size_t *at)
{
    struct ft_mpi_rank *rank = &job->ranks[index];
    uint64_t number;
    for (; at[index] < rank->timeline.count; ++at[index]) {
        const struct ft_mpi_call *call = &rank->timeline.calls[at[index]];
        if (!ft_mpi_group_follow(job, rank, call))
            job->is_out_of_memory = true;
        if (call->function && call->function->class == FT_MPI_COMMUNICATOR &&
            ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_NEW_COMMUNICATOR, 0, &number))
            return call;
    }
    return NULL;
}

static bool is_made_of_group(const struct ft_mpi_call *call)
{
    return strncmp(call->function->name, "Comm_create", 11) == 0;
}

static struct ft_mpi_group *group_of_call(const struct ft_mpi_rank *rank,
                                          const struct ft_mpi_call *call)
{
    uint64_t communicator = 0;
    ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_COMMUNICATOR, 0, &communicator);
    return group_of(rank, communicator);
}

/* Whether it says of each direction of a grid that is known whether it is kept. */
static bool is_of_grid(const struct ft_mpi_rank *rank, const struct ft_mpi_call *call)
{
    const struct ft_mpi_group *parent = group_of_call(rank, call);
    const unsigned directions = parent ? parent->grid.directions : 0;
    uint64_t kept;
    return directions > 0 &&
           ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_KEPT, directions - 1, &kept) &&
           !ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_KEPT, directions, &kept);
}

/* Whether all ranks of the old communicator make it, each of which says where it goes. */
static bool is_followed(const struct ft_mpi_rank *rank, const struct ft_mpi_call *call)
{
    static const char *const names[] = {"Comm_dup",
                                        "Comm_dup_with_info",
                                        "Comm_split",
                                        "Cart_create",
                                        "Graph_create",
                                        "Dist_graph_create",
                                        "Dist_graph_create_adjacent"};
    const char *name = call->function->name;
    uint64_t value;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    if (strcmp(name, "Comm_split_type") == 0)
        return ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_COLOUR, 0, &value);
    if (strcmp(name, "Cart_sub") == 0)
        return is_of_grid(rank, call);
    return is_made_of_group(call) && ft_mpi_group_used(rank, call);
}

/* Of a part of a grid: the place in the directions that are left out is the colour, that in those
 * which are kept the order. */
static void place_in_part(const struct ft_mpi_grid *grid, const struct ft_mpi_call *call,
                          struct maker *maker)
{
    uint64_t colour = 0, order = 0, rest = maker->position, kept, below = 1;
    for (unsigned d = 1; d < grid->directions; d++)
        below *= grid->parts[d];
    for (unsigned d = 0; d < grid->directions; d++) {
        const uint64_t at = rest / below;
        rest %= below;
        if (!ft_mpi_call_detail(&maker->rank->timeline, call, FT_MPI_KEY_KEPT, d, &kept))
            return;
        if (kept)
            order = order * grid->parts[d] + at;
        else
            colour = colour * grid->parts[d] + at;
        below /= d + 1 < grid->directions ? grid->parts[d + 1] : 1;
    }
    maker->colour = colour + 1;
    maker->order = (int64_t)order;
}

/* Several groups may be made of at once, that share no rank: their first ranks tell them apart. */
static void place_in_group(const struct ft_mpi_call *call, struct maker *maker)
{
    const struct ft_mpi_group *group = ft_mpi_group_used(maker->rank, call);
    const uint32_t position =
        group ? ft_mpi_group_position(group, maker->rank->rank) : FT_MPI_NO_RANK;
    maker->colour = position == FT_MPI_NO_RANK ? 0 : (uint64_t)group->members[0] + 1;
    maker->order = position;
}

static struct maker maker_of(const struct ft_mpi_group *parent, struct ft_mpi_rank *rank,
                             uint32_t position, const struct ft_mpi_call *call)
{
    struct maker maker = {.rank = rank, .position = position, .colour = 1};
    uint64_t order = 0;
    ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_NEW_COMMUNICATOR, 0, &maker.number);
    ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_COLOUR, 0, &maker.colour);
    ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_ORDER, 0, &order);
    maker.order = (int64_t)ft_unzigzag(order);
    if (strcmp(call->function->name, "Cart_sub") == 0)
        place_in_part(&parent->grid, call, &maker);
    if (is_made_of_group(call))
        place_in_group(call, &maker);
    return maker;
}

/* The grid that a call makes, of which all members' calls say the same. */
static struct ft_mpi_grid grid_of_call(const struct ft_mpi_group *parent,
                                       const struct ft_mpi_rank *rank,
                                       const struct ft_mpi_call *call)
{
    const char *name = call->function->name;
    const bool is_part = strcmp(name, "Cart_sub") == 0;
    struct ft_mpi_grid grid = {0};
    uint64_t value, wraps = 0;
    if (strncmp(name, "Comm_dup", 8) == 0)
        return parent->grid;
    for (unsigned d = 0; ft_mpi_call_detail(
             &rank->timeline, call, is_part ? FT_MPI_KEY_KEPT : FT_MPI_KEY_PARTS, d, &value);
         d++) {
        if (d >= FT_MPI_DIRECTIONS_MAX || value > UINT32_MAX)
            return (struct ft_mpi_grid){0};
        if (is_part && (!value || d >= parent->grid.directions))
            continue;
        ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_WRAPS, d, &wraps);
        grid.parts[grid.directions] = is_part ? parent->grid.parts[d] : (uint32_t)value;
        grid.wraps[grid.directions++] = is_part ? parent->grid.wraps[d] : wraps != 0;
    }
    return grid;
}

/* One of a damaged trace need not. */
static bool grid_has_ranks(const struct ft_mpi_grid *grid, uint32_t ranks)
{
    uint64_t product = 1;
    for (unsigned d = 0; d < grid->directions && product <= ranks; d++)
        product *= grid->parts[d];
    return product == ranks;
}

/* A new group of the makers, all of one colour, in their order. */
static bool make_group(struct ft_mpi_job *job, const struct ft_mpi_group *parent,
                       const struct maker *makers, size_t count, bool has_split,
                       const struct ft_mpi_grid *grid)
{
    struct ft_mpi_group *group = ft_mpi_group_add(job, count);
    if (!group)
        return false;
    for (size_t i = 0; i < count; i++)
        if (makers[i].number && makers[i].colour)
            group->members[group->size++] = makers[i].rank->rank;
    if (grid_has_ranks(grid, group->size))
        group->grid = *grid;
    if (has_split)
        snprintf(group->name, sizeof group->name, "%.30s.%u:%" PRIu64, parent->name, parent->made,
                 makers[0].colour - 1);
    else
        snprintf(group->name, sizeof group->name, "%.40s.%u", parent->name, parent->made);
    for (size_t i = 0; i < count; i++)
        if (makers[i].number &&
            !ft_mpi_group_set(&makers[i].rank->communicators, makers[i].number, group))
            return false;
    return true;
}

/* Whether it may make several communicators. */
static bool has_colours(const struct ft_mpi_call *call)
{
    return strncmp(call->function->name, "Comm_split", 10) == 0 ||
           strcmp(call->function->name, "Cart_sub") == 0 ||
           strcmp(call->function->name, "Comm_create") == 0;
}

/* All callers make communicators of `parent` by the calls at[index of the rank]. */
static bool make_together(struct ft_mpi_job *job, struct ft_mpi_group *parent,
                          const struct ft_mpi_group *callers, size_t *at)
{
    struct maker *makers = calloc((size_t)callers->size + 1, sizeof *makers);
    struct ft_mpi_grid grid = {0};
    bool is_made = makers != NULL, follows = true, has_split = false;
    for (uint32_t i = 0; is_made && i < callers->size; i++) {
        const size_t index = index_of_rank(job, callers->members[i]);
        struct ft_mpi_rank *rank = &job->ranks[index];
        const struct ft_mpi_call *call = &rank->timeline.calls[at[index]++];
        follows = follows && is_followed(rank, call);
        has_split = has_colours(call);
        grid = grid_of_call(parent, rank, call);
        makers[i] = maker_of(parent, rank, i, call);
    }
    parent->made++;
    if (is_made && follows) {
        qsort(makers, callers->size, sizeof *makers, compare_makers);
        for (uint32_t i = 0, end; is_made && i < callers->size; i = end) {
            for (end = i; end < callers->size && makers[end].colour == makers[i].colour;)
                end++;
            if (makers[i].colour)
                is_made = make_group(job, parent, makers + i, end - i, has_split, &grid);
        }
    }
    free(makers);
    return is_made;
}

/* Those who make a communicator by a call together: all of the old one, or of a group. */
static const struct ft_mpi_group *callers_of(const struct ft_mpi_rank *rank,
                                             const struct ft_mpi_call *call)
{
    const struct ft_mpi_group *group = strcmp(call->function->name, "Comm_create_group") == 0
                                           ? ft_mpi_group_used(rank, call)
                                           : NULL;
    return group ? group : group_of_call(rank, call);
}

static bool is_complete(struct ft_mpi_job *job, const struct ft_mpi_group *parent,
                        const struct ft_mpi_group *callers, size_t *at)
{
    for (uint32_t i = 0; i < callers->size; i++) {
        const size_t index = index_of_rank(job, callers->members[i]);
        const struct ft_mpi_call *call = index == SIZE_MAX ? NULL : next_maker(job, index, at);
        if (!call || group_of_call(&job->ranks[index], call) != parent ||
            !ft_mpi_groups_equal(callers_of(&job->ranks[index], call), callers))
            return false;
    }
    return callers->size > 0;
}

/* Makes what can be made; false: out of memory. Calls of groups that are not known are left out. */
static bool make_all(struct ft_mpi_job *job, size_t *at)
{
    for (bool moves = true; moves;) {
        moves = false;
        for (size_t r = 0; r < job->rank_count; r++) {
            const struct ft_mpi_call *call = next_maker(job, r, at);
            struct ft_mpi_group *group = call ? group_of_call(&job->ranks[r], call) : NULL;
            if (call && !group) {
                at[r]++;
                moves = true;
            } else if (call && is_complete(job, group, callers_of(&job->ranks[r], call), at)) {
                if (!make_together(job, group, callers_of(&job->ranks[r], call), at))
                    return false;
                moves = true;
            }
        }
    }
    return !job->is_out_of_memory;
}

int ft_mpi_job_resolve(struct ft_mpi_job *job, struct ft_diag *diag)
{
    size_t *at = calloc(job->rank_count + 1, sizeof *at);
    qsort(job->ranks, job->rank_count, sizeof *job->ranks, compare_ranks);
    const uint32_t above = job->rank_count ? job->ranks[job->rank_count - 1].rank + 1 : 0;
    if (job->size < above)
        job->size = above;
    struct ft_mpi_group *world = ft_mpi_group_add(job, job->size);
    bool is_made = at && world;
    if (world) {
        snprintf(world->name, sizeof world->name, "world");
        for (uint32_t i = 0; i < job->size; i++)
            world->members[world->size++] = i;
    }
    for (size_t r = 0; is_made && r < job->rank_count; r++) {
        struct ft_mpi_group *self = ft_mpi_group_add(job, 1);
        if (self) {
            snprintf(self->name, sizeof self->name, "self");
            self->members[self->size++] = job->ranks[r].rank;
        }
        is_made = self && ft_mpi_group_set(&job->ranks[r].communicators, FT_MPI_WORLD, world) &&
                  ft_mpi_group_set(&job->ranks[r].communicators, FT_MPI_SELF, self) &&
                  ft_mpi_group_begin(job, &job->ranks[r]);
    }
    is_made = is_made && make_all(job, at);
    free(at);
    return is_made ? FT_OK : ft_fail_memory(diag, "the communicators of a job");
}

void ft_mpi_job_fini(struct ft_mpi_job *job)
{
    for (size_t i = 0; i < job->rank_count; i++) {
        ft_mpi_timeline_fini(&job->ranks[i].timeline);
        free(job->ranks[i].communicators.items);
        free(job->ranks[i].groups.items);
    }
    for (size_t i = 0; i < job->group_count; i++) {
        free(job->groups[i]->members);
        free(job->groups[i]);
    }
    free(job->ranks);
    free(job->groups);
    *job = (struct ft_mpi_job){0};
}

/* ---- what is asked ---- */

bool ft_mpi_call_is_of_members(const struct ft_mpi_call *call)
{
    return call->function && strcmp(call->function->name, "Comm_create_group") == 0;
}

bool ft_mpi_call_is_followed(const struct ft_mpi_rank *rank, const struct ft_mpi_call *call)
{
    uint64_t made = 0;
    if (!call->function || call->function->class != FT_MPI_COMMUNICATOR ||
        !group_of_call(rank, call) || !is_followed(rank, call))
        return false;
    ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_NEW_COMMUNICATOR, 0, &made);
    return made ? group_of(rank, made) != NULL : !ft_mpi_call_is_of_members(call);
}

uint32_t ft_mpi_world_rank(const struct ft_mpi_rank *rank, uint64_t communicator,
                           uint64_t rank_in_communicator)
{
    const struct ft_mpi_group *group = group_of(rank, communicator);
    return group && rank_in_communicator < group->size ? group->members[rank_in_communicator]
                                                       : FT_MPI_NO_RANK;
}

struct ft_mpi_grid ft_mpi_communicator_grid(const struct ft_mpi_rank *rank, uint64_t communicator)
{
    const struct ft_mpi_group *group = group_of(rank, communicator);
    return group ? group->grid : (struct ft_mpi_grid){0};
}

uint32_t ft_mpi_communicator_size(const struct ft_mpi_rank *rank, uint64_t communicator)
{
    const struct ft_mpi_group *group = group_of(rank, communicator);
    return group ? group->size : 0;
}

uint32_t ft_mpi_communicator_rank(const struct ft_mpi_rank *rank, uint64_t communicator)
{
    const struct ft_mpi_group *group = group_of(rank, communicator);
    return group ? ft_mpi_group_position(group, rank->rank) : FT_MPI_NO_RANK;
}

void ft_mpi_collective_read(const struct ft_mpi_rank *rank, const struct ft_mpi_call *call,
                            struct ft_mpi_collective *ret_collective)
{
    const struct ft_mpi_timeline *timeline = &rank->timeline;
    const char *name = call->function->name + (*call->function->name == 'I');
    struct ft_mpi_collective collective = {.own = FT_MPI_NO_RANK};
    uint64_t value;
    for (size_t i = 0; name[i] && i + 1 < sizeof collective.name; i++)
        collective.name[i] = (char)tolower((unsigned char)name[i]);
    ft_mpi_call_detail(timeline, call, FT_MPI_KEY_COMMUNICATOR, 0, &collective.communicator);
    ft_mpi_call_detail(timeline, call, FT_MPI_KEY_SENT_BYTES, 0, &collective.sent_bytes);
    ft_mpi_call_detail(timeline, call, FT_MPI_KEY_RECEIVED_BYTES, 0, &collective.received_bytes);
    collective.has_unknown_bytes =
        ft_mpi_call_detail(timeline, call, FT_MPI_KEY_UNKNOWN_BYTES, 0, &value);
    collective.has_counts = strchr(call->function->arguments, 'v') != NULL;
    const struct ft_mpi_group *group = group_of(rank, collective.communicator);
    if (group) {
        collective.size = group->size;
        collective.own = ft_mpi_group_position(group, rank->rank);
    }
    if (ft_mpi_call_detail(timeline, call, FT_MPI_KEY_ROOT, 0, &value) && value >= 2) {
        collective.has_root = true;
        collective.root = (uint32_t)(value - 2);
        collective.is_root = collective.root == collective.own;
    }
    *ret_collective = collective;
}

void ft_mpi_communicator_name(const struct ft_mpi_rank *rank, uint64_t communicator, char *name,
                              size_t bytes)
{
    const struct ft_mpi_group *group = group_of(rank, communicator);
    if (group)
        snprintf(name, bytes, "%s", group->name);
    else
        snprintf(name, bytes, "(%" PRIu64 ")", communicator);
}
