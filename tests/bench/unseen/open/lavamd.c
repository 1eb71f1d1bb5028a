/*
 * lavamd [B]: forces between particles in B x B x B boxes of 40, each with those of its own and
 * the 26 boxes around it, which a list of each box names; as in Rodinia.
 */
#include "tests/bench/unseen/code.h"
#include <math.h>

enum { PER_BOX = 40, NEIGHBOURS = 26 };

typedef struct {
    double v, x, y, z;
} vector;

typedef struct {
    int number, offset, neighbours;
    struct {
        int number, offset;
    } neighbour[NEIGHBOURS];
} box;

int main(int argc, char **argv)
{
    int side = (int)sample_number(argc, argv, 1, 1, 4), boxes = side * side * side, filled = 0;
    box *all = code_malloc((size_t)boxes, sizeof *all);
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            for (int k = 0; k < side; k++) {
                box *own = &all[filled];
                own->number = filled;
                own->offset = filled++ * PER_BOX;
                own->neighbours = 0;
                for (int l = -1; l < 2; l++)
                    for (int m = -1; m < 2; m++)
                        for (int n = -1; n < 2; n++) {
                            int x = i + l, y = j + m, z = k + n;
                            if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || z >= side ||
                                (!l && !m && !n))
                                continue;
                            int number = (x * side + y) * side + z;
                            own->neighbour[own->neighbours].number = number;
                            own->neighbour[own->neighbours++].offset = number * PER_BOX;
                        }
            }
    size_t count = (size_t)boxes * PER_BOX;
    vector *at = code_malloc(count, sizeof *at), *force = code_calloc(count, sizeof *force);
    double *charge = code_malloc(count, sizeof *charge);
    uint64_t random = 2;
    for (size_t i = 0; i < count; i++) {
        at[i] = (vector){code_uniform(&random), code_uniform(&random), code_uniform(&random),
                         code_uniform(&random)};
        charge[i] = code_uniform(&random);
    }
    for (int b = 0; b < boxes; b++) {
        const vector *own = at + all[b].offset;
        vector *sum = force + all[b].offset;
        for (int k = 0; k <= all[b].neighbours; k++) {
            int first = k ? all[b].neighbour[k - 1].offset : all[b].offset;
            for (int i = 0; i < PER_BOX; i++)
                for (int j = 0; j < PER_BOX; j++) {
                    const vector *other = at + first + j;
                    double r2 = own[i].v + other->v -
                                (own[i].x * other->x + own[i].y * other->y + own[i].z * other->z);
                    double vij = exp(-0.5 * r2), fs = 2 * vij;
                    sum[i].v += charge[first + j] * vij;
                    sum[i].x += charge[first + j] * fs * (own[i].x - other->x);
                    sum[i].y += charge[first + j] * fs * (own[i].y - other->y);
                    sum[i].z += charge[first + j] * fs * (own[i].z - other->z);
                }
        }
    }
    printf("lavamd: %g\n", force[count / 2].v);
    free(all);
    free(at);
    free(force);
    free(charge);
}
