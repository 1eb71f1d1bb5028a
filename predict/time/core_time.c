/*
 * 1. How often blocks and the edges between them run at the size, and where control comes from.
 * 2. The code of each path through a scope, and what runs before one that repeats, or between its
 *    runs.
 * 3. Its schedule, and that of what leads to branches which are mispredicted.
 */
#include "predict/time/core_time.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"
#include "predict/time/loop_runs.h"
#include "predict/time/mispredictions.h"
#include "predict/time/scope_entries.h"
#include "predict/time/scope_paths.h"

/* Bodies longer than that are straight-line code, whose schedule its throughput bounds. */
#define BODY_INSTRUCTIONS_MAX 2000U

/* Of all instructions: runs of rarer loops are not worth their schedules. */
#define RUNS_SHARE_MIN 0.0005

/* A load and a comparison. */
#define RESOLVE_CYCLES 7.0

struct code_list {
    struct ft_body_code *items;
    uint32_t count;
    size_t capacity;
};

struct finding {
    const struct ft_model *model;
    const struct ft_point *at;
    struct ft_path_schedules *schedules;
    struct ft_scope_flow flow;
    struct ft_scope_paths paths;
    size_t *code_of; /* [block]: where its code begins */
    struct ft_scope_entries entries;
    double instructions; /* of the program */
    struct code_list code, entry, between;
    double *mispredictions; /* [block]: those whose branches are not known to be resolved yet */
};

bool ft_core_time_is_known(const struct ft_model *model)
{
    return model->scopes.code && model->executions.count > 0;
}

static double count_at(const struct ft_model *model, uint32_t function, const struct ft_point *at)
{
    return fmax(ft_function_at(&model->executions.functions[function], at), 0);
}

static int start(struct finding *finding, const struct ft_point *at, struct ft_diag *diag)
{
    const struct ft_model *model = finding->model;
    const struct ft_scopes *scopes = &model->scopes;
    FT_TRY(ft_scope_flow_make(scopes, &finding->flow, diag));
    for (size_t i = 0; i < scopes->block_count; i++)
        finding->flow.block_counts[i] = count_at(model, model->executions.blocks[i], at);
    for (size_t i = 0; i < scopes->edge_count; i++)
        finding->flow.edge_counts[i] = count_at(model, model->executions.edges[i], at);
    for (size_t i = 0; i < scopes->block_count; i++)
        finding->instructions +=
            finding->flow.block_counts[i] * scopes->blocks[i].instruction_count;
    finding->code_of = calloc(scopes->block_count + 1, sizeof *finding->code_of);
    finding->mispredictions = calloc(scopes->block_count + 1, sizeof *finding->mispredictions);
    if (!finding->code_of || !finding->mispredictions)
        return ft_fail_memory(diag, "the code of a program");
    for (size_t i = 0; i < scopes->block_count; i++)
        finding->code_of[i + 1] = finding->code_of[i] + scopes->blocks[i].code_bytes;
    FT_TRY(ft_scope_entries_find(scopes, finding->flow.edge_counts, &finding->entries, diag));
    return ft_mispredictions_find(model, at, finding->mispredictions, diag);
}

/* Appends a block's instructions; leads_back: its last one leads to the start. One without code has
 * none. */
static int add_block(const struct finding *finding, uint32_t block, bool leads_back,
                     struct code_list *list, struct ft_diag *diag)
{
    const struct ft_block *from = &finding->model->scopes.blocks[block];
    for (uint32_t at = 0; at < from->code_bytes && list->count < BODY_INSTRUCTIONS_MAX;) {
        const uint8_t *code = finding->model->scopes.code + finding->code_of[block] + at;
        struct ft_instruction instruction;
        if (ft_instruction_decode(code, from->code_bytes - at, from->offset + at, &instruction,
                                  NULL) != FT_OK)
            break;
        at += instruction.length;
        if (instruction.flow == FT_FLOW_JUMP)
            continue; /* the front end follows it */
        if (!FT_RESERVE(list->items, list->capacity, (size_t)list->count + 1))
            return ft_fail_memory(diag, "the code of a program");
        list->items[list->count++] = (struct ft_body_code){code, instruction.length, instruction.pc,
                                                           leads_back && at == from->code_bytes};
    }
    return FT_OK;
}

/* The instructions of blocks of a path that follow each other, from the first-th on; behind its
 * last block a path that repeats goes on with its first. */
