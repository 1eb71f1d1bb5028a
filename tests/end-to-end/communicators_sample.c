/*
 * usage: mpirun -n 8 communicators_sample [FILE]
 *
 * Communicators made in every way that captures follow, each with a message from its rank 0 to its
 * last rank and a sum over all; its numbers of bytes tell them apart. With FILE: MPI's I/O instead.
 */
#include <mpi.h>
#include <stdlib.h>

static char buffer[100000];

/* So many bytes from the first to the last rank, and added up. */
static void use(MPI_Comm communicator, int bytes)
{
    int rank, size;
    char sum[400];
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &size);
    if (rank == 0)
        MPI_Send(buffer, bytes, MPI_BYTE, size - 1, 0, communicator);
    if (rank == size - 1)
        MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, communicator, MPI_STATUS_IGNORE);
    MPI_Allreduce(buffer, sum, bytes, MPI_BYTE, MPI_BOR, communicator);
}

/* Columns and rows of a grid of 4 x 2. */
static void use_grids(void)
{
    MPI_Comm grid, copy, part;
    const int parts[2] = {4, 2}, wraps[2] = {1, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, parts, wraps, 0, &grid);
    MPI_Comm_dup(grid, &copy);
    MPI_Cart_sub(copy, (const int[]){1, 0}, &part);
    use(part, 1);
    MPI_Cart_sub(copy, (const int[]){0, 1}, &part);
    use(part, 2);
}

static void use_groups(int rank)
{
    MPI_Comm made;
    MPI_Group all, evens, low, odds, some;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, (int[][3]){{6, 0, -2}}, &evens);
    MPI_Group_difference(all, evens, &odds);
    MPI_Group_incl(all, 3, (const int[]){5, 2, 0}, &low);
    MPI_Comm_create(MPI_COMM_WORLD, rank % 2 ? odds : evens, &made);
    use(made, 3);
    MPI_Group_union(low, odds, &some); /* 5 2 0 1 3 7 */
    MPI_Group_excl(some, 1, (const int[]){0}, &some);
    if (rank == 0 || rank == 1 || rank == 2 || rank == 3 || rank == 7) {
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &made);
        use(made, 4);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Group_intersection(evens, low, &some); /* 2 0 as evens has them */
    MPI_Comm_create(MPI_COMM_WORLD, some, &made);
    if (made != MPI_COMM_NULL)
        use(made, 5);
    MPI_Comm_create(MPI_COMM_WORLD, rank == 7 ? MPI_GROUP_EMPTY : evens, &made);
    if (made != MPI_COMM_NULL)
        use(made, 6);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &made);
    use(made, 7);
}

static void use_files(const char *name, int rank)
{
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, (MPI_Offset)rank * 80000, buffer, 10000, MPI_DOUBLE, &status);
    if (rank == 3)
        MPI_File_read_at(file, 0, buffer, 50000, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 3) {
        MPI_File_iwrite_at(file, 0, buffer, 20000, MPI_BYTE, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 2) {
        use_grids();
        use_groups(rank);
    } else {
        use_files(argv[1], rank);
    }
    MPI_Finalize();
    return 0;
}
