/*
 * bench_schedule SHARE TRACE...: measures the paths of loops with at least SHARE of a trace's
 * instructions on this host, with their data in the first cache, and prints a line of JSON each:
 * name, share, instructions, cycles measured, and the loop's address and code in hexadecimal,
 * instruction by instruction.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_blocks.h"

static void print_block(const struct block *block, const struct generated *generated,
                        double measured)
{
    printf("{\"name\": \"%s\", \"share\": %.4f, \"instructions\": %u, \"measured\": %.3f, "
           "\"address\": \"%llx\", \"code\": [",
           block->name, block->share, generated->count, measured,
           (unsigned long long)generated->code[0].pc);
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
static void run(struct blocks *blocks)
{
    size_t failed = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t b = 0; b < blocks->count; b++) {
            static struct generated generated;
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
                if (!isinf(measured))
                    print_block(block, &generated, measured);
            }
        }
    fprintf(stderr, "%zu blocks, %zu of them not measurable\n", blocks->count, failed);
}

int main(int argc, char **argv)
{
    struct ft_diag diag = {0};
    struct blocks blocks = {0};
    int status = FT_OK;
    if (argc < 3) {
        fprintf(stderr, "usage: bench_schedule SHARE TRACE...\n");
        return 2;
    }
    for (int i = 2; i < argc && status == FT_OK; i++)
        status = blocks_of_trace(argv[i], strtod(argv[1], NULL), &blocks, &diag);
    if (status == FT_OK)
        run(&blocks);
    if (status != FT_OK)
        fprintf(stderr, "bench_schedule: %s\n", diag.message);
    for (size_t b = 0; b < blocks.count; b++)
        free(blocks.items[b]);
    free((void *)blocks.items);
    return ft_exit_code(status);
}
