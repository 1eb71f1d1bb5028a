/*
 * usage: mpirun -n RANKS rank_laws_sample ring|sums N STEPS
 *
 * Each step either sends a block of N numbers all around a ring of ranks, or adds up N numbers of
 * all ranks.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static double touch(double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i] = values[i] / 2 + i;
    return sum;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    const int count = argc > 3 ? atoi(argv[2]) : 8, steps = argc > 3 ? atoi(argv[3]) : 1;
    double *values = calloc((size_t)count, sizeof *values);
    double *others = calloc((size_t)count, sizeof *others);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < steps; step++) {
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
