/* How far off formulas are ahead: of a model over 10, 20 and 40 and its replica without 40. */
#include <math.h>
#include <string.h>

#include "predict/formulas/model_formulas.h"
#include "tests/support/bare_model.h"
#include "tests/support/tap.h"

#define LEAST 1e-12

static struct ft_function line(double constant, double slope)
{
    struct ft_function function = {.coefficients = {constant}};
    const struct ft_basis basis = ft_basis_default("N");
    function.coefficients[ft_basis_power(&basis, 1)] = slope;
    return function;
}

/* A group whose touches are all first ones, and a scope's instructions. */
static void place(struct ft_model *model, double accesses, double instructions, double cold)
{
    struct ft_model_histogram *histogram = &model->groups[0].histograms[0];
    model->groups[0].accesses = line(10, accesses);
    histogram->touches = histogram->cold = line(0, cold);
    model->distinct_blocks[0] = line(0, cold);
    model->counts[0].instructions = line(0, instructions);
}

static void check(const struct ft_model_formulas *formulas, const char *what, double expected)
{
    size_t count = 0, right = 0;
    for (size_t i = 0; i < formulas->count; i++)
        if (strncmp(formulas->items[i].what, what, strlen(what)) == 0) {
            const double ahead = formulas->items[i].ahead;
            count++;
            right += isnan(expected) ? isnan(ahead) : fabs(ahead - expected) <= LEAST;
        }
    tap_ok(count > 0 && right == count, "%s: %g ahead, %zu of %zu", what, expected, right, count);
}

static void check_model(const struct ft_model *model, bool known)
{
    struct ft_level level = {.name = (char *)"L1", .block_bytes = 64, .blocks = 8, .ways = 8};
    const struct ft_machine machine = {.levels = &level, .level_count = 1};
    struct ft_model_formulas formulas;
    struct ft_diag diag;
    int status =
        ft_model_formulas_init(&formulas, model, &machine, 4, (struct ft_formula_limits){0}, &diag);
    tap_ok(status == FT_OK, "formulas");
    check(&formulas, "accesses", known ? 80.0 / 210 : NAN); /* 3 n + 10 beside 5 n + 10 */
    check(&formulas, "instructions", known ? 0.5 : NAN);
    check(&formulas, "distinct blocks", known ? 0.25 : NAN);
    check(&formulas, "misses in L1", known ? 0.25 : NAN);
    ft_model_formulas_fini(&formulas);
}

int main(void)
{
    struct ft_model model = bare_model("made", "N");
    struct ft_diag diag;
    model.group_count = model.counts_count = 1;
    model.groups[0].histograms = calloc(1, sizeof *model.groups[0].histograms);
    place(&model, 5, 2, 1);
    check_model(&model, false);
    int status = ft_model_add_replicas(&model, 2, &diag);
    tap_ok(status == FT_OK && !ft_model_replica_without(&model, 2), "replicas without 10 and 20");
    place(&model.replicas[0], 1, 1, 1);
    place(&model.replicas[1], 3, 3, 1.25);
    check_model(&model, false);
    model.replicas[1].left_out = 1U << 2;
    tap_ok(ft_model_replica_without(&model, 2) == &model.replicas[1], "one of them without 40");
    check_model(&model, true);
    ft_model_fini(&model);
    return tap_plan_done();
}
