/*
 * Jobs of MPI from calls that are written down here: who the members of communicators are, which
 * messages requests belong to, what SimGrid's format has of them.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/base/bytes.h"
#include "formats/text/simgrid_text.h"
#include "tests/support/tap.h"
#include "tests/unit/made_job.h"

enum { RANKS = 4 };

/* Ranks from `first` on, of RANKS. */
static struct ft_mpi_job make_job(uint32_t first)
{
    return make_job_of(first, RANKS);
}

/* Even and odd ranks are parted, the highest first; then each part is copied, the odd one twice. */
static void add_splits(struct ft_mpi_rank *rank)
{
    ADD_CALL(rank, "MPI_Comm_split", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_COLOUR,
             1 + rank->rank % 2, FT_MPI_KEY_ORDER, ft_zigzag(-(uint64_t)rank->rank),
             FT_MPI_KEY_NEW_COMMUNICATOR, 3);
    for (uint32_t i = 0; i <= rank->rank % 2; i++)
        ADD_CALL(rank, "MPI_Comm_dup", FT_MPI_KEY_COMMUNICATOR, 3, FT_MPI_KEY_NEW_COMMUNICATOR,
                 4 + i);
}

static void test_communicators(void)
{
    struct ft_mpi_job all = make_job(0), some = make_job(1);
    struct ft_diag diag;
    char name[96];
    for (size_t i = 0; i < all.rank_count; i++)
        add_splits(&all.ranks[i]);
    for (size_t i = 0; i < some.rank_count; i++)
        add_splits(&some.ranks[i]);
    tap_ok(ft_mpi_job_resolve(&all, &diag) == FT_OK && ft_mpi_job_resolve(&some, &diag) == FT_OK,
           "jobs with communicators");
    ft_mpi_communicator_name(&all.ranks[1], 5, name, sizeof name);
    tap_ok(strcmp(name, "world.1:1.2") == 0, "the second copy of the odd ones: %s", name);
    tap_ok(ft_mpi_world_rank(&all.ranks[1], 5, 0) == 3 &&
               ft_mpi_world_rank(&all.ranks[1], 5, 1) == 1 &&
               ft_mpi_world_rank(&all.ranks[0], 4, 0) == 2,
           "keys give the order of ranks");
    tap_ok(ft_mpi_world_rank(&all.ranks[1], 5, 2) == FT_MPI_NO_RANK &&
               ft_mpi_world_rank(&all.ranks[0], 5, 0) == FT_MPI_NO_RANK &&
               ft_mpi_world_rank(&some.ranks[0], 3, 0) == FT_MPI_NO_RANK,
           "nobody: behind the last rank, in a communicator not made, with a trace missing");
    ft_mpi_job_fini(&all);
    ft_mpi_job_fini(&some);
}

struct seen {
    size_t messages, complete;
    uint64_t bytes;
};

static void see(void *context, const struct ft_mpi_message *message)
{
    struct seen *seen = context;
    seen->messages++;
    seen->complete += message->is_complete;
    seen->bytes += message->bytes;
}

/* MPICH gives one handle to all sends that are complete at once. */
static void test_requests(void)
{
    struct ft_mpi_job job = make_job(RANKS - 1);
    struct ft_mpi_rank *rank = &job.ranks[0];
    struct ft_diag diag;
    struct seen seen = {0};
    for (uint64_t i = 0; i < 3; i++)
        ADD_CALL(rank, "MPI_Isend", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_SENT_BYTES, 8,
                 FT_MPI_KEY_DESTINATION, 2, FT_MPI_KEY_SENT_TAG, 1 + i, FT_MPI_KEY_REQUEST,
                 0x6c000000);
    ADD_CALL(rank, "MPI_Waitall", FT_MPI_KEY_REQUEST, 0x6c000000, FT_MPI_KEY_REQUEST, 0x6c000000,
             FT_MPI_KEY_ALL_DONE, 1);
    int status = ft_mpi_timeline_messages(&rank->timeline, see, &seen, &diag);
    tap_ok(status == FT_OK && seen.messages == 3 && seen.complete == 2,
           "two of three sends with one handle are complete: %zu of %zu", seen.complete,
           seen.messages);
    ADD_CALL(rank, "MPI_Recv_init", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD,
             FT_MPI_KEY_RECEIVED_BYTES, 100, FT_MPI_KEY_SOURCE, FT_MPI_ANY, FT_MPI_KEY_REQUEST, 9);
    for (int i = 0; i < 2; i++) {
        ADD_CALL(rank, "MPI_Start", FT_MPI_KEY_REQUEST, 9);
        ADD_CALL(rank, "MPI_Wait", FT_MPI_KEY_REQUEST, 9, FT_MPI_KEY_ALL_DONE, 1,
                 FT_MPI_KEY_MATCHED_SOURCE, 2, FT_MPI_KEY_MATCHED_TAG, 1, FT_MPI_KEY_MATCHED_BYTES,
                 16);
    }
    seen = (struct seen){0};
    tap_ok(ft_mpi_timeline_messages(&rank->timeline, see, &seen, &diag) == FT_OK &&
               seen.messages == 5 && seen.complete == 4 && seen.bytes == 3 * 8 + 2 * 16,
           "a persistent request makes a message at each start, of what came");
    ft_mpi_job_fini(&job);
}

