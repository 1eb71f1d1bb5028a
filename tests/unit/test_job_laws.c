/*
 * Programs of MPI written down as the calls of a rank: learned from some numbers of ranks and
 * sizes, their calls at others must be the same, one by one, with all peers, bytes, requests and
 * instructions. And what cannot be known is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/ranks/laws/job_laws.h"
#include "predict/ranks/laws/rank_classes.h"
#include "tests/support/tap.h"
#include "tests/unit/made_job.h"

enum { N, STEPS, RUNS_MAX = 24 };
static const char *const names[] = {"N", "T"};

/* The calls of a rank, between MPI_Init and MPI_Finalize. */
typedef void program_fn(struct ft_mpi_rank *rank, const struct ft_rank_size *size);

/* ---- calls ---- */

static void work(struct ft_mpi_rank *rank, int64_t instructions)
{
    rank->timeline.instructions += (uint64_t)instructions;
}

#define CALL(rank, name, ...)                                                                      \
    add_call_at(rank, (rank)->timeline.instructions, name, (uint64_t[]){__VA_ARGS__, 0})

/* Peers as in details: 0 nobody. */
static void start(struct ft_mpi_rank *rank, bool sends, uint64_t peer, int64_t bytes,
                  uint64_t request)
{
    CALL(rank, sends ? "MPI_Isend" : "MPI_Irecv", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD,
         sends ? FT_MPI_KEY_SENT_BYTES : FT_MPI_KEY_RECEIVED_BYTES, (uint64_t)bytes,
         sends ? FT_MPI_KEY_DESTINATION : FT_MPI_KEY_SOURCE, peer,
         sends ? FT_MPI_KEY_SENT_TAG : FT_MPI_KEY_RECEIVED_TAG, 1, FT_MPI_KEY_REQUEST, request);
}

static void pass(struct ft_mpi_rank *rank, bool sends, uint32_t peer, int64_t bytes)
{
    CALL(rank, sends ? "MPI_Send" : "MPI_Recv", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD,
         sends ? FT_MPI_KEY_SENT_BYTES : FT_MPI_KEY_RECEIVED_BYTES, (uint64_t)bytes,
         sends ? FT_MPI_KEY_DESTINATION : FT_MPI_KEY_SOURCE, 2 + (uint64_t)peer,
         sends ? FT_MPI_KEY_SENT_TAG : FT_MPI_KEY_RECEIVED_TAG, 1);
}

static void allreduce(struct ft_mpi_rank *rank, int64_t bytes)
{
    CALL(rank, "MPI_Allreduce", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_SENT_BYTES,
         (uint64_t)bytes, FT_MPI_KEY_RECEIVED_BYTES, (uint64_t)bytes);
}

/* ---- programs ---- */

/* Six faces each step, to nobody at the ends of the grid; handles differ between ranks. */
static void exchange_faces(struct ft_mpi_rank *rank, const struct ft_rank_size *size,
                           enum ft_block_rule rule, bool wraps)
{
    const struct ft_rank_grid grid = ft_rank_grid_of(size->ranks, 3);
    const struct ft_rank_place place = ft_rank_grid_place(&grid, rank->rank);
    int64_t n[3];
    for (unsigned d = 0; d < 3; d++)
        n[d] = ft_block_of(rule, size->parameters[N], grid.parts[d], place.at[d]).size;
    for (int64_t step = 0; step < size->parameters[STEPS]; step++) {
        for (unsigned face = 0; face < 6; face++) {
            struct ft_rank_shift shift = {.wraps = wraps};
            uint32_t to;
            const unsigned d = face / 2;
            shift.by[d] = face % 2 ? 1 : -1;
            const uint64_t peer =
                ft_rank_grid_shift(&grid, rank->rank, &shift, &to) ? 2 + (uint64_t)to : 0;
            const uint64_t handle = 1000 * (1 + rank->rank) - 7 * face;
            start(rank, false, peer, 8 * n[(d + 1) % 3] * n[(d + 2) % 3], handle);
            start(rank, true, peer, 8 * n[(d + 1) % 3] * n[(d + 2) % 3], handle + 3);
            work(rank, 12);
        }
        uint64_t details[28] = {0};
        for (unsigned i = 0; i < 12; i++) {
            details[2 * i] = FT_MPI_KEY_REQUEST;
            details[2 * i + 1] = 1000 * (1 + rank->rank) - 7 * (uint64_t)(i / 2) + 3 * (i % 2);
        }
        details[24] = FT_MPI_KEY_ALL_DONE;
        details[25] = 1;
        add_call_at(rank, rank->timeline.instructions, "MPI_Waitall", details);
        work(rank, 18 * n[0] * n[1] * n[2] + 9 * n[0] * n[1] + 7 * n[0] + 6);
        allreduce(rank, 8);
    }
}

