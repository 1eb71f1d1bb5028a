/*
 * In order: groups; what calls make of them; the module's functions.
 */
#include "formats/trace/mpi_groups.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/bytes.h"

#define NUMBERS_MAX (1U << 20) /* those that are not known are beyond; damaged traces, too */

/* ---- groups ---- */

struct ft_mpi_group *ft_mpi_group_add(struct ft_mpi_job *job, size_t capacity)
{
    struct ft_mpi_group *group = calloc(1, sizeof *group);
    if (group)
        group->members = calloc(capacity + 1, sizeof *group->members);
    if (!group || !group->members ||
        !FT_RESERVE(job->groups, job->group_capacity, job->group_count + 1)) {
        if (group)
            free(group->members);
        free(group);
        return NULL;
    }
    job->groups[job->group_count++] = group;
    return group;
}

bool ft_mpi_groups_equal(const struct ft_mpi_group *a, const struct ft_mpi_group *b)
{
    return a->size == b->size && memcmp(a->members, b->members, a->size * sizeof *a->members) == 0;
}

uint32_t ft_mpi_group_position(const struct ft_mpi_group *group, uint32_t rank)
{
    for (uint32_t i = 0; i < group->size; i++)
        if (group->members[i] == rank)
            return i;
    return FT_MPI_NO_RANK;
}

struct ft_mpi_group *ft_mpi_group_at(const struct ft_mpi_group_numbers *numbers, uint64_t number)
{
    return number < numbers->count ? numbers->items[number] : NULL;
}

bool ft_mpi_group_set(struct ft_mpi_group_numbers *numbers, uint64_t number,
                      struct ft_mpi_group *group)
{
    const size_t before = numbers->count;
    if (number >= NUMBERS_MAX)
        return true;
    if (number >= before) {
        if (!FT_RESERVE(numbers->items, numbers->capacity, number + 1))
            return false;
        memset(numbers->items + before, 0, (number + 1 - before) * sizeof *numbers->items);
        numbers->count = number + 1;
    }
    numbers->items[number] = group;
    return true;
}

/* ---- what calls make of them ---- */

/* A call that makes a group, of one or two others. */
struct maker {
    const struct ft_mpi_timeline *timeline;
    const struct ft_mpi_call *call;
    const struct ft_mpi_group *of, *other;
    bool takes_two;  /* so `other` is needed */
    bool *is_listed; /* [size of `of`]: its members that the call lists */
    struct ft_mpi_group *made;
};

static bool detail(const struct maker *maker, enum ft_mpi_key key, size_t index,
                   uint64_t *ret_value)
{
    return ft_mpi_call_detail(maker->timeline, maker->call, key, index, ret_value);
}

/* Member number `position` of the group, as the next of the new one. */
static void list(struct maker *maker, int64_t position, bool adds)
{
    if (position < 0 || position >= maker->of->size || maker->is_listed[position])
        return;
    maker->is_listed[position] = true;
    if (adds)
        maker->made->members[maker->made->size++] = maker->of->members[position];
}

static void list_all(struct maker *maker, bool adds)
{
    uint64_t value, last, stride;
    for (size_t i = 0; detail(maker, FT_MPI_KEY_GROUP_RANK, i, &value); i++)
        list(maker, (int32_t)value, adds);
    for (size_t i = 0; detail(maker, FT_MPI_KEY_GROUP_RANGE, i, &value) &&
                       detail(maker, FT_MPI_KEY_GROUP_RANGE, i + 1, &last) &&
                       detail(maker, FT_MPI_KEY_GROUP_RANGE, i + 2, &stride);
         i += 3) {
        const int64_t by = (int64_t)ft_unzigzag(stride), end = (int64_t)ft_unzigzag(last);
        for (int64_t at = (int64_t)ft_unzigzag(value);
             by != 0 && at >= 0 && at < maker->of->size && (by > 0 ? at <= end : at >= end);
             at += by)
            list(maker, at, adds);
    }
}