static int list_code(struct finding *finding, const struct ft_scope_path *path, uint32_t first,
                     uint32_t block_count, struct ft_diag *diag)
{
    finding->code.count = 0;
    for (uint32_t i = 0; i < block_count; i++) {
        const uint32_t b = (first + i) % path->block_count;
        FT_TRY(add_block(finding, finding->paths.blocks[path->first + b],
                         path->repeats && b + 1 == path->block_count, &finding->code, diag));
    }
    return FT_OK;
}

/* What most often runs before a path that repeats, as far as that is straight-line code of the
 * scope around it. */
static int list_entry(struct finding *finding, const struct ft_scope_path *path,
                      struct ft_diag *diag)
{
    uint32_t blocks[FT_ENTRY_BLOCKS_MAX];
    finding->entry.count = 0;
    if (!path->repeats)
        return FT_OK;
    const uint32_t count =
        ft_scope_entries_before(&finding->entries, finding->paths.blocks[path->first], blocks);
    for (uint32_t i = 0; i < count; i++)
        FT_TRY(add_block(finding, blocks[i], false, &finding->entry, diag));
    return FT_OK;
}

/* The block of a path that runs of the loop begin with: the one that is entered most often. */
static uint32_t first_of_runs(const struct finding *finding, const struct ft_scope_path *path)
{
    const uint32_t *blocks = finding->paths.blocks + path->first;
    uint32_t first = 0;
    for (uint32_t b = 1; b < path->block_count; b++)
        if (finding->entries.entered[blocks[b]] > finding->entries.entered[blocks[first]])
            first = b;
    return first;
}

/* Of an iteration of a path that repeats: a run of the loop overlaps with the next. */
static int find_iteration(struct finding *finding, const struct ft_scope_path *path,
                          const struct ft_schedule *schedule, double *ret_cycles,
                          struct ft_diag *diag)
{
    const uint32_t *blocks = finding->paths.blocks + path->first;
    const uint32_t first = first_of_runs(finding, path);
    const double runs = finding->entries.entered[blocks[first]];
    uint32_t between[FT_BETWEEN_BLOCKS_MAX], count;
    *ret_cycles = schedule->cycles;
    if (!(runs > 1) || path->count * finding->code.count < RUNS_SHARE_MIN * finding->instructions ||
        !ft_scope_entries_between(&finding->entries, blocks[first], between, &count))
        return FT_OK;
    FT_TRY(list_code(finding, path, first, path->block_count, diag));
    finding->between.count = 0;
    for (uint32_t i = 0; i < count; i++)
        FT_TRY(add_block(finding, between[i], false, &finding->between, diag));
    double mispredictions = 0;
    for (uint32_t b = 0; b < path->block_count; b++)
        mispredictions += finding->mispredictions[blocks[b]];
    const struct ft_loop_runs loop = {
        .iteration = finding->code.items,
        .between = finding->between.items,
        .iteration_length = finding->code.count,
        .between_length = finding->between.count,
        .iterations = count_at(finding->model, finding->model->executions.blocks[blocks[first]],
                               finding->at) /
                      runs,
        .mispredictions = mispredictions / runs,
    };
    return ft_loop_runs_cycles(finding->schedules, &loop, schedule, ret_cycles, diag);
}

static int add_path(struct finding *finding, const struct ft_scope_path *path,
                    struct ft_core_time *time, double *heaviest, struct ft_diag *diag)
{
    struct ft_schedule schedule;
    double each;
    FT_TRY(list_code(finding, path, 0, path->block_count, diag));
    FT_TRY(list_entry(finding, path, diag));
    if (finding->code.count == 0)
        return FT_OK;
    const struct ft_body_path code = {.code = finding->code.items,
                                      .count = finding->code.count,
                                      .repeats = path->repeats,
                                      .entry = finding->entry.items,
                                      .entry_count = finding->entry.count};
    FT_TRY(ft_path_schedule_find(finding->schedules, &code, &schedule, diag));
    /* Straight-line code overlaps with what is around it. */
    each = ft_schedule_throughput(&schedule);
    if (path->repeats)
        FT_TRY(find_iteration(finding, path, &schedule, &each, diag));
    const double cycles = path->count * each;
    time->cycles += cycles;
    time->front_end_cycles += fmin(cycles, path->count * schedule.bounds[FT_LIMIT_FRONT_END]);
    time->unknown_instructions += path->count * schedule.unknown_count;
    if (cycles > *heaviest) {
        *heaviest = cycles;
        time->heaviest = schedule;
    }
    return FT_OK;
}

