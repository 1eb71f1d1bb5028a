/*
 * Calls of functions that have the names and arguments of MPI's, with MPICH's handles, constants
 * and statuses, and return as if it were rank 1 of 3: for a small trace with details of calls, and
 * for tests where no MPI is installed. As a program without libraries: gcc -O1 -g -nostdlib -static
 * -fno-stack-protector -I ../.. mpi_calls.c
 */
#include "tests/support/freestanding.h"

#define MPI __attribute__((noipa))

enum {
    WORLD = 0x44000000,
    SELF = 0x44000001,
    PART = (int)0x84000002,
    INT = 0x4c000405,
    DOUBLE = 0x4c00080b,
    VECTOR = (int)0x8c000010,
    PAIRS = (int)0x8c000011,
    SUM = 0x58000003,
    NONE = -1,
    ANY = -2,
    REQUEST = (int)0x98000000,
    PERSISTENT = (int)0x98000010
};
struct status {
    int low, high, source, tag, error;
};
#define IGNORE   ((struct status *)1)
#define IN_PLACE ((void *)-1)

static double values[64];
static volatile int spins;

/* What runs inside a call is not in the trace. */
static int inside(void)
{
    for (int i = 0; i < 1000; i++)
        spins++;
    return 0;
}

MPI int MPI_Comm_rank(int communicator, int *rank)
{
    *rank = communicator == WORLD ? 1 : 0;
    return inside();
}
MPI int MPI_Comm_size(int communicator, int *size)
{
    *size = communicator == WORLD ? 3 : 2;
    return inside();
}
MPI int MPI_Comm_split(int communicator, int colour, int key, int *made)
{
    (void)communicator, (void)colour, (void)key;
    *made = PART;
    return inside();
}
MPI int MPI_Type_vector(int count, int length, int stride, int old, int *made)
{
    (void)count, (void)length, (void)stride, (void)old;
    *made = VECTOR;
    return inside();
}
MPI int MPI_Type_create_struct(int count, const int *lengths, const long *places, const int *types,
                               int *made)
{
    (void)count, (void)lengths, (void)places, (void)types;
    *made = PAIRS;
    return inside();
}
MPI int MPI_Send(const void *buffer, int count, int type, int to, int tag, int communicator)
{
    (void)buffer, (void)count, (void)type, (void)to, (void)tag, (void)communicator;
    return inside();
}
MPI int PMPI_Recv(void *buffer, int count, int type, int from, int tag, int communicator,
                  struct status *status)
{
    (void)buffer, (void)count, (void)type, (void)from, (void)tag, (void)communicator;
    *status = (struct status){24, 0, 2, 5, 0};
    return inside();
}
MPI int MPI_Isend(const void *buffer, int count, int type, int to, int tag, int communicator,
                  int *request)
{
    (void)buffer, (void)count, (void)type, (void)to, (void)communicator;
    *request = REQUEST + tag;
    return inside();
}
MPI int MPI_Irecv(void *buffer, int count, int type, int from, int tag, int communicator,
                  int *request)
{
    (void)buffer, (void)count, (void)type, (void)from, (void)communicator;
    *request = REQUEST + tag;
    return inside();
}
MPI int MPI_Recv_init(void *buffer, int count, int type, int from, int tag, int communicator,
                      int *request)
{
    (void)buffer, (void)count, (void)type, (void)from, (void)tag, (void)communicator;
    *request = PERSISTENT;
    return inside();
}
MPI int MPI_Start(int *request)
{
    (void)request;
    return inside();
}
MPI int MPI_Test(int *request, int *flag, struct status *status)
{
    (void)request, (void)status;
    *flag = 0;
    return inside();
}
MPI int MPI_Wait(int *request, struct status *status)
{
    (void)request;
    *status = (struct status){16, 0, 0, 9, 0};
    return inside();
}
MPI int MPI_Waitsome(int count, int *requests, int *done, int *indices, struct status *statuses)
{
    (void)count, (void)requests;
    *done = 1;
    indices[0] = 1;
    statuses[0] = (struct status){8, 0, 2, 4, 0};
    return inside();
}
MPI int MPI_Waitall(int count, int *requests, struct status *statuses)
{
    (void)count, (void)requests, (void)statuses;
    return inside();
}
MPI int MPI_Allreduce(const void *from, void *to, int count, int type, int operation,
                      int communicator)
{
    (void)from, (void)to, (void)count, (void)type, (void)operation, (void)communicator;
    return inside();
}
MPI int MPI_Gatherv(const void *from, int count, int type, void *to, const int *counts,
                    const int *places, int to_type, int root, int communicator)
{
    (void)from, (void)count, (void)type, (void)to, (void)counts, (void)places, (void)to_type;
    (void)root, (void)communicator;
    return inside();
}
MPI int MPI_Win_fence(int assertion, int window) /* by name only */
{
    (void)assertion, (void)window;
    return inside();
}

static void run(void)
{
    static const int lengths[2] = {2, 3}, types[2] = {INT, DOUBLE}, counts[3] = {1, 2, 3};
    static const int places[3] = {0, 1, 3};
    static const long offsets[2] = {0, 8};
    int rank, size, part, vector, pairs, requests[3], persistent, flag, done, indices[3];
    struct status status, statuses[3];
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    MPI_Comm_split(WORLD, 0, -rank, &part);
    MPI_Type_vector(3, 2, 4, DOUBLE, &vector);
    MPI_Type_create_struct(2, lengths, offsets, types, &pairs);
    MPI_Send(values, 1, vector, 0, 7, part);
    MPI_Send(values, 5, PAIRS + 1, 0, 7, WORLD); /* a datatype that nobody made */
    PMPI_Recv(values, 8, INT, ANY, -1, WORLD, &status);
    MPI_Isend(values, 2, pairs, 2, 3, WORLD, &requests[0]);
    MPI_Irecv(values, 4, DOUBLE, ANY, 4, WORLD, &requests[1]);
    MPI_Isend(values, 1, INT, NONE, 5, WORLD, &requests[2]);
    for (int i = 0; i < 10; i++)
        values[i] += rank;
    MPI_Waitsome(3, requests, &done, indices, statuses);
    requests[1] = 0x2c000000; /* MPI_REQUEST_NULL */
    MPI_Waitall(3, requests, IGNORE);
    MPI_Recv_init(values, 4, DOUBLE, 0, 9, WORLD, &persistent);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&persistent);
        MPI_Test(&persistent, &flag, &status);
        MPI_Wait(&persistent, &status);
    }
    MPI_Allreduce(IN_PLACE, values, 2, DOUBLE, SUM, SELF);
    MPI_Gatherv(values, 2, DOUBLE, values + 8, counts, places, DOUBLE, 1, WORLD);
    MPI_Win_fence(0, 0);
    sample_exit(0);
}

SAMPLE_START(run)