static void halo(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    exchange_faces(rank, size, FT_BLOCKS_SPREAD, false);
}

static void uneven_halo(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    exchange_faces(rank, size, FT_BLOCKS_FIRST_MORE, false);
}

static void periodic_halo(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    exchange_faces(rank, size, FT_BLOCKS_SPREAD, true);
}

/* What each rank has goes around: as many steps as ranks, less 1. */
static void ring(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    const uint64_t ranks = size->ranks, after = (rank->rank + 1) % ranks,
                   before = (rank->rank + ranks - 1) % ranks;
    for (uint64_t step = 0; step + 1 < ranks; step++) {
        CALL(rank, "MPI_Sendrecv", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_SENT_BYTES,
             (uint64_t)(8 * size->parameters[N]), FT_MPI_KEY_DESTINATION, 2 + after,
             FT_MPI_KEY_SENT_TAG, 1, FT_MPI_KEY_RECEIVED_BYTES, (uint64_t)(8 * size->parameters[N]),
             FT_MPI_KEY_SOURCE, 2 + before, FT_MPI_KEY_RECEIVED_TAG, 1);
        work(rank, 3 * size->parameters[N]);
    }
}

/* No neighbours; the sum of a vector, longer in each step. */
static void sums(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    for (int64_t step = 0; step < size->parameters[STEPS]; step++) {
        work(rank, 100);
        allreduce(rank, 8 * size->parameters[N] + 16 * step);
    }
}

/* Sends to the rank behind, which the last does not have; receives likewise. */
static void chain(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    for (int64_t step = 0; step < size->parameters[STEPS]; step++) {
        if (rank->rank > 0)
            pass(rank, false, rank->rank - 1, 8 * size->parameters[N]);
        work(rank, 50 * size->parameters[N]);
        if (rank->rank + 1 < size->ranks)
            pass(rank, true, rank->rank + 1, 8 * size->parameters[N]);
    }
}

/* Rank 0 hears from all others, one after the other. */
static void gather_by_hand(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    if (rank->rank > 0)
        pass(rank, true, 0, 8 * size->parameters[N] + 4);
    for (uint32_t from = 1; rank->rank == 0 && from < size->ranks; from++)
        pass(rank, false, from, 8 * size->parameters[N] + 4);
}

/* Parts of a vector, as MPI_Gatherv needs them: an array as long as there are ranks. */
static void gather_parts(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    uint64_t details[2 * 64 + 10] = {FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_ROOT, 2,
                                     FT_MPI_KEY_SENT_BYTES};
    size_t count = 5;
    details[count++] = (uint64_t)(8 * size->parameters[N]);
    for (uint32_t r = 0; rank->rank == 0 && r < size->ranks; r++) {
        details[count++] = FT_MPI_KEY_RECEIVED_PART;
        details[count++] = (uint64_t)(8 * size->parameters[N]);
    }
    add_call_at(rank, rank->timeline.instructions, "MPI_Gatherv", details);
}

