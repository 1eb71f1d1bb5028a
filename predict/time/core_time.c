/*
 * 1. How often blocks and the edges between them run at the size, and where control comes from.
 * 2. The code of each path through a scope, and what runs before one that repeats.
 * 3. Its schedule, and that of what leads to branches which are mispredicted.
 */
#include "predict/time/core_time.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"
#include "predict/time/mispredictions.h"
#include "predict/time/scope_paths.h"

/* Bodies longer than that are straight-line code, whose schedule its throughput bounds. */
#define BODY_INSTRUCTIONS_MAX 2000U

/* Before a loop. */
#define ENTRY_BLOCKS_MAX 4U

/* A load and a comparison. */
#define RESOLVE_CYCLES 7.0

#define NO_BLOCK UINT32_MAX

struct code_list {
    struct ft_body_code *items;
    uint32_t count;
    size_t capacity;
};

struct finding {
    const struct ft_model *model;
    struct ft_path_schedules *schedules;
    struct ft_scope_flow flow;
    struct ft_scope_paths paths;
    size_t *code_of; /* [block]: where its code begins */
    /* [block]: the one that leads to it most often, of those around its scope, and of its own */
    uint32_t *entered_from, *before;
    struct code_list code, entry;
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

/* Where control comes from. */
static int find_entries(struct finding *finding, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &finding->model->scopes;
    const double *counts = finding->flow.edge_counts;
    double *most = calloc(2 * (scopes->block_count + 1), sizeof *most);
    finding->entered_from = malloc((scopes->block_count + 1) * sizeof *finding->entered_from);
    finding->before = malloc((scopes->block_count + 1) * sizeof *finding->before);
    if (!most || !finding->entered_from || !finding->before) {
        free(most);
        return ft_fail_memory(diag, "the code of a program");
    }
    for (size_t b = 0; b < scopes->block_count; b++)
        finding->entered_from[b] = finding->before[b] = NO_BLOCK;
    for (size_t e = 0; e < scopes->edge_count; e++) {
        const uint32_t from = scopes->edges[e].from, to = scopes->edges[e].to;
        const uint32_t inside = scopes->blocks[from].scope, scope = scopes->blocks[to].scope;
        const bool is_own = inside == scope;
        double *count = &most[2 * to + is_own];
        if ((!is_own && ft_scope_is_inside(scopes, inside, scope)) || counts[e] <= *count)
            continue;
        *count = counts[e];
        (is_own ? finding->before : finding->entered_from)[to] = from;
    }
    free(most);
    return FT_OK;
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
    finding->code_of = calloc(scopes->block_count + 1, sizeof *finding->code_of);
    finding->mispredictions = calloc(scopes->block_count + 1, sizeof *finding->mispredictions);
    if (!finding->code_of || !finding->mispredictions)
        return ft_fail_memory(diag, "the code of a program");
    for (size_t i = 0; i < scopes->block_count; i++)
        finding->code_of[i + 1] = finding->code_of[i] + scopes->blocks[i].code_bytes;
    FT_TRY(find_entries(finding, diag));
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
    uint32_t blocks[ENTRY_BLOCKS_MAX], count = 0;
    finding->entry.count = 0;
    if (!path->repeats)
        return FT_OK;
    uint32_t block = finding->entered_from[finding->paths.blocks[path->first]];
    while (block != NO_BLOCK && count < ENTRY_BLOCKS_MAX) {
        blocks[count++] = block;
        block = finding->before[block];
    }
    while (count > 0)
        FT_TRY(add_block(finding, blocks[--count], false, &finding->entry, diag));
    return FT_OK;
}

/* What the ports, the front end and atomic instructions allow: straight-line code overlaps with
 * what is around it. */
static double throughput_of(const struct ft_schedule *schedule)
{
    return fmax(fmax(schedule->bounds[FT_LIMIT_FRONT_END], schedule->bounds[FT_LIMIT_PORTS]),
                schedule->atomic_cycles);
}

static int add_path(struct finding *finding, const struct ft_scope_path *path,
                    struct ft_core_time *time, double *heaviest, struct ft_diag *diag)
{
    struct ft_schedule schedule;
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
    const double cycles =
        path->count * (path->repeats ? schedule.cycles : throughput_of(&schedule));
    time->cycles += cycles;
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
    if (instructions - left > 0 && time->cycles > 0)
        time->cycles *= instructions / (instructions - left);
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
    struct finding finding = {.model = model, .schedules = schedules};
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
    free(finding.entered_from);
    free(finding.before);
    return status;
}
