/*
 * usage: mpirun -n RANKS halo [N [STEPS]]
 *
 * A 7-point Jacobi iteration on N x N x N points in blocks, one a rank (MPI): each step exchanges
 * the faces of the blocks with their neighbours, by datatypes that pick them out of the array, and
 * every step adds up the change of all. Ranks with the same place in the first direction form
 * planes, which gather a sum at the end. With MPI's compiler: mpicc -O2 halo.c -o halo
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIMENSIONS = 3, FACES = 2 * DIMENSIONS };

/* A rank's block with one layer of its neighbours' points around it. */
struct block {
    MPI_Comm grid;
    int first[DIMENSIONS],
        size[DIMENSIONS]; /* without the layer; the last direction is contiguous */
    size_t row, plane;
    double *now, *next;
    int neighbour[FACES]; /* before and behind in each direction */
    MPI_Datatype face[DIMENSIONS];
};

static size_t at(const struct block *block, int x, int y, int z)
{
    return (size_t)x * block->plane + (size_t)y * block->row + (size_t)z;
}

static void divide(int points, int parts, int part, int *ret_first, int *ret_size)
{
    *ret_first = (int)((long)points * part / parts);
    *ret_size = (int)((long)points * (part + 1) / parts) - *ret_first;
}

static void make_faces(struct block *block)
{
    const int *size = block->size;
    MPI_Datatype line;
    MPI_Type_vector(size[1], size[2], (int)block->row, MPI_DOUBLE, &block->face[0]);
    MPI_Type_vector(size[0], size[2], (int)block->plane, MPI_DOUBLE, &block->face[1]);
    MPI_Type_vector(size[1], 1, (int)block->row, MPI_DOUBLE, &line);
    MPI_Type_create_hvector(size[0], 1, (MPI_Aint)(block->plane * sizeof(double)), line,
                            &block->face[2]);
    for (int d = 0; d < DIMENSIONS; d++)
        MPI_Type_commit(&block->face[d]);
    MPI_Type_free(&line);
}

static void create(struct block *block, int points)
{
    int ranks, rank, parts[DIMENSIONS] = {0}, open[DIMENSIONS] = {0}, part[DIMENSIONS];
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, DIMENSIONS, parts);
    MPI_Cart_create(MPI_COMM_WORLD, DIMENSIONS, parts, open, 0, &block->grid);
    MPI_Comm_rank(block->grid, &rank);
    MPI_Cart_coords(block->grid, rank, DIMENSIONS, part);
    for (int d = 0; d < DIMENSIONS; d++) {
        divide(points, parts[d], part[d], &block->first[d], &block->size[d]);
        MPI_Cart_shift(block->grid, d, 1, &block->neighbour[2 * d], &block->neighbour[2 * d + 1]);
    }
    block->row = (size_t)block->size[2] + 2;
    block->plane = block->row * ((size_t)block->size[1] + 2);
    block->now = calloc(block->plane * ((size_t)block->size[0] + 2), sizeof(double));
    block->next = calloc(block->plane * ((size_t)block->size[0] + 2), sizeof(double));
    make_faces(block);
}

static void exchange(struct block *block)
{
    MPI_Request requests[2 * FACES];
    for (int face = 0; face < FACES; face++) {
        int d = face / 2, is_behind = face % 2, inside[DIMENSIONS] = {1, 1, 1}, outside[DIMENSIONS];
        inside[d] = is_behind ? block->size[d] : 1;
        for (int i = 0; i < DIMENSIONS; i++)
            outside[i] = inside[i];
        outside[d] += is_behind ? 1 : -1;
        MPI_Irecv(block->now + at(block, outside[0], outside[1], outside[2]), 1, block->face[d],
                  block->neighbour[face], d, block->grid, &requests[2 * face]);
        MPI_Isend(block->now + at(block, inside[0], inside[1], inside[2]), 1, block->face[d],
                  block->neighbour[face], d, block->grid, &requests[2 * face + 1]);
    }
    MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
}

/* One step; returns the change of the block. */
static double sweep(struct block *block)
{
    double change = 0;
    for (int x = 1; x <= block->size[0]; x++)
        for (int y = 1; y <= block->size[1]; y++)
            for (int z = 1; z <= block->size[2]; z++) {
                const double *p = block->now + at(block, x, y, z);
                double mean = (p[1] + p[-1] + p[block->row] + p[-(long)block->row] +
                               p[block->plane] + p[-(long)block->plane]) /
                              6;
                block->next[at(block, x, y, z)] = mean;
                change += (mean - *p) * (mean - *p);
            }
    double *swap = block->now;
    block->now = block->next;
    block->next = swap;
    return change;
}

static double sum_of(const struct block *block)
{
    double sum = 0;
    for (int x = 1; x <= block->size[0]; x++)
        for (int y = 1; y <= block->size[1]; y++)
            for (int z = 1; z <= block->size[2]; z++)
                sum += block->now[at(block, x, y, z)];
    return sum;
}

int main(int argc, char **argv)
{
    struct block block;
    int rank, input[2] = {0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        input[0] = argc > 1 ? atoi(argv[1]) : 24;
        input[1] = argc > 2 ? atoi(argv[2]) : 4;
    }
    MPI_Bcast(input, 2, MPI_INT, 0, MPI_COMM_WORLD);
    create(&block, input[0]);
    for (int x = 1; x <= block.size[0]; x++)
        for (int y = 1; y <= block.size[1]; y++)
            for (int z = 1; z <= block.size[2]; z++)
                block.now[at(&block, x, y, z)] = 1 + (block.first[0] + x) % 3 +
                                                 (block.first[1] + y) % 5 +
                                                 (block.first[2] + z) % 7;
    double total = 0;
    for (int step = 0; step < input[1]; step++) {
        exchange(&block);
        double change = sweep(&block);
        MPI_Allreduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Comm planes;
    int in_plane;
    MPI_Comm_split(MPI_COMM_WORLD, block.first[0], -rank, &planes);
    MPI_Comm_size(planes, &in_plane);
    double sum = sum_of(&block), *sums = calloc((size_t)in_plane, sizeof(double));
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, 0, planes);
    if (rank == 0)
        printf("%d x %d x %d points, %d steps: the last changed them by %.10g\n", input[0],
               input[0], input[0], input[1], total);
    MPI_Finalize();
    free(sums);
    free(block.now);
    free(block.next);
    return 0;
}
