/*
 * Groups of ranks of a job, in the order that numbers them: of communicators, which have names and
 * may be grids, and those that a rank makes by itself (MPI_Group_incl and its like), of which its
 * communicators are made. The job owns them all.
 */
#ifndef FT_FORMATS_TRACE_MPI_GROUPS_H
#define FT_FORMATS_TRACE_MPI_GROUPS_H

#include "formats/trace/mpi_timeline.h"

#define FT_MPI_NO_RANK UINT32_MAX

/* The communicator as a grid, as MPI_Cart_create made it: its last direction varies fastest. */
#define FT_MPI_DIRECTIONS_MAX 8U
struct ft_mpi_grid {
    unsigned directions; /* 0: none, or more than that, or made before captures knew */
    uint32_t parts[FT_MPI_DIRECTIONS_MAX];
    bool wraps[FT_MPI_DIRECTIONS_MAX];
};
struct ft_mpi_group {
    char name[64];
    uint32_t *members; /* in MPI_COMM_WORLD */
    uint32_t size;
    unsigned made; /* communicators of it */
    struct ft_mpi_grid grid;
};

/* Groups by the numbers that a rank has for them. */
struct ft_mpi_group_numbers {
    struct ft_mpi_group **items; /* [number]; NULL: not known */
    size_t count, capacity;
};

struct ft_mpi_rank {
    const char *path; /* of its trace */
    uint32_t rank;
    bool is_whole; /* the trace has its end */
    struct ft_mpi_timeline timeline;
    struct ft_mpi_group_numbers communicators;
    struct ft_mpi_group_numbers groups; /* that it made by itself */
};

struct ft_mpi_job {
    struct ft_mpi_rank *ranks; /* ascending */
    size_t rank_count, rank_capacity;
    uint32_t size; /* of MPI_COMM_WORLD */
    struct ft_mpi_group **groups;
    size_t group_count, group_capacity;
    bool is_out_of_memory; /* while it is resolved */
};

/* With room for so many members, none yet; NULL: out of memory. */
struct ft_mpi_group *ft_mpi_group_add(struct ft_mpi_job *job, size_t capacity);
/* Whether both have the same members in the same order. */
bool ft_mpi_groups_equal(const struct ft_mpi_group *a, const struct ft_mpi_group *b);
/* Where a rank is in a group; FT_MPI_NO_RANK. */
uint32_t ft_mpi_group_position(const struct ft_mpi_group *group, uint32_t rank);

/* The group of a number; NULL: not known. */
struct ft_mpi_group *ft_mpi_group_at(const struct ft_mpi_group_numbers *numbers, uint64_t number);
/* One of the numbers that say that a group is not known has none; false: out of memory. */
bool ft_mpi_group_set(struct ft_mpi_group_numbers *numbers, uint64_t number,
                      struct ft_mpi_group *group);

/* Before the first call of a rank; false: out of memory. */
bool ft_mpi_group_begin(struct ft_mpi_job *job, struct ft_mpi_rank *rank);
/* If the call of a rank makes a group: follows that; what is made of unknown groups stays unknown.
 * The communicators that it made before must be known. False: out of memory. */
bool ft_mpi_group_follow(struct ft_mpi_job *job, struct ft_mpi_rank *rank,
                         const struct ft_mpi_call *call);
/* The group that a call uses; NULL: it uses none, or one that is not known. */
struct ft_mpi_group *ft_mpi_group_used(const struct ft_mpi_rank *rank,
                                       const struct ft_mpi_call *call);

#endif
