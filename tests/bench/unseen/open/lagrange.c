/*
 * lagrange [N [STEPS]]: unstructured Lagrangian hydrodynamics on 2 N^2 triangles whose nodes move
 * with the gas. Nodes and triangles are numbered at random, as a mesh generator leaves them; each
 * step takes its corner forces from memory that it allocates and frees.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

struct mesh {
    size_t nodes, cells;
    int (*corner)[3];                    /* the nodes of a cell */
    int *first_corner, *corners_of_node; /* 3 * cell + k of all corners at a node */
    double *x, *y, *u, *v, *mass;        /* of nodes */
    double *area, *energy, *cell_mass;   /* of cells */
};

static int *permutation(size_t count, uint64_t *random)
{
    int *order = code_malloc(count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (int)i;
    for (size_t i = count; i > 1; i--) {
        size_t other = sample_random_below(random, i);
        int kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    return order;
}

static double triangle_area(const struct mesh *mesh, const int *corner)
{
    const double *x = mesh->x, *y = mesh->y;
    return 0.5 * ((x[corner[1]] - x[corner[0]]) * (y[corner[2]] - y[corner[0]]) -
                  (x[corner[2]] - x[corner[0]]) * (y[corner[1]] - y[corner[0]]));
}

static void place(struct mesh *mesh, size_t n, uint64_t *random)
{
    int *node = permutation(mesh->nodes, random), *cell = permutation(mesh->cells, random);
    size_t side = n + 1;
    for (size_t i = 0; i < mesh->nodes; i++) {
        mesh->x[node[i]] = (double)(i % side) / (double)n;
        mesh->y[node[i]] = (double)(i / side) / (double)n;
    }
    for (size_t q = 0; q < n * n; q++) {
        size_t low = q / n * side + q % n;
        int *lower = mesh->corner[cell[2 * q]], *upper = mesh->corner[cell[2 * q + 1]];
        lower[0] = node[low], lower[1] = node[low + 1], lower[2] = node[low + side];
        upper[0] = node[low + 1], upper[1] = node[low + side + 1], upper[2] = node[low + side];
    }
    free(node);
    free(cell);
}

/* The corners at each node, and masses of gas of density 1. */
static void connect(struct mesh *mesh)
{
    for (size_t c = 0; c < mesh->cells; c++)
        for (int k = 0; k < 3; k++)
            mesh->first_corner[mesh->corner[c][k] + 1]++;
    for (size_t i = 0; i < mesh->nodes; i++)
        mesh->first_corner[i + 1] += mesh->first_corner[i];
    int *filled = code_calloc(mesh->nodes, sizeof *filled);
    for (size_t c = 0; c < mesh->cells; c++) {
        mesh->cell_mass[c] = triangle_area(mesh, mesh->corner[c]);
        mesh->energy[c] = mesh->x[mesh->corner[c][0]] < 0.5 ? 2.5 : 1.0;
        for (int k = 0; k < 3; k++) {
            int node = mesh->corner[c][k];
            mesh->corners_of_node[mesh->first_corner[node] + filled[node]++] = 3 * (int)c + k;
            mesh->mass[node] += mesh->cell_mass[c] / 3;
        }
    }
    free(filled);
}

static struct mesh create(size_t n)
{
    size_t nodes = (n + 1) * (n + 1), cells = 2 * n * n;
    struct mesh mesh = {.nodes = nodes, .cells = cells};
    mesh.corner = code_malloc(cells, sizeof *mesh.corner);
    mesh.first_corner = code_calloc(nodes + 1, sizeof(int));
    mesh.corners_of_node = code_malloc(3 * cells, sizeof(int));
    double **of_nodes[] = {&mesh.x, &mesh.y, &mesh.u, &mesh.v, &mesh.mass};
    double **of_cells[] = {&mesh.area, &mesh.energy, &mesh.cell_mass};
    for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes; i++)
        *of_nodes[i] = code_calloc(nodes, sizeof(double));
    for (size_t i = 0; i < sizeof of_cells / sizeof *of_cells; i++)
        *of_cells[i] = code_calloc(cells, sizeof(double));
    uint64_t random = 11;
    place(&mesh, n, &random);
    connect(&mesh);
    return mesh;
}

/* Pressure pushes each corner away along the normal of the edge opposite to it. */
static void corner_forces(struct mesh *mesh, double (*force)[2])
{
    for (size_t c = 0; c < mesh->cells; c++) {
        const int *corner = mesh->corner[c];
        mesh->area[c] = triangle_area(mesh, corner);
        double pressure = 0.4 * mesh->energy[c] * mesh->cell_mass[c] / mesh->area[c];
        for (int k = 0; k < 3; k++) {
            int next = corner[(k + 1) % 3], last = corner[(k + 2) % 3];
            force[3 * c + k][0] = 0.5 * pressure * (mesh->y[next] - mesh->y[last]);
            force[3 * c + k][1] = 0.5 * pressure * (mesh->x[last] - mesh->x[next]);
        }
    }
}

static void move(struct mesh *mesh, double (*force)[2], double seconds)
{
    for (size_t i = 0; i < mesh->nodes; i++) {
        double fx = 0, fy = 0;
        for (int k = mesh->first_corner[i]; k < mesh->first_corner[i + 1]; k++) {
            fx += force[mesh->corners_of_node[k]][0];
            fy += force[mesh->corners_of_node[k]][1];
        }
        int inside = mesh->first_corner[i + 1] - mesh->first_corner[i] == 6;
        mesh->u[i] += inside * seconds * fx / mesh->mass[i];
        mesh->v[i] += inside * seconds * fy / mesh->mass[i];
        mesh->x[i] += seconds * mesh->u[i];
        mesh->y[i] += seconds * mesh->v[i];
    }
}

static void step(struct mesh *mesh, double seconds)
{
    double(*force)[2] = code_malloc(3 * mesh->cells, sizeof *force);
    double *old_area = code_malloc(mesh->cells, sizeof *old_area);
    corner_forces(mesh, force);
    for (size_t c = 0; c < mesh->cells; c++)
        old_area[c] = mesh->area[c];
    move(mesh, force, seconds);
    for (size_t c = 0; c < mesh->cells; c++) {
        double area = triangle_area(mesh, mesh->corner[c]);
        mesh->energy[c] *= 1 - 0.4 * (area - old_area[c]) / old_area[c];
    }
    free(force);
    free(old_area);
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 100);
    size_t steps = sample_number(argc, argv, 2, 1, 10);
    struct mesh mesh = create(n);
    for (size_t s = 0; s < steps; s++)
        step(&mesh, 0.02 / (double)n);
    double energy = 0;
    for (size_t c = 0; c < mesh.cells; c++)
        energy += mesh.energy[c] * mesh.cell_mass[c];
    printf("lagrange: internal energy = %.9f\n", energy);
    double *arrays[] = {mesh.x,    mesh.y,    mesh.u,      mesh.v,
                        mesh.mass, mesh.area, mesh.energy, mesh.cell_mass};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(mesh.corner);
    free(mesh.first_corner);
    free(mesh.corners_of_node);
}
