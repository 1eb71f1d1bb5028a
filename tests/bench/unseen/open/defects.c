/*
 * defects [SIDE [STEPS]]: a beam of SIDE cells with two couplings each, and the input generator in
 * front of it, which draws a micrograph of SIDE x SIDE pixels and keeps the few that are defects;
 * each weakens the cell below it. Then the beam vibrates, step by step.
 */
#include "tests/bench/unseen/code.h"

enum { MAX_DEFECTS = 4096 };

struct defect {
    uint32_t row, column;
    float depth;
};

static size_t draw(struct defect *defects, size_t side)
{
    size_t count = 0;
    uint64_t random = 79;
    for (size_t row = 0; row < side; row++) {
        for (size_t column = 0; column < side; column++) {
            double grey = code_uniform(&random);
            if (grey > 1 - 2e-5 && count < MAX_DEFECTS)
                defects[count++] = (struct defect){(uint32_t)row, (uint32_t)column,
                                                   (float)(0.5 * code_uniform(&random))};
        }
    }
    return count;
}

static void weaken(double *stiffness, size_t cells, const struct defect *defects, size_t count)
{
    for (size_t i = 0; i < cells; i++)
        stiffness[i] = 1;
    for (size_t d = 0; d < count; d++)
        for (size_t i = defects[d].column; i < defects[d].column + 4 && i < cells; i++)
            stiffness[i] *= 1 - defects[d].depth;
}

/* Fourth order in space: a beam resists its bending. */
static void vibrate(double *restrict y, double *restrict v, const double *restrict stiffness,
                    double *restrict moment, size_t cells)
{
    for (size_t i = 1; i < cells - 1; i++)
        moment[i] = stiffness[i] * (y[i - 1] - 2 * y[i] + y[i + 1]);
    for (size_t i = 2; i < cells - 2; i++)
        v[i] -= 0.05 * (moment[i - 1] - 2 * moment[i] + moment[i + 1]);
    for (size_t i = 2; i < cells - 2; i++)
        y[i] += v[i];
}

int main(int argc, char **argv)
{
    size_t side = sample_number(argc, argv, 1, 8, 2000);
    size_t steps = sample_number(argc, argv, 2, 1, 100);
    struct defect *defects = code_malloc(MAX_DEFECTS, sizeof *defects);
    double *stiffness = code_malloc(side, sizeof *stiffness);
    double *y = code_calloc(side, sizeof *y), *v = code_calloc(side, sizeof *v);
    double *moment = code_calloc(side, sizeof *moment);
    size_t count = draw(defects, side);
    weaken(stiffness, side, defects, count);
    for (size_t i = side / 4; i < side / 2; i++)
        y[i] = 0.001 * (double)((i - side / 4) % 50);
    for (size_t s = 0; s < steps; s++)
        vibrate(y, v, stiffness, moment, side);
    double energy = 0;
    for (size_t i = 0; i < side; i++)
        energy += v[i] * v[i];
    printf("defects: %zu, energy = %.9e\n", count, energy);
    free(defects);
    free(stiffness);
    free(y);
    free(v);
    free(moment);
}
