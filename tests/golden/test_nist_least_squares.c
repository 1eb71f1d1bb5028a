/*
 * NIST Statistical Reference Datasets, linear regression (www.itl.nist.gov/div898/strd): the least
 * squares core, without constraints, against certified coefficients. The digits asked for are what
 * double precision can give: the condition number takes the rest (Filip: 1.8e15 unscaled).
 */
#include <gsl/gsl_errno.h>
#include <math.h>

#include "fit/functions/quadratic_program.h"
#include "tests/support/tap.h"

static const double longley[16][7] = {
    {60323, 83.0, 234289, 2356, 1590, 107608, 1947},
    {61122, 88.5, 259426, 2325, 1456, 108632, 1948},
    {60171, 88.2, 258054, 3682, 1616, 109773, 1949},
    {61187, 89.5, 284599, 3351, 1650, 110929, 1950},
    {63221, 96.2, 328975, 2099, 3099, 112075, 1951},
    {63639, 98.1, 346999, 1932, 3594, 113270, 1952},
    {64989, 99.0, 365385, 1870, 3547, 115094, 1953},
    {63761, 100.0, 363112, 3578, 3350, 116219, 1954},
    {66019, 101.2, 397469, 2904, 3048, 117388, 1955},
    {67857, 104.6, 419180, 2822, 2857, 118734, 1956},
    {68169, 108.4, 442769, 2936, 2798, 120445, 1957},
    {66513, 110.8, 444546, 4681, 2637, 121950, 1958},
    {68655, 112.6, 482704, 3813, 2552, 123366, 1959},
    {69564, 114.2, 502601, 3931, 2514, 125368, 1960},
    {69331, 115.7, 518173, 4806, 2572, 127852, 1961},
    {70551, 116.9, 554894, 4007, 2827, 130081, 1962},
};
static const double longley_certified[7] = {
    -3482258.63459582, 15.0618722713733,    -0.0358191792925910, -2.02022980381683,
    -1.03322686717359, -0.0511041056535807, 1829.15146461355};

static const double filip[82][2] = {
    {0.8116, -6.860120914}, {0.9072, -4.324130045}, {0.9052, -4.358625055}, {0.9039, -4.358426747},
    {0.8053, -6.955852379}, {0.8377, -6.661145254}, {0.8667, -6.355462942}, {0.8809, -6.118102026},
    {0.7975, -7.115148017}, {0.8162, -6.815308569}, {0.8515, -6.519993057}, {0.8766, -6.204119983},
    {0.8885, -5.853871964}, {0.8859, -6.109523091}, {0.8959, -5.79832982},  {0.8913, -5.482672118},
    {0.8959, -5.171791386}, {0.8971, -4.851705903}, {0.9021, -4.517126416}, {0.909, -4.143573228},
    {0.9139, -3.709075441}, {0.9199, -3.499489089}, {0.8692, -6.300769497}, {0.8872, -5.953504836},
    {0.89, -5.642065153},   {0.891, -5.031376979},  {0.8977, -4.680685696}, {0.9035, -4.329846955},
    {0.9078, -3.928486195}, {0.7675, -8.56735134},  {0.7705, -8.363211311}, {0.7713, -8.107682739},
    {0.7736, -7.823908741}, {0.7775, -7.522878745}, {0.7841, -7.218819279}, {0.7971, -6.920818754},
    {0.8329, -6.628932138}, {0.8641, -6.323946875}, {0.8804, -5.991399828}, {0.7668, -8.781464495},
    {0.7633, -8.663140179}, {0.7678, -8.473531488}, {0.7697, -8.247337057}, {0.77, -7.971428747},
    {0.7749, -7.676129393}, {0.7796, -7.352812702}, {0.7897, -7.072065318}, {0.8131, -6.774174009},
    {0.8498, -6.478861916}, {0.8741, -6.159517513}, {0.8061, -6.835647144}, {0.846, -6.53165267},
    {0.8751, -6.224098421}, {0.8856, -5.910094889}, {0.8919, -5.598599459}, {0.8934, -5.290645224},
    {0.894, -4.974284616},  {0.8957, -4.64454848},  {0.9047, -4.290560426}, {0.9129, -3.885055584},
    {0.9209, -3.408378962}, {0.9219, -3.13200249},  {0.7739, -8.726767166}, {0.7681, -8.66695597},
    {0.7665, -8.511026475}, {0.7703, -8.165388579}, {0.7702, -7.886056648}, {0.7761, -7.588043762},
    {0.7809, -7.283412422}, {0.7961, -6.995678626}, {0.8253, -6.691862621}, {0.8602, -6.392544977},
    {0.8809, -6.067374056}, {0.8301, -6.684029655}, {0.8664, -6.378719832}, {0.8834, -6.065855188},
    {0.8898, -5.752272167}, {0.8964, -5.132414673}, {0.8963, -4.811352704}, {0.9074, -4.098269308},
    {0.9119, -3.66174277},  {0.9228, -3.2644011}};
