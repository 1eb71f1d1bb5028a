#include "predict/time/core_time.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"
#include "predict/time/mispredictions.h"
#include "predict/time/scope_paths.h"

/* Bodies longer than that are straight-line code, whose schedule its throughput bounds. */
#define BODY_INSTRUCTIONS_MAX 2000U

/* A load and a comparison. */
#define RESOLVE_CYCLES 7.0

struct finding {
    const struct ft_model *model;
    struct ft_path_schedules *schedules;
    struct ft_scope_flow flow;
    struct ft_scope_paths paths;
    size_t *code_of; /* [block]: where its code begins */
    struct ft_body_code *code;
    size_t code_capacity;
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
    finding->code_of = calloc(scopes->block_count + 1, sizeof *finding->code_of);
    finding->mispredictions = calloc(scopes->block_count + 1, sizeof *finding->mispredictions);
    if (!finding->code_of || !finding->mispredictions)
        return ft_fail_memory(diag, "the code of a program");
    for (size_t i = 0; i < scopes->block_count; i++)
        finding->code_of[i + 1] = finding->code_of[i] + scopes->blocks[i].code_bytes;
    return ft_mispredictions_find(model, at, finding->mispredictions, diag);
}

/* The instructions of blocks of a path that follow each other, from the first-th on; behind its
 * last block a path that repeats goes on with its first. A block without code has none. */
static int list_code(struct finding *finding, const struct ft_scope_path *path, uint32_t first,
                     uint32_t block_count, uint32_t *ret_count, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &finding->model->scopes;
    uint32_t count = 0;
    for (uint32_t i = 0; i < block_count; i++) {
        const uint32_t b = (first + i) % path->block_count;
        const uint32_t block = finding->paths.blocks[path->first + b];
        const struct ft_block *from = &scopes->blocks[block];
        for (uint32_t at = 0; at < from->code_bytes && count < BODY_INSTRUCTIONS_MAX;) {
            const uint8_t *code = scopes->code + finding->code_of[block] + at;
            struct ft_instruction instruction;
            if (ft_instruction_decode(code, from->code_bytes - at, from->offset + at, &instruction,
                                      NULL) != FT_OK)
                break;
            at += instruction.length;
            if (instruction.flow == FT_FLOW_JUMP)
                continue; /* the front end follows it */
            if (!FT_RESERVE(finding->code, finding->code_capacity, (size_t)count + 1))
                return ft_fail_memory(diag, "the code of a program");
            finding->code[count++] = (struct ft_body_code){
                code, instruction.length, instruction.pc,
                at == from->code_bytes && path->repeats && b + 1 == path->block_count};
        }
    }
    *ret_count = count;
    return FT_OK;
}

/* What the ports and the front end allow: straight-line code overlaps with what is around it. */
static double throughput_of(const struct ft_schedule *schedule)
{
    return fmax(schedule->bounds[FT_LIMIT_FRONT_END], schedule->bounds[FT_LIMIT_PORTS]);
}

static int add_path(struct finding *finding, const struct ft_scope_path *path,
                    struct ft_core_time *time, double *heaviest, struct ft_diag *diag)
{
    struct ft_schedule schedule;
    uint32_t count = 0;
    FT_TRY(list_code(finding, path, 0, path->block_count, &count, diag));
    if (count == 0)
        return FT_OK;
    FT_TRY(ft_path_schedule_find(finding->schedules, finding->code, count, path->repeats, &schedule,
                                 diag));
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
        uint32_t count;
        if (!(*mispredictions > 0))
            continue;
        FT_TRY(list_code(finding, path, path->repeats ? b + 1 : 0,
                         path->repeats ? path->block_count : b + 1, &count, diag));
        if (count == 0)
            continue;
        FT_TRY(ft_path_schedule_find(finding->schedules, finding->code, count, false, &schedule,
                                     diag));
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
    free(finding.code);
    return status;
}