/* To the right in each row of a grid, within the row's communicator; to nobody at its end. */
static void rows(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    const struct ft_rank_grid grid = ft_rank_grid_of(size->ranks, 2);
    const struct ft_rank_place place = ft_rank_grid_place(&grid, rank->rank);
    const uint32_t x = place.at[1], last = grid.parts[1] - 1;
    CALL(rank, "MPI_Comm_split", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_COLOUR,
         1 + (uint64_t)place.at[0], FT_MPI_KEY_ORDER, 2 * (uint64_t)x, FT_MPI_KEY_NEW_COMMUNICATOR,
         3);
    for (int64_t step = 0; step < size->parameters[STEPS]; step++)
        CALL(rank, "MPI_Sendrecv", FT_MPI_KEY_COMMUNICATOR, 3, FT_MPI_KEY_SENT_BYTES,
             (uint64_t)(8 * size->parameters[N]), FT_MPI_KEY_DESTINATION,
             x < last ? 3 + (uint64_t)x : 0, FT_MPI_KEY_SENT_TAG, 1, FT_MPI_KEY_RECEIVED_BYTES,
             (uint64_t)(8 * size->parameters[N]), FT_MPI_KEY_SOURCE, x > 0 ? 1 + (uint64_t)x : 0,
             FT_MPI_KEY_RECEIVED_TAG, 1);
}

/* Two rows of ranks, which MPI_Dims_create would not make of 12, each with N in blocks: to the
 * right, and to the row below. */
static void two_rows(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    const uint32_t columns = size->ranks / 2, x = rank->rank % columns, y = rank->rank / columns;
    const int64_t points = ft_block_of(FT_BLOCKS_SPREAD, size->parameters[N], columns, x).size;
    CALL(rank, "MPI_Cart_create", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_PARTS, 2,
         FT_MPI_KEY_PARTS, columns, FT_MPI_KEY_WRAPS, 0, FT_MPI_KEY_WRAPS, 0,
         FT_MPI_KEY_MAY_REORDER, 0, FT_MPI_KEY_NEW_COMMUNICATOR, 3);
    for (int64_t step = 0; step < size->parameters[STEPS]; step++) {
        const uint64_t right = x + 1 < columns ? 3 + (uint64_t)rank->rank : 0;
        const uint64_t left = x > 0 ? 1 + (uint64_t)rank->rank : 0;
        const uint64_t below = y == 0 ? 2 + (uint64_t)rank->rank + columns : 0;
        const uint64_t above = y == 1 ? 2 + (uint64_t)rank->rank - columns : 0;
        for (int way = 0; way < 2; way++)
            CALL(rank, "MPI_Sendrecv", FT_MPI_KEY_COMMUNICATOR, 3, FT_MPI_KEY_SENT_BYTES,
                 (uint64_t)(8 * points), FT_MPI_KEY_DESTINATION, way ? below : right,
                 FT_MPI_KEY_SENT_TAG, 1, FT_MPI_KEY_RECEIVED_BYTES, (uint64_t)(8 * points),
                 FT_MPI_KEY_SOURCE, way ? above : left, FT_MPI_KEY_RECEIVED_TAG, 1);
        work(rank, 7 * points + 3);
    }
}

/* Recursive doubling: partners that no grid has. */
static void butterfly(struct ft_mpi_rank *rank, const struct ft_rank_size *size)
{
    for (uint32_t far = 1; far < size->ranks; far *= 2)
        CALL(rank, "MPI_Sendrecv", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_SENT_BYTES, 8,
             FT_MPI_KEY_DESTINATION, 2 + (uint64_t)(rank->rank ^ far), FT_MPI_KEY_SENT_TAG, 1,
             FT_MPI_KEY_RECEIVED_BYTES, 8, FT_MPI_KEY_SOURCE, 2 + (uint64_t)(rank->rank ^ far),
             FT_MPI_KEY_RECEIVED_TAG, 1);
}