static const double filip_certified[11] = {
    -1467.48961422980,     -2772.17959193342,     -2316.37108160893,    -1127.97394098372,
    -354.478233703349,     -75.1242017393757,     -10.8753180355343,    -1.06221498588947,
    -0.670191154593408e-1, -0.246781078275479e-2, -0.402962525080404e-4};

/* The noise of Wampler 3 (times 1), 4 (times 100) and 5 (times 10,000). */
static const double wampler_noise[21] = {759,   -2048, 2048,  -2048, 2523,  -2048, 2048,
                                         -2048, 1838,  -2048, 2048,  -2048, 1838,  -2048,
                                         2048,  -2048, 2523,  -2048, 2048,  -2048, 759};

/* Decimal digits to which the worst coefficient agrees. */
static double digits(const gsl_vector *x, const double *certified)
{
    double worst = 16;
    for (size_t j = 0; j < x->size; j++) {
        double error = fabs(gsl_vector_get(x, j) - certified[j]) / fabs(certified[j]);
        worst = fmin(worst, error > 0 ? -log10(error) : 16);
    }
    return worst;
}

static void check(const char *name, const gsl_matrix *a, const gsl_vector *b,
                  const double *certified, double wanted)
{
    struct ft_qp_workspace *workspace;
    struct ft_diag diag = {0};
    gsl_vector *x = gsl_vector_calloc(a->size2);
    int status = ft_qp_workspace_create(a->size1, a->size2, 0, &workspace, &diag);
    if (status == FT_OK) {
        status = ft_qp_solve(workspace, a, b, NULL, NULL, NULL, x, NULL, &diag);
        ft_qp_workspace_destroy(workspace);
    }
    tap_ok(status == FT_OK && digits(x, certified) >= wanted, "%s: %.1f digits, %.1f wanted %s",
           name, digits(x, certified), wanted, diag.message);
    gsl_vector_free(x);
}

static void check_wampler(const char *name, const double *certified, double noise, double wanted)
{
    gsl_matrix *a = gsl_matrix_alloc(21, 6);
    gsl_vector *b = gsl_vector_alloc(21);
    for (size_t i = 0; i < 21; i++) {
        double sum = noise * wampler_noise[i];
        for (size_t j = 0; j < 6; j++) {
            gsl_matrix_set(a, i, j, pow((double)i, (double)j));
            sum += certified[j] * gsl_matrix_get(a, i, j);
        }
        gsl_vector_set(b, i, sum);
    }
    check(name, a, b, certified, wanted);
    gsl_matrix_free(a);
    gsl_vector_free(b);
}

int main(void)
{
    gsl_set_error_handler_off();
    gsl_matrix *a = gsl_matrix_alloc(16, 7);
    gsl_vector *b = gsl_vector_alloc(16);
    for (size_t i = 0; i < 16; i++) {
        gsl_vector_set(b, i, longley[i][0]);
        gsl_matrix_set(a, i, 0, 1);
        for (size_t j = 1; j < 7; j++)
            gsl_matrix_set(a, i, j, longley[i][j]);
    }
    check("Longley", a, b, longley_certified, 10);
    gsl_matrix_free(a);
    gsl_vector_free(b);

    a = gsl_matrix_alloc(82, 11);
    b = gsl_vector_alloc(82);
    for (size_t i = 0; i < 82; i++) {
        gsl_vector_set(b, i, filip[i][0]);
        for (size_t j = 0; j < 11; j++)
            gsl_matrix_set(a, i, j, pow(filip[i][1], (double)j));
    }
    check("Filip", a, b, filip_certified, 6);
    gsl_matrix_free(a);
    gsl_vector_free(b);

    static const double ones[6] = {1, 1, 1, 1, 1, 1};
    static const double tenths[6] = {1, 0.1, 0.01, 0.001, 0.0001, 0.00001};
    check_wampler("Wampler1", ones, 0, 8);
    check_wampler("Wampler2", tenths, 0, 11);
    check_wampler("Wampler3", ones, 1, 8);
    check_wampler("Wampler4", ones, 100, 7);
    check_wampler("Wampler5", ones, 10000, 5);
    return tap_plan_done();
}
