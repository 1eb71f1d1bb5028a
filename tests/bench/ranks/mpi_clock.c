/*
 * To be loaded before the MPI library (LD_PRELOAD): measures the CPU time that the calling thread
 * spends outside of MPI, from MPI_Init to MPI_Finalize, and prints it with its rank: "cpu 3
 * 0.0125". What reading the clock takes between two calls is measured first, and left out.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double outside, left, clock_seconds;
static long depth, gaps;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Calls inside of calls are part of these. */
static void enter(void)
{
    if (depth++ > 0)
        return;
    outside += now() - left;
    gaps++;
}

static void leave(void)
{
    if (--depth == 0)
        left = now();
}

static void begin(void)
{
    enum { READINGS = 1000 };
    clock_seconds = 1;
    for (int i = 0; i < READINGS; i++) {
        const double before = now(), between = now() - before;
        clock_seconds = between < clock_seconds ? between : clock_seconds;
    }
    left = now();
}

int MPI_Init(int *count, char ***arguments)
{
    const int result = PMPI_Init(count, arguments);
    begin();
    return result;
}

#define MEASURED(name, parameters, arguments)                                                      \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        enter();                                                                                   \
        const int result = PMPI_##name arguments;                                                  \
        leave();                                                                                   \
        return result;                                                                             \
    }

MEASURED(Comm_rank, (MPI_Comm of, int *rank), (of, rank))
MEASURED(Comm_size, (MPI_Comm of, int *size), (of, size))
MEASURED(Comm_split, (MPI_Comm of, int colour, int key, MPI_Comm *made), (of, colour, key, made))
MEASURED(Cart_create,
         (MPI_Comm of, int directions, const int *parts, const int *wraps, int reorder,
          MPI_Comm *made),
         (of, directions, parts, wraps, reorder, made))
MEASURED(Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm in),
         (data, count, type, root, in))
MEASURED(Allreduce,
         (const void *from, void *to, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm in),
         (from, to, count, type, operation, in))
MEASURED(Gather,
         (const void *from, int count, MPI_Datatype type, void *to, int to_count,
          MPI_Datatype to_type, int root, MPI_Comm in),
         (from, count, type, to, to_count, to_type, root, in))
MEASURED(Irecv,
         (void *to, int count, MPI_Datatype type, int source, int tag, MPI_Comm in,
          MPI_Request *request),
         (to, count, type, source, tag, in, request))
MEASURED(Isend,
         (const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm in,
          MPI_Request *request),
         (from, count, type, to, tag, in, request))
MEASURED(Waitall, (int count, MPI_Request *requests, MPI_Status *statuses),
         (count, requests, statuses))

int MPI_Finalize(void)
{
    int rank;
    enter();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int result = PMPI_Finalize();
    fprintf(stderr, "cpu %d %.9f\n", rank, outside - (double)gaps * clock_seconds);
    return result;
}
