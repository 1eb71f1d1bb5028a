/*
 * Ranks of a parallel job: each fills an array and gives its sum to all others.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static double values[10000];
    double sum = 0, total = 0;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 10000; i++)
        values[i] = i * rank;
    for (int i = 0; i < 10000; i++)
        sum += values[i];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks: %g\n", ranks, total);
    MPI_Finalize();
    return 0;
}
