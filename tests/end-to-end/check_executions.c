/*
 * check_executions MODEL HISTOGRAMS N MODULE: how often the model says that each basic block and
 * each edge of a module is executed at N, against what a trace of that size counted. Both have the
 * same blocks where the same jumps were taken. Prints TAP points.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/histograms/histograms.h"
#include "formats/model/model.h"
#include "formats/x86/unit.h"
#include "tests/support/tap.h"

/* The block of the model at the place of one of the trace; none: block_count. */
static size_t same_block(const struct ft_scopes *in, const struct ft_scopes *of, size_t block)
{
    const struct ft_block *wanted = &of->blocks[block];
    size_t i = 0;
    for (; i < in->block_count; i++) {
        const struct ft_block *own = &in->blocks[i];
        if (own->offset == wanted->offset && own->code_bytes == wanted->code_bytes &&
            (own->module == FT_NO_MODULE) == (wanted->module == FT_NO_MODULE) &&
            (own->module == FT_NO_MODULE ||
             strcmp(in->modules[own->module].name, of->modules[wanted->module].name) == 0))
            break;
    }
    return i;
}

struct tally {
    size_t found, exact, wrong, far;
    double instructions, all; /* in blocks that were found; in all */
};

static void compare(const struct ft_function *function, const struct ft_point *at, double measured,
                    struct tally *tally)
{
    const double value = ft_function_at(function, at);
    tally->found++;
    tally->exact += function->exact;
    tally->wrong += function->exact && value != measured;
    tally->far += fabs(value - measured) > 0.01 * measured + 20;
}

/* Whether a program's own code: the C library changes its ways with sizes. */
static bool is_own(const struct ft_scopes *scopes, size_t block, const char *module)
{
    return scopes->blocks[block].module != FT_NO_MODULE &&
           strcmp(scopes->modules[scopes->blocks[block].module].name, module) == 0;
}

/* All that leaves a block is as often as the block, as functions; where it ends the program not. */
static size_t count_leaking(const struct ft_model *model, const char *module)
{
    const struct ft_scopes *scopes = &model->scopes;
    size_t leaking = 0;
    for (size_t i = 0; i < scopes->block_count; i++) {
        struct ft_function out = {.exact = true};
        bool leaves = false, exact = true;
        for (size_t k = 0; k < scopes->edge_count; k++)
            if (scopes->edges[k].from == i) {
                const struct ft_function *edge =
                    &model->executions.functions[model->executions.edges[k]];
                out = ft_function_add(&out, edge, 1);
                exact = exact && edge->exact;
                leaves = true;
            }
        const struct ft_function *block = &model->executions.functions[model->executions.blocks[i]];
        for (size_t term = 0; term < FT_BASIS_MAX && leaves && exact && block->exact; term++)
            if (is_own(scopes, i, module) &&
                fabs(out.coefficients[term] - block->coefficients[term]) > 1e-9) {
                leaking++;
                break;
            }
    }
    return leaking;
}

int main(int argc, char **argv)
{
    struct ft_model model = {0};
    struct ft_histogram_file file = {0};
    struct ft_diag diag = {0};
    if (argc != 5 || ft_model_read(argv[1], NULL, &model, &diag) < 0 ||
        ft_histogram_file_read(argv[2], &file, &diag) < 0) {
        fprintf(stderr, "check_executions MODEL HISTOGRAMS N MODULE: %s\n", diag.message);
        return 2;
    }
    const double n = strtod(argv[3], NULL);
    const struct ft_point at = ft_point_at(&model.basis, &n);
    const struct ft_scopes *scopes = &file.entries[0].scopes;
    struct tally blocks = {0}, edges = {0};
    size_t *places = calloc(scopes->block_count + 1, sizeof *places);
    for (size_t i = 0; places && i < scopes->block_count; i++) {
        const double instructions =
            (double)scopes->blocks[i].execution_count * scopes->blocks[i].instruction_count;
        places[i] = same_block(&model.scopes, scopes, i);
        blocks.all += instructions;
        if (places[i] == model.scopes.block_count)
            continue;
        blocks.instructions += instructions;
        if (is_own(scopes, i, argv[4]))
            compare(&model.executions.functions[model.executions.blocks[places[i]]], &at,
                    (double)scopes->blocks[i].execution_count, &blocks);
    }
    for (size_t i = 0; places && i < scopes->edge_count; i++)
        for (size_t k = 0; k < model.scopes.edge_count; k++)
            if (is_own(scopes, scopes->edges[i].from, argv[4]) &&
                model.scopes.edges[k].from == places[scopes->edges[i].from] &&
                model.scopes.edges[k].to == places[scopes->edges[i].to])
                compare(&model.executions.functions[model.executions.edges[k]], &at,
                        (double)scopes->edges[i].count, &edges);
    tap_ok(blocks.instructions > 0.99 * blocks.all, "blocks of %.1f %% of the instructions",
           100 * blocks.instructions / blocks.all);
    tap_ok(blocks.exact > 10 && blocks.wrong == 0 && blocks.far == 0,
           "%zu of %zu blocks exact, %zu of them wrong; %zu far off", blocks.exact, blocks.found,
           blocks.wrong, blocks.far);
    tap_ok(edges.exact > 10 && edges.wrong == 0 && edges.far == 0,
           "%zu of %zu edges exact, %zu of them wrong; %zu far off", edges.exact, edges.found,
           edges.wrong, edges.far);
    const size_t leaking = count_leaking(&model, argv[4]);
    tap_ok(leaking == 0, "what leaves a block is as often as it: %zu are not", leaking);
    free(places);
    ft_model_fini(&model);
    ft_histogram_file_fini(&file);
    return tap_plan_done();
}