/* Members of `of` that are in `other`, or are not. */
static void add_members(struct maker *maker, bool in_other)
{
    for (uint32_t i = 0; i < maker->of->size; i++)
        if ((ft_mpi_group_position(maker->other, maker->of->members[i]) != FT_MPI_NO_RANK) ==
            in_other)
            maker->made->members[maker->made->size++] = maker->of->members[i];
}

static void add_rest(struct maker *maker)
{
    for (uint32_t i = 0; i < maker->of->size; i++)
        if (!maker->is_listed[i])
            maker->made->members[maker->made->size++] = maker->of->members[i];
}

/* Of two groups: all of the first, then those of the other that it lacks. */
static void add_union(struct maker *maker)
{
    const struct ft_mpi_group *first = maker->of;
    memcpy(maker->made->members, first->members, first->size * sizeof *first->members);
    maker->made->size = first->size;
    maker->of = maker->other;
    maker->other = first;
    add_members(maker, false);
}

static bool takes_two_groups(const char *name)
{
    return strcmp(name, "Group_union") == 0 || strcmp(name, "Group_intersection") == 0 ||
           strcmp(name, "Group_difference") == 0;
}

static void make(struct maker *maker)
{
    const char *name = maker->call->function->name;
    if (strcmp(name, "Comm_group") == 0) {
        add_rest(maker);
    } else if (maker->takes_two && strcmp(name, "Group_union") == 0) {
        add_union(maker);
    } else if (maker->takes_two) {
        add_members(maker, strcmp(name, "Group_intersection") == 0);
    } else {
        const bool includes = strstr(name, "incl") != NULL;
        list_all(maker, includes);
        if (!includes)
            add_rest(maker);
    }
}

/* ---- the module's functions ---- */

bool ft_mpi_group_begin(struct ft_mpi_job *job, struct ft_mpi_rank *rank)
{
    struct ft_mpi_group *empty = ft_mpi_group_add(job, 0);
    return empty && ft_mpi_group_set(&rank->groups, FT_MPI_EMPTY_GROUP, empty);
}

struct ft_mpi_group *ft_mpi_group_used(const struct ft_mpi_rank *rank,
                                       const struct ft_mpi_call *call)
{
    uint64_t number;
    return ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_GROUP, 0, &number)
               ? ft_mpi_group_at(&rank->groups, number)
               : NULL;
}

static const struct ft_mpi_group *first_of(const struct ft_mpi_rank *rank,
                                           const struct ft_mpi_call *call)
{
    uint64_t communicator;
    if (strcmp(call->function->name, "Comm_group") != 0)
        return ft_mpi_group_used(rank, call);
    return ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_COMMUNICATOR, 0, &communicator)
               ? ft_mpi_group_at(&rank->communicators, communicator)
               : NULL;
}

bool ft_mpi_group_follow(struct ft_mpi_job *job, struct ft_mpi_rank *rank,
                         const struct ft_mpi_call *call)
{
    uint64_t number, other;
    struct maker maker = {.timeline = &rank->timeline, .call = call};
    if (!call->function ||
        !ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_NEW_GROUP, 0, &number) ||
        number < FT_MPI_FIRST_GROUP_MADE)
        return true;
    maker.of = first_of(rank, call);
    maker.takes_two = takes_two_groups(call->function->name);
    if (maker.takes_two &&
        ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_GROUP, 1, &other)) /* not if damaged */
        maker.other = ft_mpi_group_at(&rank->groups, other);
    if (!maker.of || (maker.takes_two && !maker.other))
        return ft_mpi_group_set(&rank->groups, number, NULL);
    maker.is_listed = calloc((size_t)maker.of->size + 1, sizeof *maker.is_listed);
    maker.made =
        ft_mpi_group_add(job, (size_t)maker.of->size + (maker.takes_two ? maker.other->size : 0));
    const bool is_there = maker.is_listed && maker.made;
    if (is_there)
        make(&maker);
    free(maker.is_listed);
    return is_there && ft_mpi_group_set(&rank->groups, number, maker.made);
}
