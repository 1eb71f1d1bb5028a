/*
 * paths [NODES [ROUNDS]]: shortest paths between all pairs by Floyd & Warshall in tiles of 32 x 32
 * (Venkataraman et al. 2003), in an array whose rows have room for 512 nodes.
 */
#include "tests/bench/unseen/code.h"

enum { ROOM = 512, TILE = 32 };

static float length[ROOM][ROOM];

static void draw(size_t nodes, uint64_t *random)
{
    for (size_t i = 0; i < nodes; i++) {
        for (size_t j = 0; j < nodes; j++)
            length[i][j] = code_uniform(random) < 0.2 ? (float)code_uniform(random) : 100.0f;
        length[i][i] = 0;
    }
}

/* Paths from the rows of a tile to its columns, through the nodes of another. */
static void relax(size_t row, size_t column, size_t through)
{
    for (size_t k = through; k < through + TILE; k++) {
        for (size_t i = row; i < row + TILE; i++) {
            float first = length[i][k];
            for (size_t j = column; j < column + TILE; j++) {
                float other = first + length[k][j];
                length[i][j] = other < length[i][j] ? other : length[i][j];
            }
        }
    }
}

static void find_paths(size_t nodes)
{
    for (size_t k = 0; k < nodes; k += TILE) {
        relax(k, k, k);
        for (size_t j = 0; j < nodes; j += TILE)
            if (j != k)
                relax(k, j, k);
        for (size_t i = 0; i < nodes; i += TILE) {
            if (i == k)
                continue;
            relax(i, k, k);
            for (size_t j = 0; j < nodes; j += TILE)
                if (j != k)
                    relax(i, j, k);
        }
    }
}

int main(int argc, char **argv)
{
    size_t nodes = sample_number(argc, argv, 1, 1, 256);
    size_t rounds = sample_number(argc, argv, 2, 1, 1);
    if (nodes > ROOM || nodes % TILE) {
        fprintf(stderr, "%s: %zu: a multiple of %d up to %d is needed\n", argv[0], nodes, TILE,
                ROOM);
        return 2;
    }
    uint64_t random = 107;
    double sum = 0;
    for (size_t r = 0; r < rounds; r++) {
        draw(nodes, &random);
        find_paths(nodes);
        for (size_t i = 0; i < nodes; i++)
            for (size_t j = 0; j < nodes; j++)
                sum += length[i][j];
    }
    printf("paths: mean length = %.6f\n", sum / (double)(rounds * nodes * nodes));
}
