/*
 * As mpi_calls.c, with calls that make grids and groups, and of files: rank 1 of 4, with MPICH's
 * handles. As a program without libraries: gcc -O1 -g -nostdlib -static -fno-stack-protector
 * -I ../.. mpi_groups.c
 */
#include "tests/support/freestanding.h"

#define MPI __attribute__((noipa))

enum {
    WORLD = 0x44000000,
    GRID = (int)0x84000001,
    ROW = (int)0x84000002,
    SOME = (int)0x84000003,
    ALL = (int)0x88000000,
    EVEN = (int)0x88000001,
    REST = (int)0x88000002,
    EMPTY = 0x48000000,
    DOUBLE = 0x4c00080b
};
struct status {
    int low, high, source, tag, error;
};

static double values[64];
static int a_file;

MPI int MPI_Cart_create(int old, int directions, const int *parts, const int *wraps, int reorder,
                        int *made)
{
    (void)old, (void)directions, (void)parts, (void)wraps, (void)reorder;
    *made = GRID;
    return 0;
}
MPI int MPI_Cart_sub(int grid, const int *kept, int *made)
{
    (void)grid, (void)kept;
    *made = ROW;
    return 0;
}
MPI int MPI_Comm_group(int communicator, int *made)
{
    (void)communicator;
    *made = ALL;
    return 0;
}
MPI int MPI_Group_range_incl(int group, int count, int ranges[][3], int *made)
{
    (void)group, (void)count, (void)ranges;
    *made = EVEN;
    return 0;
}
MPI int MPI_Group_difference(int group, int other, int *made)
{
    (void)group, (void)other;
    *made = REST;
    return 0;
}
MPI int MPI_Group_incl(int group, int count, const int *ranks, int *made)
{
    (void)group, (void)count, (void)ranks;
    *made = EVEN; /* the handle is used again */
    return 0;
}
MPI int MPI_Comm_create(int old, int group, int *made)
{
    (void)old, (void)group;
    *made = 0x04000000; /* MPI_COMM_NULL */
    return 0;
}
MPI int MPI_Comm_create_group(int old, int group, int tag, int *made)
{
    (void)old, (void)group, (void)tag;
    *made = SOME;
    return 0;
}
MPI int MPI_File_open(int communicator, const char *name, int mode, int info, void **made)
{
    (void)communicator, (void)name, (void)mode, (void)info;
    *made = &a_file;
    return 0;
}
MPI int MPI_File_write_at_all(void *file, long offset, const void *from, int count, int type,
                              struct status *status)
{
    (void)file, (void)offset, (void)from, (void)type;
    *status = (struct status){.low = 8 * count - 8};
    return 0;
}
MPI int MPI_File_read(void *file, void *to, int count, int type, struct status *status)
{
    (void)file, (void)to, (void)count, (void)type, (void)status;
    return 0;
}
MPI int MPI_File_close(void **file)
{
    *file = 0;
    return 0;
}

static void run(void)
{
    static const int parts[2] = {2, 2}, wraps[2] = {0, 1}, kept[2] = {0, 1}, ranks[2] = {3, 1};
    static int ranges[1][3] = {{2, 0, -2}};
    struct status status;
    int grid, row, all, even, rest, some;
    void *file;
    MPI_Cart_create(WORLD, 2, parts, wraps, 1, &grid);
    MPI_Cart_sub(grid, kept, &row);
    MPI_Comm_group(grid, &all);
    MPI_Group_range_incl(all, 1, ranges, &even);
    MPI_Group_difference(all, even, &rest);
    MPI_Comm_create(WORLD, even, &some);
    MPI_Comm_create(WORLD, EMPTY, &some);
    MPI_Group_incl(all, 2, ranks, &even);
    MPI_Comm_create_group(WORLD, even, 7, &some);
    MPI_File_open(some, "name", 5, 0, &file);
    MPI_File_write_at_all(file, 800, values, 5, DOUBLE, &status);
    MPI_File_read(file, values, 3, DOUBLE, (struct status *)1);
    MPI_File_close(&file);
    sample_exit(0);
}

SAMPLE_START(run)
