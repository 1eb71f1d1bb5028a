/*
 * A rank whose helper threads compute as much as the one that calls MPI.
 */
#include <mpi.h>
#include <pthread.h>

enum { HELPERS = 3, STEPS = 1000000 };
static volatile double sums[HELPERS + 1];

static void *compute(void *context)
{
    double sum = 0;
    for (int i = 1; i < STEPS; i++)
        sum += 1.0 / i;
    *(volatile double *)context = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t helpers[HELPERS];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < HELPERS; i++)
        pthread_create(&helpers[i], NULL, compute, (void *)&sums[i]);
    compute((void *)&sums[HELPERS]);
    for (int i = 0; i < HELPERS; i++)
        pthread_join(helpers[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