/* Mispredictions of the branches at the ends of a path's blocks, by what leads to them on the path.
 */
static int resolve_branches(struct finding *finding, const struct ft_scope_path *path,
                            struct ft_core_time *time, struct ft_diag *diag)
{
    for (uint32_t b = 0; b < path->block_count; b++) {
        double *mispredictions = &finding->mispredictions[finding->paths.blocks[path->first + b]];
        struct ft_schedule schedule;
        if (!(*mispredictions > 0))
            continue;
        FT_TRY(list_code(finding, path, path->repeats ? b + 1 : 0,
                         path->repeats ? path->block_count : b + 1, diag));
        if (finding->code.count == 0)
            continue;
        const struct ft_body_path code = {.code = finding->code.items,
                                          .count = finding->code.count};
        FT_TRY(ft_path_schedule_find(finding->schedules, &code, &schedule, diag));
        time->mispredictions += *mispredictions;
        time->resolve_cycles += *mispredictions * schedule.resolve_cycles;
        *mispredictions = 0;
    }
    return FT_OK;
}

/* Those in no path, as rare as they are. */
static void resolve_rest(struct finding *finding, uint32_t scope, struct ft_core_time *time)
{
    const struct ft_scope_flow *flow = &finding->flow;
    for (uint32_t i = flow->first_block[scope]; i < flow->first_block[scope + 1]; i++) {
        time->mispredictions += finding->mispredictions[flow->blocks[i]];
        time->resolve_cycles += RESOLVE_CYCLES * finding->mispredictions[flow->blocks[i]];
    }
}

/* What is in no path, as rare as it is, takes as long as the rest. */
static void add_rest(const struct finding *finding, uint32_t scope, double instructions,
                     struct ft_core_time *time)
{
    const struct ft_scope_flow *flow = &finding->flow;
    double left = 0;
    for (uint32_t i = flow->first_block[scope]; i < flow->first_block[scope + 1]; i++)
        left += flow->block_counts[flow->blocks[i]] *
                flow->scopes->blocks[flow->blocks[i]].instruction_count;
    if (!(instructions - left > 0))
        return;
    time->cycles *= instructions / (instructions - left);
    time->front_end_cycles *= instructions / (instructions - left);
}

static int find_scope(struct finding *finding, uint32_t scope, struct ft_core_time *time,
                      struct ft_diag *diag)
{
    const struct ft_scope_flow *flow = &finding->flow;
    double instructions = 0, heaviest = 0;
    for (uint32_t i = flow->first_block[scope]; i < flow->first_block[scope + 1]; i++)
        instructions += flow->block_counts[flow->blocks[i]] *
                        flow->scopes->blocks[flow->blocks[i]].instruction_count;
    FT_TRY(ft_scope_paths_find(&finding->flow, scope, &finding->paths, diag));
    for (uint32_t p = 0; p < finding->paths.count; p++)
        FT_TRY(add_path(finding, &finding->paths.items[p], time, &heaviest, diag));
    for (uint32_t p = 0; p < finding->paths.count; p++)
        FT_TRY(resolve_branches(finding, &finding->paths.items[p], time, diag));
    add_rest(finding, scope, instructions, time);
    resolve_rest(finding, scope, time);
    return FT_OK;
}

int ft_core_times_find(const struct ft_model *model, struct ft_path_schedules *schedules,
                       const struct ft_point *at, struct ft_core_time *ret_times,
                       struct ft_diag *diag)
{
    struct finding finding = {.model = model, .at = at, .schedules = schedules};
    int status = start(&finding, at, diag);
    for (uint32_t scope = 0; status == FT_OK && scope < model->scopes.scope_count; scope++) {
        ret_times[scope] = (struct ft_core_time){0};
        status = find_scope(&finding, scope, &ret_times[scope], diag);
    }
    ft_scope_flow_fini(&finding.flow);
    ft_scope_paths_fini(&finding.paths);
    free(finding.code_of);
    free(finding.mispredictions);
    free(finding.code.items);
    free(finding.entry.items);
    free(finding.between.items);
    ft_scope_entries_fini(&finding.entries);
    return status;
}
