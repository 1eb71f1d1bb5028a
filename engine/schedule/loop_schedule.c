#include "engine/schedule/loop_schedule.h"

#include <stdlib.h>
#include <string.h>

#include "engine/schedule/body_making.h"

/* Whether a branch at the end of a block leads elsewhere than behind it on this path. */
static bool is_taken(const struct ft_flow_graph *graph, const struct ft_loop_paths *paths,
                     const struct ft_loop_path *path, uint32_t block_index)
{
    const struct ft_flow_block *block =
        &graph->blocks[paths->blocks[path->first_block + block_index]];
    const struct ft_instruction *last =
        graph->instructions[block->first_instruction + block->instruction_count - 1];
    if (last->flow == FT_FLOW_NEXT)
        return false;
    if (last->flow != FT_FLOW_BRANCH)
        return true;
    const uint32_t next = block_index + 1 < path->block_count ? block_index + 1 : 0;
    /* A path that leaves the loop goes somewhere else than the blocks tell. */
    return graph->blocks[paths->blocks[path->first_block + next]].pc != last->pc + last->length;
}

/* Blocks are in the order of their code, and loops behind what leads to them. */
#define NEAR_BLOCKS 32U

/* The block that leads into a loop most often, of those near its header; FT_NO_BLOCK: none. */
static uint32_t block_before(const struct ft_program_loops *loops,
                             const struct ft_block_exits *exits, uint32_t loop)
{
    const uint32_t header = loops->items[loop].header;
    uint32_t best = FT_NO_BLOCK;
    uint64_t most = 0;
    for (uint32_t b = header > NEAR_BLOCKS ? header - NEAR_BLOCKS : 0; b < header; b++) {
        uint32_t around = loops->of_block[b];
        while (around != FT_NO_LOOP && around != loop)
            around = loops->items[around].parent;
        for (uint32_t e = exits->first[b]; around != loop && e < exits->first[b + 1]; e++)
            if (exits->items[e].to == header && exits->items[e].count > most) {
                most = exits->items[e].count;
                best = b;
            }
    }
    return best;
}

static void put_block(const struct ft_flow_graph *graph, const struct ft_flow_block *block,
                      struct ft_body_code *code, uint32_t *count)
{
    for (uint32_t i = 0; i < block->instruction_count; i++) {
        const uint32_t index = block->first_instruction + i;
        const struct ft_instruction *instruction = graph->instructions[index];
        if (graph->units[index]->kind != FT_UNIT_REFERENCES)
            code[(*count)++] =
                (struct ft_body_code){.code = ft_unit_code(graph->units[index], instruction),
                                      .length = instruction->length,
                                      .pc = instruction->pc};
    }
}

int ft_path_code(const struct ft_flow_graph *graph, const struct ft_loop_paths *paths,
                 uint32_t path_index, struct ft_body_code **ret_code, uint32_t *ret_count,
                 struct ft_diag *diag)
{
    const struct ft_loop_path *path = &paths->items[path_index];
    size_t most = 1;
    uint32_t count = 0;
    for (uint32_t b = 0; b < path->block_count; b++)
        most += graph->blocks[paths->blocks[path->first_block + b]].instruction_count;
    struct ft_body_code *code = calloc(most, sizeof *code);
    if (!code)
        return ft_fail_memory(diag, "the code of a path");
    for (uint32_t b = 0; b < path->block_count; b++) {
        const struct ft_flow_block *block = &graph->blocks[paths->blocks[path->first_block + b]];
        const uint32_t first = count;
        put_block(graph, block, code, &count);
        if (count > first)
            code[count - 1].taken = is_taken(graph, paths, path, b);
    }
    *ret_code = code;
    *ret_count = count;
    return FT_OK;
}

static int schedule_path(const struct ft_core *core, const struct ft_flow_graph *graph,
                         const struct ft_loop_paths *paths, uint32_t path,
                         const struct ft_body_path *entry, struct ft_path_schedule *ret,
                         struct ft_diag *diag)
{
    struct ft_body_code *code;
    uint32_t count;
    struct ft_body body = {0};
    FT_TRY(ft_path_code(graph, paths, path, &code, &count, diag));
    struct ft_body_path whole = *entry;
    whole.code = code;
    whole.count = count;
    whole.repeats = true;
    int status = ft_body_make(core, &whole, &body, diag);
    if (status == FT_OK)
        status = ft_schedule_find(&body, true, &ret->schedule, diag);
    if (status == FT_OK) {
        ret->instruction_count = count;
        if (ret->schedule.limit == FT_LIMIT_RECURRENCE)
            ret->limit_pc = code[ret->schedule.recurrence_instruction].pc;
        memcpy(ret->unknown_form, body.unknown_form, sizeof ret->unknown_form);
    }
    ft_body_fini(&body);
    free(code);
    return status;
}

int ft_loop_schedule_find(const struct ft_core *core, const struct ft_flow_graph *graph,
                          const struct ft_program_loops *loops, const struct ft_block_exits *exits,
                          uint32_t loop, struct ft_loop_schedule *ret_schedule,
                          struct ft_diag *diag)
{
    struct ft_loop_schedule schedule = {0};
    FT_TRY(ft_loop_paths_find(graph, loops, exits, loop, &schedule.paths, diag));
    const uint32_t before = block_before(loops, exits, loop);
    const size_t most = before == FT_NO_BLOCK ? 0 : graph->blocks[before].instruction_count;
    struct ft_body_path entry = {0};
    struct ft_body_code *entry_code = calloc(most + 1, sizeof *entry_code);
    schedule.of_paths = calloc(schedule.paths.count + 1U, sizeof *schedule.of_paths);
    int status =
        schedule.of_paths && entry_code ? FT_OK : ft_fail_memory(diag, "the schedule of a loop");
    if (status == FT_OK && before != FT_NO_BLOCK)
        put_block(graph, &graph->blocks[before], entry_code, &entry.entry_count);
    entry.entry = entry_code;
    for (uint32_t p = 0; status == FT_OK && p < schedule.paths.count; p++) {
        struct ft_path_schedule *path = &schedule.of_paths[p];
        const double times = (double)schedule.paths.items[p].count;
        status = schedule_path(core, graph, &schedule.paths, p, &entry, path, diag);
        schedule.cycles += times * path->schedule.cycles;
        schedule.instructions += times * path->instruction_count;
        schedule.unknown_instructions += times * path->schedule.unknown_count;
    }
    free(entry_code);
    if (status == FT_OK)
        *ret_schedule = schedule;
    else
        ft_loop_schedule_fini(&schedule);
    return status;
}

void ft_loop_schedule_fini(struct ft_loop_schedule *schedule)
{
    ft_loop_paths_fini(&schedule->paths);
    free(schedule->of_paths);
    *schedule = (struct ft_loop_schedule){0};
}
