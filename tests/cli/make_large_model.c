/*
 * usage: make_large_model FILE
 * A model of a program of 1000 loops in 50 routines, over N = 10, 20 and 40, with what a fitted
 * model has: code, executions, reuse distances of two references a loop at two block sizes, and
 * replicas. Loop i takes a 1 / (1 + i)-th of what the first one takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/model/model.h"
#include "formats/x86/unit.h"
#include "tests/support/bare_model.h"

#define ROUTINES          50U
#define LOOPS_PER_ROUTINE 20U
#define LOOPS             (ROUTINES * LOOPS_PER_ROUTINE)
#define GROUPS            (2 * LOOPS)
#define BLOCK_SIZES       2U
#define BINS              8U
#define LARGEST           40U

/* mov rax, [rdi+rcx*8]; add rdx, rax; mov [rsi+rcx*8], rdx; inc rcx; cmp rcx, rbx; jne */
static const uint8_t body[] = {0x48, 0x8b, 0x04, 0xcf, 0x48, 0x01, 0xc2, 0x48, 0x89, 0x14,
                               0xce, 0x48, 0xff, 0xc1, 0x48, 0x39, 0xd9, 0x75, 0xed};
#define BODY_INSTRUCTIONS 6U
#define BODY_STORE        7U /* offset */

static void *make(size_t count, size_t bytes)
{
    void *array = calloc(count, bytes);
    if (!array)
        abort();
    return array;
}

static char *text_of(const char *format, unsigned number, unsigned line)
{
    char text[128];
    snprintf(text, sizeof text, format, number, line);
    return strdup(text);
}

/* Iterations of a loop at N = 1; the function of it is so many times N. */
static uint64_t iterations(unsigned loop)
{
    return 100000000 / (1 + loop);
}

static struct ft_function linear(const struct ft_model *model, double slope)
{
    struct ft_function function = {.exact = true};
    function.coefficients[ft_basis_power(&model->basis, 1)] = slope;
    return function;
}

/* ---- the program ---- */

static uint32_t scope_of_loop(unsigned loop)
{
    return 2 + loop / LOOPS_PER_ROUTINE * (1 + LOOPS_PER_ROUTINE) + 1 + loop % LOOPS_PER_ROUTINE;
}

/* Nests of five loops, one in the other. */
static void fill_scopes(struct ft_scopes *scopes)
{
    scopes->scope_count = 2 + ROUTINES * (1 + LOOPS_PER_ROUTINE);
    scopes->scopes = make(scopes->scope_count, sizeof *scopes->scopes);
    scopes->scopes[0] =
        (struct ft_scope){.module = FT_NO_MODULE, .name = strdup("p"), .file = strdup("")};
    scopes->scopes[1] =
        (struct ft_scope){.kind = FT_SCOPE_MODULE, .name = strdup("p"), .file = strdup("")};
    for (unsigned r = 0; r < ROUTINES; r++)
        scopes->scopes[2 + r * (1 + LOOPS_PER_ROUTINE)] =
            (struct ft_scope){.parent = 1,
                              .kind = FT_SCOPE_ROUTINE,
                              .name = text_of("solver::stage_%02u_of_%u", r, ROUTINES),
                              .file = text_of("/src/solver/stage_%02u.cpp", r, 0),
                              .first_line = 10,
                              .last_line = 500,
                              .entry_count = LARGEST};
    for (unsigned i = 0; i < LOOPS; i++) {
        const uint32_t scope = scope_of_loop(i), depth = i % 5;
        const unsigned routine = i / LOOPS_PER_ROUTINE, line = 20 + 20 * (i % LOOPS_PER_ROUTINE);
        scopes->scopes[scope] =
            (struct ft_scope){.parent = depth ? scope - 1 : scope - 1 - i % LOOPS_PER_ROUTINE,
                              .kind = FT_SCOPE_LOOP,
                              .loop_depth = (uint8_t)(1 + depth),
                              .name = text_of("loop at stage_%02u.cpp:%u", routine, line),
                              .file = text_of("/src/solver/stage_%02u.cpp", routine, 0),
                              .first_line = line,
                              .last_line = line + 9,
                              .entry_count = LARGEST,
                              .iteration_count = LARGEST * iterations(i)};
    }
}

static void fill_code(struct ft_scopes *scopes)
{
    scopes->block_count = scopes->edge_count = LOOPS;
    scopes->reference_count = scopes->group_count = GROUPS;
    scopes->blocks = make(LOOPS, sizeof *scopes->blocks);
    scopes->edges = make(LOOPS, sizeof *scopes->edges);
    scopes->references = make(GROUPS, sizeof *scopes->references);
    scopes->code_bytes = LOOPS * sizeof body;
    scopes->code = make(scopes->code_bytes, 1);
    scopes->load_classes = make(GROUPS, 1);
    for (uint32_t i = 0; i < LOOPS; i++) {
        const uint32_t scope = scope_of_loop(i);
        const uint64_t offset = 0x1000 + 32 * (uint64_t)i;
        memcpy(scopes->code + i * sizeof body, body, sizeof body);
        scopes->blocks[i] = (struct ft_block){
            .scope = scope,
            .offset = offset,
            .code_bytes = sizeof body,
            .instruction_count = BODY_INSTRUCTIONS,
            .execution_count = LARGEST * iterations(i),
            .mix = {
                [FT_MIX_INTEGER] = 3, [FT_MIX_LOAD] = 1, [FT_MIX_STORE] = 1, [FT_MIX_BRANCH] = 1}};
        scopes->edges[i] = (struct ft_block_edge){i, i, LARGEST * iterations(i)};
        for (uint32_t k = 0; k < 2; k++)
            scopes->references[2 * i + k] =
                (struct ft_scoped_reference){.offset = offset + (k ? BODY_STORE : 0),
                                             .scope = scope,
                                             .block = i,
                                             .group = 2 * i + k,
                                             .size_bytes = 8,
                                             .line = scopes->scopes[scope].first_line + k,
                                             .kind = k ? FT_STORE : FT_LOAD};
    }
}