/* ---- runs ---- */

static struct ft_rank_size size_of(int64_t n, int64_t steps, uint32_t ranks)
{
    return (struct ft_rank_size){.parameters = {n, steps}, .ranks = ranks};
}

static struct ft_mpi_job make_run(program_fn *program, const struct ft_rank_size *size)
{
    struct ft_mpi_job job = make_job_of(0, size->ranks);
    struct ft_diag diag = {0};
    for (size_t r = 0; r < job.rank_count; r++) {
        work(&job.ranks[r], 1000);
        CALL(&job.ranks[r], "MPI_Init", 0);
        work(&job.ranks[r], 20);
        program(&job.ranks[r], size);
        work(&job.ranks[r], 30);
        CALL(&job.ranks[r], "MPI_Finalize", 0);
    }
    if (ft_mpi_job_resolve(&job, &diag) != FT_OK)
        abort();
    return job;
}

struct study {
    struct ft_mpi_job jobs[RUNS_MAX];
    struct ft_captured_run runs[RUNS_MAX];
    size_t count;
};

static void study_fini(struct study *study)
{
    for (size_t i = 0; i < study->count; i++)
        ft_mpi_job_fini(&study->jobs[i]);
}

static void add_run(struct study *study, program_fn *program, struct ft_rank_size size)
{
    study->jobs[study->count] = make_run(program, &size);
    study->runs[study->count] =
        (struct ft_captured_run){.job = &study->jobs[study->count], .size = size};
    study->count++;
}

static int learn(const struct study *study, const struct ft_rank_size *target,
                 struct ft_job_laws *laws, struct ft_diag *diag)
{
    const struct ft_job_laws_task task = {.runs = study->runs,
                                          .run_count = study->count,
                                          .names = {names[0], names[1]},
                                          .parameter_count = 2,
                                          .target = target};
    return ft_job_laws_learn(&task, laws, diag);
}

/* The first call of a rank that differs; SIZE_MAX: none. */
static size_t first_difference(const struct ft_rank_calls *a, const struct ft_rank_calls *b)
{
    size_t i = 0;
    for (; i < a->count && i < b->count; i++) {
        const struct ft_rank_call *one = &a->items[i], *other = &b->items[i];
        if (strcmp(one->name, other->name) != 0 || one->detail_count != other->detail_count ||
            one->instructions != other->instructions ||
            memcmp(a->details + one->first_detail, b->details + other->first_detail,
                   one->detail_count * sizeof *a->details) != 0)
            return i;
    }
    return a->count == b->count ? SIZE_MAX : i;
}

static bool same_rank(const struct ft_mpi_rank *made, const struct ft_mpi_rank *expected)
{
    struct ft_rank_calls a = {0}, b = {0};
    struct ft_diag diag = {0};
    bool is_same = ft_rank_calls_read(made, &a, &diag) == FT_OK &&
                   ft_rank_calls_read(expected, &b, &diag) == FT_OK;
    const size_t at = is_same ? first_difference(&a, &b) : 0;
    if (at != SIZE_MAX)
        printf("# rank %u: call %zu of %zu and %zu: %s after %llu, expected %s after %llu\n",
               (unsigned)expected->rank, at, a.count, b.count, at < a.count ? a.items[at].name : "",
               at < a.count ? (unsigned long long)a.items[at].instructions : 0,
               at < b.count ? b.items[at].name : "",
               at < b.count ? (unsigned long long)b.items[at].instructions : 0);
    is_same =
        is_same && at == SIZE_MAX && made->timeline.instructions == expected->timeline.instructions;
    ft_rank_calls_fini(&a);
    ft_rank_calls_fini(&b);
    return is_same;
}

