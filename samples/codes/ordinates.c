/*
 * ordinates [N [STEPS]]: transport of particles through N x N x N cells by discrete ordinates, in
 * the manner of ASCI Sweep3D: a wavefront for each of eight octants of directions, the angles of an
 * octant pipelined inside it, and fluxes that go from cell to cell over the three faces.
 */
#include "sample.h"

#define ANGLES  6 /* of an octant */
#define MOMENTS 4 /* of the flux and of its source */

struct transport {
    size_t n;
    double *source; /* [MOMENTS][n][n][n] */
    double *flux;   /* likewise */
    double *cross;  /* total cross section of each cell */
    double *face_z; /* [n][n][ANGLES]: what came through the faces of the plane before */
    double *face_y; /* [n][ANGLES]: of the line before */
    double *line;   /* the angle's source along a line of cells, then its flux */
};

static const double mu[ANGLES] = {0.93, 0.86, 0.58, 0.58, 0.26, 0.26};
static const double weight[ANGLES] = {0.04, 0.05, 0.03, 0.03, 0.05, 0.05};
static const double moment[MOMENTS] = {1.0, 0.5, 0.25, 0.125};

/* One line of cells at one angle, from the face that `x` stands at to the other side. */
SAMPLE_KERNEL static void sweep_line(struct transport *t, size_t row, size_t angle, int backward,
                                     double *restrict x_face, double *restrict y_faces,
                                     double *restrict z_faces)
{
    size_t n = t->n, cells = n * n * n;
    double *restrict line = t->line;
    for (size_t i = 0; i < n; i++)
        line[i] = t->source[row + i];
    for (size_t m = 1; m < MOMENTS; m++)
        for (size_t i = 0; i < n; i++)
            line[i] += moment[m] * mu[angle] * t->source[m * cells + row + i];
    double x = *x_face;
    for (size_t step = 0; step < n; step++) {
        size_t i = backward ? n - 1 - step : step;
        double y = y_faces[i * ANGLES + angle], z = z_faces[i * ANGLES + angle];
        double centre =
            (line[i] + 2 * mu[angle] * (x + y + z)) / (t->cross[row + i] + 6 * mu[angle]);
        x = 2 * centre - x;
        y_faces[i * ANGLES + angle] = 2 * centre - y;
        z_faces[i * ANGLES + angle] = 2 * centre - z;
        line[i] = centre;
    }
    *x_face = x;
    for (size_t i = 0; i < n; i++)
        t->flux[row + i] += weight[angle] * line[i];
    for (size_t m = 1; m < MOMENTS; m++)
        for (size_t i = 0; i < n; i++)
            t->flux[m * cells + row + i] += moment[m] * weight[angle] * line[i];
}

/* Bits 0 to 2 of the octant: whether it runs backward along x, y and z. */
static void sweep_octant(struct transport *t, unsigned octant)
{
    size_t n = t->n;
    double *z_faces = t->face_z;
    for (size_t at = 0; at < n * n * ANGLES; at++)
        z_faces[at] = 0;
    for (size_t plane = 0; plane < n; plane++) {
        size_t k = octant & 4 ? n - 1 - plane : plane;
        for (size_t at = 0; at < n * ANGLES; at++)
            t->face_y[at] = 0;
        for (size_t line = 0; line < n; line++) {
            size_t j = octant & 2 ? n - 1 - line : line;
            for (size_t angle = 0; angle < ANGLES; angle++) {
                double x_face = 0;
                sweep_line(t, (k * n + j) * n, angle, octant & 1, &x_face, t->face_y,
                           z_faces + j * n * ANGLES);
            }
        }
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 50);
    size_t steps = sample_number(argc, argv, 2, 1, 4);
    size_t cells = n * n * n;
    struct transport t = {
        .n = n,
        .source = sample_array(MOMENTS * cells, sizeof *t.source),
        .flux = sample_array(MOMENTS * cells, sizeof *t.flux),
        .cross = sample_array(cells, sizeof *t.cross),
        .face_z = sample_array(n * n * ANGLES, sizeof *t.face_z),
        .face_y = sample_array(n * ANGLES, sizeof *t.face_y),
        .line = sample_array(n, sizeof *t.line),
    };
    for (size_t cell = 0; cell < cells; cell++)
        t.cross[cell] = 1.0 + 0.1 * (double)(cell % 3);
    for (size_t at = 0; at < MOMENTS * cells; at++)
        t.source[at] = at < cells ? 1.0 : 0.0;
    for (size_t step = 0; step < steps; step++) {
        for (size_t at = 0; at < MOMENTS * cells; at++)
            t.flux[at] = 0;
        for (unsigned octant = 0; octant < 8; octant++)
            sweep_octant(&t, octant);
        for (size_t at = 0; at < MOMENTS * cells; at++)
            t.source[at] = 0.5 * t.flux[at] + (at < cells ? 1.0 : 0.0);
    }
    double sum = 0;
    for (size_t cell = 0; cell < cells; cell++)
        sum += t.flux[cell];
    printf("ordinates: sum of the flux = %.6e\n", sum);
    free(t.source);
    free(t.flux);
    free(t.cross);
    free(t.face_z);
    free(t.face_y);
    free(t.line);
}
