/*
 * Mispredictions of a loop of one block at other sizes: by sampled rates and without, where the law
 * of its exits is known and where it depends on data.
 */
#include "predict/time/mispredictions.h"

#include <math.h>

#include "tests/support/tap.h"

#define RECORDED 100.0 /* the size that was recorded */

/* A block that is followed by itself, or by the block behind it. */
struct program {
    struct ft_block blocks[2];
    struct ft_block_edge edges[2];
    struct ft_block_prediction predictions[2];
    struct ft_function functions[2];
    uint32_t numbers[2];
    uint8_t code[3];
    struct ft_model model;
};

/* n executions at size n, of which one in `length` leaves the loop. */
static void make_program(struct program *program, double length)
{
    *program = (struct program){
        .blocks = {{.code_bytes = 2, .instruction_count = 1},
                   {.offset = 2, .code_bytes = 1, .instruction_count = 1}},
        .edges = {{0, 0, (uint64_t)(RECORDED * (1 - 1 / length))},
                  {0, 1, (uint64_t)(RECORDED / length)}},
        .numbers = {0, 1},
        .code = {0x75, 0xfe, 0x90}, /* jne to itself; nop */
    };
    struct ft_model *model = &program->model;
    model->basis = ft_basis_default("N");
    model->scopes = (struct ft_scopes){.blocks = program->blocks,
                                       .block_count = 2,
                                       .edges = program->edges,
                                       .edge_count = 2,
                                       .code = program->code,
                                       .code_bytes = 3};
    model->executions = (struct ft_model_executions){
        .edges = program->numbers, .functions = program->functions, .count = 2};
    program->functions[0].coefficients[2] = 1 - 1 / length; /* of N */
    program->functions[1].coefficients[2] = 1 / length;
}

static void exits_follow_size(struct program *program)
{
    program->functions[0].exact = program->functions[1].exact = true;
}

/* So many of 10,000 sampled branches are mispredicted. */
static void sample(struct program *program, uint64_t mispredictions)
{
    program->predictions[0] = (struct ft_block_prediction){10000, mispredictions};
    program->model.scopes.predictions = program->predictions;
}

static void check(struct program *program, double n, double expected, const char *what)
{
    const struct ft_point at = ft_point_at(&program->model.basis, &n);
    double counts[2] = {0};
    const int status = ft_mispredictions_find(&program->model, &at, counts, NULL);
    tap_ok(status == FT_OK && fabs(counts[0] - expected) < 1e-9 * n, "%s: %g of %g", what,
           counts[0], n);
}

int main(void)
{
    struct program program;
    make_program(&program, 4);
    check(&program, 1000, 250, "not sampled, by data: a coin");
    sample(&program, 100);
    check(&program, 1000, 10, "sampled: at that rate");
    program.predictions[0].branches = program.predictions[0].mispredictions = 10;
    check(&program, 1000, 250, "sampled too seldom: a coin");

    sample(&program, 100);
    program.functions[0].coefficients[2] = 0.875;
    program.functions[1].coefficients[2] = 0.125;
    check(&program, 1000, 5, "half as many leave: half the rate");
    exits_follow_size(&program);
    check(&program, 1000, 0, "a law, and the loop is longer, but short: foreseen");
    program.functions[0].coefficients[2] = 1 - 1. / 32;
    program.functions[1].coefficients[2] = 1. / 32;
    check(&program, 1600, 50, "longer than what is remembered: its end is not");

    make_program(&program, 50);
    exits_follow_size(&program);
    check(&program, 5000, 100, "not sampled, a law: the ends of long loops");
    sample(&program, 1);
    check(&program, 5000, 0.5, "sampled, and as long as it was: at that rate");
    program.model.scopes.predictions = NULL;
    make_program(&program, 4);
    exits_follow_size(&program);
    check(&program, 1000, 0, "those of short ones are foreseen");
    return tap_plan_done();
}
