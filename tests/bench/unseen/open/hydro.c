/*
 * hydro [N [STEPS]]: Lagrangian hydrodynamics on N x N x N hexahedra, in the manner of LULESH: a
 * table of eight nodes for each element, forces gathered by corners of nodes, and arrays that live
 * for a step.
 */
#include "tests/bench/unseen/code.h"
#include <math.h>

enum { CORNERS = 8 };

typedef struct {
    int elements, nodes;
    int *node_of, *first_corner, *corner;
    double *x, *y, *z, *xd, *yd, *zd, *fx, *fy, *fz, *mass;
    double *e, *p, *q, *v, *volume;
} mesh;

static double *values(int count)
{
    return code_malloc((size_t)count, sizeof(double));
}

static void build(mesh *m, int n)
{
    int edge = n + 1;
    m->elements = n * n * n;
    m->nodes = edge * edge * edge;
    m->node_of = code_malloc((size_t)m->elements * CORNERS, sizeof(int));
    m->corner = code_malloc((size_t)m->elements * CORNERS, sizeof(int));
    m->first_corner = code_calloc((size_t)m->nodes + 2, sizeof(int));
    m->x = values(m->nodes), m->y = values(m->nodes), m->z = values(m->nodes);
    m->xd = values(m->nodes), m->yd = values(m->nodes), m->zd = values(m->nodes);
    m->fx = values(m->nodes), m->fy = values(m->nodes), m->fz = values(m->nodes);
    m->mass = values(m->nodes);
    m->e = values(m->elements), m->p = values(m->elements), m->q = values(m->elements);
    m->v = values(m->elements), m->volume = values(m->elements);
    for (int i = 0, at = 0; i < edge; i++)
        for (int j = 0; j < edge; j++)
            for (int k = 0; k < edge; k++, at++) {
                m->x[at] = 1.125 * k / n, m->y[at] = 1.125 * j / n, m->z[at] = 1.125 * i / n;
                m->xd[at] = m->yd[at] = m->zd[at] = 0;
                m->mass[at] = 1;
            }
    int *list = m->node_of;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++, list += CORNERS) {
                int low = (i * edge + j) * edge + k, high = low + edge * edge;
                list[0] = low, list[1] = low + 1, list[2] = low + edge + 1, list[3] = low + edge;
                list[4] = high, list[5] = high + 1, list[6] = high + edge + 1;
                list[7] = high + edge;
            }
    for (int c = 0; c < m->elements * CORNERS; c++)
        m->first_corner[m->node_of[c] + 2]++;
    for (int i = 2; i < m->nodes + 2; i++)
        m->first_corner[i] += m->first_corner[i - 1];
    for (int c = 0; c < m->elements * CORNERS; c++)
        m->corner[m->first_corner[m->node_of[c] + 1]++] = c;
    for (int i = 0; i < m->elements; i++) {
        m->e[i] = i ? 0 : 3.9e7;
        m->p[i] = m->q[i] = 0;
        m->v[i] = m->volume[i] = 1;
    }
}

static void gather_forces(mesh *m)
{
    double *cx = values(m->elements * CORNERS), *cy = values(m->elements * CORNERS);
    double *cz = values(m->elements * CORNERS), *stress = values(m->elements);
    for (int i = 0; i < m->elements; i++)
        stress[i] = -m->p[i] - m->q[i];
    for (int i = 0; i < m->elements; i++) {
        const int *list = m->node_of + i * CORNERS;
        double x[CORNERS], y[CORNERS], z[CORNERS];
        for (int c = 0; c < CORNERS; c++)
            x[c] = m->x[list[c]], y[c] = m->y[list[c]], z[c] = m->z[list[c]];
        for (int c = 0; c < CORNERS; c++) {
            int next = (c + 1) % CORNERS, last = (c + CORNERS - 1) % CORNERS;
            cx[i * CORNERS + c] = stress[i] * (y[next] - y[last]) * (z[next] - z[last]);
            cy[i * CORNERS + c] = stress[i] * (z[next] - z[last]) * (x[next] - x[last]);
            cz[i * CORNERS + c] = stress[i] * (x[next] - x[last]) * (y[next] - y[last]);
        }
    }
    for (int i = 0; i < m->nodes; i++) {
        double fx = 0, fy = 0, fz = 0;
        for (int c = m->first_corner[i]; c < m->first_corner[i + 1]; c++) {
            fx += cx[m->corner[c]];
            fy += cy[m->corner[c]];
            fz += cz[m->corner[c]];
        }
        m->fx[i] = fx, m->fy[i] = fy, m->fz[i] = fz;
    }
    free(cx);
    free(cy);
    free(cz);
    free(stress);
}

static void move_nodes(mesh *m, double dt)
{
    for (int i = 0; i < m->nodes; i++) {
        m->xd[i] += dt * m->fx[i] / m->mass[i];
        m->yd[i] += dt * m->fy[i] / m->mass[i];
        m->zd[i] += dt * m->fz[i] / m->mass[i];
    }
    for (int i = 0; i < m->nodes; i++) {
        m->x[i] += dt * m->xd[i];
        m->y[i] += dt * m->yd[i];
        m->z[i] += dt * m->zd[i];
    }
}

static void update_elements(mesh *m)
{
    double *work = values(m->elements), *next = values(m->elements);
    for (int i = 0; i < m->elements; i++) {
        const int *list = m->node_of + i * CORNERS;
        next[i] = 1 + (m->x[list[6]] - m->x[list[0]]) * (m->y[list[6]] - m->y[list[0]]) *
                          (m->z[list[6]] - m->z[list[0]]);
    }
    for (int i = 0; i < m->elements; i++)
        work[i] = 0.5 * (m->p[i] + m->q[i]) * (next[i] - m->v[i]);
    for (int i = 0; i < m->elements; i++) {
        m->e[i] -= work[i];
        m->p[i] = 2.0 / 3 * m->e[i] / next[i];
        m->q[i] = next[i] < m->v[i] ? 0.1 * fabs(m->p[i]) : 0;
        m->v[i] = next[i];
    }
    free(work);
    free(next);
}

int main(int argc, char **argv)
{
    int n = (int)sample_number(argc, argv, 1, 1, 16);
    int steps = (int)sample_number(argc, argv, 2, 1, 3);
    mesh m;
    build(&m, n);
    for (int step = 0; step < steps; step++) {
        gather_forces(&m);
        move_nodes(&m, 1e-9);
        update_elements(&m);
    }
    printf("hydro: %g\n", m.e[0]);
    double *all[] = {m.x,  m.y,    m.z, m.xd, m.yd, m.zd, m.fx,    m.fy,
                     m.fz, m.mass, m.e, m.p,  m.q,  m.v,  m.volume};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(m.node_of);
    free(m.corner);
    free(m.first_corner);
}