static void forecasts(const struct study *study, program_fn *program, struct ft_rank_size target,
                      const char *what)
{
    struct ft_job_laws laws = {0};
    struct ft_mpi_job made = {0}, expected = make_run(program, &target);
    struct ft_diag diag = {0};
    int status = learn(study, &target, &laws, &diag);
    if (status == FT_OK)
        status = ft_job_laws_forecast(&laws, &target, &made, &diag);
    bool is_same = status == FT_OK && made.rank_count == expected.rank_count;
    for (size_t r = 0; r < expected.rank_count && is_same; r++)
        is_same = same_rank(&made.ranks[r], &expected.ranks[r]);
    tap_ok(is_same, "%s: all calls of %u ranks at N=%d%s%s", what, (unsigned)target.ranks,
           (int)target.parameters[N], diag.message[0] ? ": " : "", diag.message);
    ft_job_laws_fini(&laws);
    ft_mpi_job_fini(&made);
    ft_mpi_job_fini(&expected);
}

static void refuses(const struct study *study, struct ft_rank_size target, const char *reason,
                    const char *what)
{
    struct ft_job_laws laws = {0};
    struct ft_diag diag = {0};
    const int status = learn(study, &target, &laws, &diag);
    tap_ok(status == FT_ERROR_DATA && strstr(diag.message, reason), "%s: %s", what, diag.message);
    ft_job_laws_fini(&laws);
}

/* ---- what is known ---- */

static void test_halo(void)
{
    struct study study = {0};
    for (uint32_t ranks = 1; ranks <= 8; ranks *= 2)
        for (int64_t n = 8; n <= 16; n += 8)
            add_run(&study, halo, size_of(n, 3, ranks));
    forecasts(&study, halo, size_of(24, 3, 12), "a halo exchange");
    forecasts(&study, halo, size_of(48, 3, 64), "a halo exchange");
    refuses(&study, size_of(24, 5, 12), "T is the same", "other steps than ever");
    add_run(&study, halo, size_of(8, 5, 2));
    add_run(&study, halo, size_of(16, 4, 4));
    forecasts(&study, halo, size_of(24, 7, 27), "more steps");
    refuses(&study, size_of(25, 7, 27), "how points are divided", "blocks that are not even");
    study_fini(&study);
}

static void test_uneven_blocks(void)
{
    struct study study = {0};
    for (uint32_t ranks = 1; ranks <= 8; ranks *= 2)
        for (int64_t n = 9; n <= 17; n += 4)
            add_run(&study, uneven_halo, size_of(n, 2, ranks));
    add_run(&study, uneven_halo, size_of(11, 2, 27));
    forecasts(&study, uneven_halo, size_of(23, 2, 12), "blocks that are not even");
    study_fini(&study);
}

static void test_periodic(void)
{
    struct study study = {0};
    for (uint32_t ranks = 1; ranks <= 8; ranks *= 2)
        for (int64_t n = 8; n <= 16; n += 8)
            add_run(&study, periodic_halo, size_of(n, 2, ranks));
    refuses(&study, size_of(24, 2, 12), "several laws", "before and behind, of two ranks");
    add_run(&study, periodic_halo, size_of(12, 2, 27));
    forecasts(&study, periodic_halo, size_of(24, 2, 12), "a grid that wraps around");
    study_fini(&study);
}

/* What MPI_Cart_create was told, in the place of what MPI_Dims_create says. */
static void test_recorded_grid(void)
{
    struct study study = {0};
    for (uint32_t ranks = 2; ranks <= 8; ranks *= 2)
        for (int64_t n = 16; n <= 48; n += 16)
            add_run(&study, two_rows, size_of(n, 1 + n / 16 % 2, ranks));
    forecasts(&study, two_rows, size_of(60, 3, 12), "two rows");
    refuses(&study, size_of(60, 3, 9), "MPI_Cart_create: the parts of direction y",
            "ranks that make no two rows");
    study_fini(&study);
}

