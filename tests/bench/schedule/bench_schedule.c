/*
 * bench_schedule CORE SHARE TRACE...: measures the paths of loops with at least SHARE of a trace's
 * instructions on this host, with their data in the first cache, and prints what foretrace's
 * schedule says of the same code, a line of JSON each: name, instructions, cycles measured,
 * cycles predicted, limit, bounds, and the loop's code in hexadecimal, instruction by instruction.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_blocks.h"
#include "engine/schedule/body_making.h"

static int predict(const struct ft_core *core, const struct generated *generated,
                   struct ft_schedule *ret_schedule, struct ft_body *ret_body, struct ft_diag *diag)
{
    FT_TRY(ft_body_make(core, generated->code, generated->count, true, ret_body, diag));
    int status = ft_schedule_find(ret_body, true, ret_schedule, diag);
    if (status != FT_OK)
        ft_body_fini(ret_body);
    return status;
}

static void print_block(const struct ft_core *core, const struct block *block,
                        const struct generated *generated, const struct ft_body *body,
                        const struct ft_schedule *schedule, double measured)
{
    char limit[256];
    ft_schedule_limit_text(core, schedule, limit, sizeof limit);
    printf("{\"name\": \"%s\", \"share\": %.4f, \"instructions\": %u, \"measured\": %.3f, "
           "\"predicted\": %.3f, \"limit\": \"%s\", \"front_end\": %.2f, \"ports\": %.2f, "
           "\"recurrence\": %.2f, \"unknown\": %u, \"unknown_form\": \"%s\", \"code\": [",
           block->name, block->share, generated->count, measured, schedule->cycles, limit,
           schedule->bounds[FT_LIMIT_FRONT_END], schedule->bounds[FT_LIMIT_PORTS],
           schedule->bounds[FT_LIMIT_RECURRENCE], schedule->unknown_count, body->unknown_form);
    for (uint32_t i = 0; i < generated->count; i++) {
        printf("%s\"", i ? ", " : "");
        for (size_t b = 0; b < generated->code[i].length; b++)
            printf("%02x", generated->code[i].code[b]);
        printf("\"");
    }
    printf("]}\n");
    fflush(stdout);
}

static int compare_cycles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A neighbour on the same core disturbs for a while: all blocks are measured once, then again, and
 * the lower quartile counts. */
static int run(const struct ft_core *core, struct blocks *blocks, struct ft_diag *diag)
{
    size_t failed = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t b = 0; b < blocks->count; b++) {
            static struct generated generated;
            struct ft_schedule schedule;
            struct ft_body body;
            double measured;
            struct block *block = blocks->items[b];
            if (block->variant >= VARIANTS)
                continue;
            if (!measure_block(block, &generated, &measured)) {
                block->variant = VARIANTS;
                failed++;
                continue;
            }
            block->cycles[round] = measured;
            if (round + 1 == ROUNDS) {
                qsort(block->cycles, ROUNDS, sizeof *block->cycles, compare_cycles);
                measured = block->cycles[ROUNDS / 4];
                if (isinf(measured))
                    continue;
                FT_TRY(predict(core, &generated, &schedule, &body, diag));
                print_block(core, block, &generated, &body, &schedule, measured);
                ft_body_fini(&body);
            }
        }
    fprintf(stderr, "%zu blocks, %zu of them not measurable\n", blocks->count, failed);
    return FT_OK;
}

int main(int argc, char **argv)
{
    struct ft_diag diag = {0};
    struct ft_core core = {0};
    struct blocks blocks = {0};
    if (argc < 4) {
        fprintf(stderr, "usage: bench_schedule CORE SHARE TRACE...\n");
        return 2;
    }
    int status = ft_core_load(argv[1], &core, &diag);
    for (int i = 3; i < argc && status == FT_OK; i++)
        status = blocks_of_trace(argv[i], strtod(argv[2], NULL), &blocks, &diag);
    if (status == FT_OK)
        status = run(&core, &blocks, &diag);
    if (status != FT_OK)
        fprintf(stderr, "bench_schedule: %s\n", diag.message);
    for (size_t b = 0; b < blocks.count; b++)
        free(blocks.items[b]);
    free((void *)blocks.items);
    ft_core_fini(&core);
    return ft_exit_code(status);
}