/* The text of a job of which each rank makes one collective, or NULL where it is refused. */
static char *text_of(const char *name, uint64_t root)
{
    struct ft_mpi_job job = make_job(0);
    struct ft_diag diag;
    char *text = NULL;
    size_t bytes;
    for (size_t i = 0; i < job.rank_count; i++)
        ADD_CALL(&job.ranks[i], name, FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_SENT_BYTES,
                 24, root ? FT_MPI_KEY_ROOT : 0, root);
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        out_of_memory();
    int status = ft_mpi_job_resolve(&job, &diag);
    if (status == FT_OK)
        status = ft_simgrid_write(&job, stream, &diag);
    fclose(stream);
    ft_mpi_job_fini(&job);
    if (status < 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static void test_simgrid(void)
{
    char *bcast = text_of("MPI_Ibcast", 3), *refused = text_of("MPI_Reduce_scatter_block", 0);
    tap_ok(bcast && strncmp(bcast, "0 bcast 24 1 6\n0 finalize\n1 bcast 24 1 6\n", 41) == 0,
           "a nonblocking broadcast as a blocking one");
    tap_ok(!refused, "a collective that SimGrid does not replay is refused");
    free(bcast);
    free(refused);
}

/* A grid of so many directions, whose last two are of `rows` and `columns`, and parts of it that
 * keep the last alone. */
static void add_grid(struct ft_mpi_rank *rank, unsigned directions, uint64_t rows, uint64_t columns)
{
    uint64_t grid[64] = {FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_NEW_COMMUNICATOR, 3};
    uint64_t part[64] = {FT_MPI_KEY_COMMUNICATOR, 3, FT_MPI_KEY_NEW_COMMUNICATOR, 4};
    for (unsigned d = 0; d < directions; d++) {
        const unsigned behind = directions - 1 - d;
        grid[4 + 2 * d] = FT_MPI_KEY_PARTS;
        grid[5 + 2 * d] = behind == 0 ? columns : behind == 1 ? rows : 1;
        part[4 + 2 * d] = FT_MPI_KEY_KEPT;
        part[5 + 2 * d] = behind == 0;
    }
    add_call_at(rank, 0, "MPI_Cart_create", grid);
    add_call_at(rank, 0, "MPI_Cart_sub", part);
}

static void test_grids(void)
{
    static const struct {
        unsigned directions;
        uint64_t rows, columns;
        uint32_t last; /* the second of rank 2's part */
        const char *what;
    } cases[] = {{2, 2, 2, 3, "a row of a grid"},
                 {8, 2, 2, 3, "a row of a grid of 8 directions"},
                 {9, 2, 2, FT_MPI_NO_RANK, "of more directions, which is not known"},
                 {2, 2, 0, FT_MPI_NO_RANK, "of a damaged grid without columns"},
                 {2, UINT32_MAX, UINT32_MAX, FT_MPI_NO_RANK, "of a damaged grid with too many"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ft_mpi_job job = make_job(0);
        struct ft_diag diag;
        for (size_t r = 0; r < job.rank_count; r++)
            add_grid(&job.ranks[r], cases[i].directions, cases[i].rows, cases[i].columns);
        tap_ok(ft_mpi_job_resolve(&job, &diag) == FT_OK &&
                   ft_mpi_world_rank(&job.ranks[2], 4, 1) == cases[i].last,
               "%s", cases[i].what);
        ft_mpi_job_fini(&job);
    }
}

/* Calls of a damaged trace that make a group of two, one of which is not there. */
static void test_lacking_group(void)
{
    static const char *const names[] = {"MPI_Group_union", "MPI_Group_intersection",
                                        "MPI_Group_difference"};
    enum { ALL = FT_MPI_FIRST_GROUP_MADE, BOTH, ONE };
    static const uint64_t all[] = {FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_NEW_GROUP, ALL,
                                   0};
    static const uint64_t both[] = {
        FT_MPI_KEY_GROUP, ALL, FT_MPI_KEY_GROUP, ALL, FT_MPI_KEY_NEW_GROUP, BOTH, 0};
    static const uint64_t one[] = {FT_MPI_KEY_GROUP, ALL, FT_MPI_KEY_NEW_GROUP, ONE, 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ft_mpi_job job = make_job(0);
        struct ft_mpi_rank *rank = &job.ranks[0];
        struct ft_diag diag;
        add_call_at(rank, 0, "MPI_Comm_group", all);
        add_call_at(rank, 0, names[i], both);
        add_call_at(rank, 0, names[i], one);
        tap_ok(ft_mpi_job_resolve(&job, &diag) == FT_OK && ft_mpi_group_at(&rank->groups, BOTH) &&
                   !ft_mpi_group_at(&rank->groups, ONE),
               "%s of no known group stays unknown", names[i]);
        ft_mpi_job_fini(&job);
    }
}

/* Functions whose arguments are not known: which of them send nothing. */
static void test_local(void)
{
    static const char *const local[] = {"MPI_Info_create", "PMPI_Get_address", "MPI_Type_free",
                                        "MPI_Get_elements_x", "MPI_Comm_free"};
    static const char *const others[] = {"MPI_Get",       "MPI_Get_accumulate", "MPI_Rget",
                                         "MPI_Comm_join", "MPI_Win_create",     "Info_create"};
    bool right = true;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        right = right && ft_mpi_is_local(local[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        right = right && !ft_mpi_is_local(others[i]);
    tap_ok(right, "one-sided communication is none that stays local");
}

int main(void)
{
    test_communicators();
    test_grids();
    test_lacking_group();
    test_local();
    test_requests();
    test_simgrid();
    return tap_plan_done();
}
