/*
 * usage: mpirun -n RANKS rank_laws_sample ring|sums|rows|files N STEPS
 *
 * Each step either sends a block of N numbers all around a ring of ranks, or adds up N numbers of
 * all ranks, or gives N numbers to the neighbours in two rows of ranks, a grid that MPI_Dims_create
 * would not make, or writes N numbers by MPI's I/O, and 100 bytes by the system.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double touch(double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i] = values[i] / 2 + i;
    return sum;
}

static void exchange_in_rows(double *values, double *others, int count, int ranks, int steps)
{
    const int parts[2] = {ranks > 1 ? 2 : 1, ranks > 1 ? ranks / 2 : 1}, wraps[2] = {0, 0};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, parts, wraps, 0, &grid);
    for (int step = 0; step < steps; step++)
        for (int direction = 0; direction < 2; direction++) {
            int before, behind;
            MPI_Cart_shift(grid, direction, 1, &before, &behind);
            MPI_Sendrecv(values, count * (1 + direction), MPI_DOUBLE, behind, direction, others,
                         count * (1 + direction), MPI_DOUBLE, before, direction, grid,
                         MPI_STATUS_IGNORE);
        }
}

static int write_files(const double *values, int count, int rank, int steps)
{
    static const char line[100];
    MPI_File file;
    int status = 0;
    MPI_File_open(MPI_COMM_WORLD, "written", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &file);
    MPI_File_set_view(file, (MPI_Offset)rank * count * 8, MPI_DOUBLE, MPI_DOUBLE, "native",
                      MPI_INFO_NULL);
    for (int step = 0; step < steps; step++) {
        MPI_File_write_all(file, values, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        status |= write(STDERR_FILENO, line, sizeof line) < 0;
    }
    MPI_File_close(&file);
    return status;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    const int count = argc > 3 ? atoi(argv[2]) : 8, steps = argc > 3 ? atoi(argv[3]) : 1;
    double *values = calloc(2 * (size_t)count, sizeof *values);
    double *others = calloc(2 * (size_t)count, sizeof *others);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int has_rows = argc > 1 && strcmp(argv[1], "rows") == 0;
    if (has_rows)
        exchange_in_rows(values, others, count, ranks, steps);
    if (argc > 1 && strcmp(argv[1], "files") == 0 && write_files(values, count, rank, steps))
        return 1;
    for (int step = 0; step < steps && !has_rows; step++) {
        touch(values, count);
        if (argc > 1 && strcmp(argv[1], "sums") == 0)
            MPI_Allreduce(values, others, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 1; i < ranks && argc > 1 && strcmp(argv[1], "ring") == 0; i++) {
            MPI_Sendrecv(values, count, MPI_DOUBLE, (rank + 1) % ranks, 0, others, count,
                         MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            touch(others, count);
        }
    }
    MPI_Finalize();
    free(values);
    free(others);
    return 0;
}