static void test_one_direction(void)
{
    static const struct {
        program_fn *program;
        const char *name;
    } programs[] = {{ring, "a ring"},
                    {sums, "sums alone"},
                    {chain, "a chain with ends"},
                    {gather_by_hand, "a root that hears from all"},
                    {gather_parts, "arrays as long as the ranks"}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct study study = {0};
        for (uint32_t ranks = 1; ranks <= 8; ranks *= 2)
            for (int64_t n = 8; n <= 32; n += 12)
                add_run(&study, programs[i].program, size_of(n, 2 + ranks % 3, ranks));
        forecasts(&study, programs[i].program, size_of(100, 5, 12), programs[i].name);
        forecasts(&study, programs[i].program, size_of(20, 4, 16), programs[i].name);
        forecasts(&study, programs[i].program, size_of(20, 3, 1), programs[i].name);
        study_fini(&study);
    }
}

/* Corners, edges, faces and the inside of a block, each by its side. */
static void test_classes(void)
{
    struct study study = {0};
    struct ft_job_laws laws = {0};
    struct ft_rank_classes classes = {0};
    struct ft_diag diag = {0};
    const struct ft_rank_size target = size_of(24, 3, 64);
    for (uint32_t ranks = 1; ranks <= 8; ranks *= 2)
        for (int64_t n = 8; n <= 16; n += 8)
            add_run(&study, halo, size_of(n, 3, ranks));
    const bool is_found = learn(&study, &target, &laws, &diag) == FT_OK &&
                          ft_rank_classes_find(&laws, &target, &classes, &diag) == FT_OK;
    tap_ok(is_found && classes.count == 27, "4 x 4 x 4 ranks are of %zu classes", classes.count);
    tap_ok(is_found && classes.of_rank[21] == classes.of_rank[42] &&
               classes.of_rank[0] != classes.of_rank[63],
           "all inside are alike, corners are not");
    ft_rank_classes_fini(&classes);
    ft_job_laws_fini(&laws);
    study_fini(&study);
}

/* ---- what is not ---- */

static void test_refusals(void)
{
    struct study study = {0};
    for (uint32_t ranks = 1; ranks <= 8; ranks *= 2)
        add_run(&study, butterfly, size_of(8, 1, ranks));
    refuses(&study, size_of(8, 1, 16), "no law", "partners in no grid");
    study_fini(&study);

    study = (struct study){0};
    for (uint32_t ranks = 1; ranks <= 16; ranks *= 2)
        for (int64_t n = 8; n <= 16; n += 4)
            add_run(&study, rows, size_of(n, 2 + n / 4 % 2, ranks));
    refuses(&study, size_of(24, 3, 12), "MPI_Sendrecv: no law", "peers in communicators of rows");
    study_fini(&study);

    study = (struct study){0};
    for (uint32_t ranks = 1; ranks <= 8; ranks *= 2)
        add_run(&study, halo, size_of(8, 1, ranks));
    refuses(&study, size_of(16, 1, 12), "N is the same", "one size alone");
    study_fini(&study);

    study = (struct study){0};
    for (uint32_t ranks = 1; ranks <= 4; ranks *= 2)
        for (int64_t n = 8; n <= 16; n += 4)
            add_run(&study, halo, size_of(n, 1 + n / 4 % 2, ranks));
    refuses(&study, size_of(24, 2, 12), "2 or 3 directions", "a third direction never seen");
    study_fini(&study);

    study = (struct study){0};
    add_run(&study, chain, size_of(8, 2, 2));
    add_run(&study, chain, size_of(16, 2, 2));
    add_run(&study, chain, size_of(24, 2, 1));
    refuses(&study, size_of(8, 2, 5), "inside in x", "no rank with two neighbours");
    study_fini(&study);
}

int main(void)
{
    test_halo();
    test_uneven_blocks();
    test_periodic();
    test_one_direction();
    test_recorded_grid();
    test_classes();
    test_refusals();
    return tap_plan_done();
}