/* ---- the model ---- */

/* One touch in 8 is of another block, at distances of 2, 8, 32 ... blocks. */
static void fill_histogram(const struct ft_model *model, double slope,
                           struct ft_model_histogram *histogram)
{
    struct ft_model_bin bins[BINS];
    for (size_t bin = 0; bin < BINS; bin++) {
        bins[bin].tail = linear(model, bin == 0 ? 0.999 * slope : slope / 8 / (double)bin);
        bins[bin].distance_blocks = (struct ft_function){
            .coefficients = {bin == 0 ? 0 : (double)((uint64_t)1 << 2 * bin)}, .exact = true};
    }
    histogram->touches = linear(model, slope);
    histogram->cold = linear(model, 0.001 * slope);
    histogram->member_count = 1;
    histogram->members = make(1, sizeof *histogram->members);
    histogram->members[0] =
        (struct ft_model_member){.weight = 1, .bins = ft_member_bins_of(bins, BINS)};
}

/* Of a model or a replica, whose figures are higher by a factor. */
static void fill_functions(struct ft_model *model, double factor)
{
    for (size_t size = 0; size < BLOCK_SIZES; size++)
        model->distinct_blocks[size] = linear(model, size ? 1e4 : 1e6);
    for (unsigned i = 0; i < LOOPS; i++) {
        const double slope = factor * (double)iterations(i);
        struct ft_model_scope_counts *counts = &model->counts[i];
        counts->instructions = linear(model, slope * BODY_INSTRUCTIONS);
        counts->mix[FT_MIX_INTEGER] = linear(model, slope * 3);
        counts->mix[FT_MIX_LOAD] = counts->mix[FT_MIX_STORE] = counts->mix[FT_MIX_BRANCH] =
            counts->iterations = linear(model, slope);
        counts->flops = counts->entries = linear(model, 1);
        model->executions.functions[i] = linear(model, slope);
        for (size_t group = 2 * (size_t)i; group < 2 * (size_t)i + 2; group++) {
            model->groups[group].accesses = linear(model, slope);
            for (size_t size = 0; size < BLOCK_SIZES; size++)
                fill_histogram(model, slope, &model->groups[group].histograms[size]);
        }
    }
}

static void fill_model(struct ft_model *model)
{
    model->scopes.module_count = 1;
    model->scopes.modules = make(1, sizeof *model->scopes.modules);
    model->scopes.modules[0] =
        (struct ft_scope_module){.name = strdup("p"), .path = strdup("/bin/p")};
    fill_scopes(&model->scopes);
    fill_code(&model->scopes);
    model->block_bytes = make(BLOCK_SIZES, sizeof *model->block_bytes);
    model->block_bytes[0] = 64;
    model->block_bytes[1] = 4096;
    model->size_count = BLOCK_SIZES;
    model->distinct_blocks = make(BLOCK_SIZES, sizeof *model->distinct_blocks);
    model->matched_share = 1;
    model->group_count = GROUPS;
    model->groups = make(GROUPS, sizeof *model->groups);
    model->counts_count = LOOPS;
    model->counts = make(LOOPS, sizeof *model->counts);
    model->executions =
        (struct ft_model_executions){.blocks = make(LOOPS, sizeof(uint32_t)),
                                     .edges = make(LOOPS, sizeof(uint32_t)),
                                     .functions = make(LOOPS, sizeof(struct ft_function)),
                                     .count = LOOPS};
    for (uint32_t i = 0; i < LOOPS; i++) {
        model->counts[i].scope = scope_of_loop(i);
        model->executions.blocks[i] = model->executions.edges[i] = i;
    }
    for (size_t i = 0; i < GROUPS; i++)
        model->groups[i] = (struct ft_model_group){
            .scope = scope_of_loop((unsigned)i / 2),
            .reference_count = 1,
            .line = model->scopes.references[i].line,
            .stride_bytes = 8,
            .accesses_at_largest = LARGEST * iterations((unsigned)i / 2),
            .histograms = make(BLOCK_SIZES, sizeof(struct ft_model_histogram))};
}

int main(int argc, char **argv)
{
    struct ft_diag diag = {0};
    if (argc != 2)
        return 2;
    struct ft_model model = bare_model("p", "N");
    ft_scopes_fini(&model.scopes);
    free(model.block_bytes);
    free(model.distinct_blocks);
    free(model.groups);
    free(model.counts);
    fill_model(&model);
    fill_functions(&model, 1);
    int status = ft_model_add_replicas(&model, BARE_MODEL_SIZES, &diag);
    for (size_t i = 0; status == FT_OK && i < BARE_MODEL_SIZES; i++)
        fill_functions(&model.replicas[i], 1 + 0.01 * (double)i);
    if (status == FT_OK)
        status = ft_model_write(argv[1], &model, &diag);
    ft_model_fini(&model);
    if (status != FT_OK)
        fprintf(stderr, "%s\n", diag.message);
    return status == FT_OK ? 0 : 1;
}
