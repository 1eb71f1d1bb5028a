/*
 * A walk over small pieces of code in two modules, and its first steps as a smaller size: of each,
 * pieces that were only ever passed through together are one block. How often the blocks and edges
 * of the whole walk were passed in its first steps is known from the steps.
 */
#include <stdlib.h>
#include <string.h>

#include "fit/block_executions.h"
#include "formats/x86/unit.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define PIECES    14U
#define IN_FIRST  8U /* of them in the first module */
#define STEPS_MAX 200U
#define TRIALS    2000
#define BYTES     4U /* of a piece */

struct walk {
    uint64_t passed[PIECES + 1][PIECES + 1]; /* [piece][next one]; [PIECES]: outside */
    uint64_t count[PIECES];
};

static struct walk first_steps(const uint32_t *steps, size_t count)
{
    struct walk walk = {0};
    uint32_t before = PIECES;
    for (size_t i = 0; i < count; i++) {
        walk.passed[before][steps[i]]++;
        walk.count[steps[i]]++;
        before = steps[i];
    }
    walk.passed[before][PIECES]++;
    return walk;
}

static bool continues(const struct walk *walk, uint32_t piece)
{
    return piece + 1 != IN_FIRST && piece + 1 < PIECES && walk->count[piece] > 0 &&
           walk->passed[piece][piece + 1] == walk->count[piece] &&
           walk->passed[piece][piece + 1] == walk->count[piece + 1];
}

struct code {
    struct ft_histograms histograms;
    struct ft_scope_module modules[2];
    struct ft_block blocks[PIECES];
    struct ft_block_edge edges[PIECES * PIECES];
    uint32_t first[PIECES], last[PIECES]; /* pieces of a block */
};

static void add_blocks(struct code *code, const struct walk *walk, bool swapped)
{
    struct ft_scopes *scopes = &code->histograms.scopes;
    for (uint32_t i = 0; i < PIECES; i++) {
        const uint32_t begin = i, module = i >= IN_FIRST;
        if (walk->count[i] == 0)
            continue;
        while (continues(walk, i))
            i++;
        code->first[scopes->block_count] = begin;
        code->last[scopes->block_count] = i;
        scopes->blocks[scopes->block_count++] = (struct ft_block){
            .module = swapped ? !module : module,
            .offset = (uint64_t)(module ? begin - IN_FIRST : begin) * BYTES,
            .code_bytes = (i + 1 - begin) * BYTES,
            .execution_count = walk->count[begin],
        };
    }
}

/* From the last block to the first: in no order that anything could lean on. */
static void add_edges(struct code *code, const struct walk *walk)
{
    struct ft_scopes *scopes = &code->histograms.scopes;
    for (uint32_t to = (uint32_t)scopes->block_count; to-- > 0;)
        for (uint32_t from = 0; from < scopes->block_count; from++) {
            const uint64_t count = walk->passed[code->last[from]][code->first[to]];
            if (count > 0)
                scopes->edges[scopes->edge_count++] = (struct ft_block_edge){from, to, count};
        }
}

static void make_code(struct code *code, const struct walk *walk, bool swapped)
{
    memset(code, 0, sizeof *code);
    code->histograms.scopes = (struct ft_scopes){
        .modules = code->modules, .module_count = 2, .blocks = code->blocks, .edges = code->edges};
    for (unsigned i = 0; i < 2; i++) {
        code->modules[i].name = (char *)"module";
        strcpy(code->modules[i].build_id, (i == 0) != swapped ? "first" : "second");
    }
    add_blocks(code, walk, swapped);
    add_edges(code, walk);
}

/* Mostly on to the next piece, and else to one of two that each piece leads to. */
static size_t draw_steps(uint32_t *steps, uint64_t *state)
{
    uint32_t leads_to[PIECES][2], piece = 0;
    size_t count = 2 + random_below(state, STEPS_MAX - 1);
    for (uint32_t i = 0; i < PIECES; i++)
        for (int k = 0; k < 2; k++)
            leads_to[i][k] = (uint32_t)random_below(state, PIECES);
    for (size_t i = 0; i < count; i++) {
        const uint64_t way = random_below(state, 8);
        steps[i] = piece;
        piece = way < 2 || piece + 1 == PIECES ? leads_to[piece][way % 2] : piece + 1;
    }
    return count;
}

int main(void)
{
    static struct code whole, fewer;
    uint32_t steps[STEPS_MAX];
    uint64_t state = 20;
    size_t wrong = 0, inner = 0, failed = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        const size_t count = draw_steps(steps, &state);
        const struct walk all = first_steps(steps, count);
        const struct walk some = first_steps(steps, 1 + random_below(&state, count));
        make_code(&whole, &all, false);
        make_code(&fewer, &some, trial % 2 == 0);
        const struct ft_histograms *const entries[] = {&fewer.histograms, &whole.histograms};
        const struct ft_match match = {.entry_count = 2, .build_count = 1};
        struct ft_model_executions executions;
        double *counts;
        if (ft_executions_gather(&match, entries, &executions, &counts, NULL) < 0) {
            failed++;
            continue;
        }
        const struct ft_scopes *scopes = &whole.histograms.scopes;
        for (size_t i = 0; i < scopes->block_count; i++) {
            const double *row = counts + (size_t)executions.blocks[i] * 2;
            wrong += row[0] != (double)some.count[whole.first[i]];
            wrong += row[1] != (double)scopes->blocks[i].execution_count;
        }
        for (size_t i = 0; i < scopes->edge_count; i++) {
            const double *row = counts + (size_t)executions.edges[i] * 2;
            const uint32_t from = whole.last[scopes->edges[i].from];
            const uint32_t to = whole.first[scopes->edges[i].to];
            wrong += row[0] != (double)some.passed[from][to];
            wrong += row[1] != (double)scopes->edges[i].count;
            inner += to == from + 1 && continues(&some, from);
        }
        ft_executions_fini(&executions);
        free(counts);
    }
    tap_ok(failed == 0, "counts of %d walks", TRIALS);
    tap_ok(wrong == 0, "are those of their steps: %zu are not", wrong);
    tap_ok(inner > 1000, "also where edges were inside of one block: %zu were", inner);
    return tap_plan_done();
}
