/*
 * From a trace to the code of its hot paths.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_blocks.h"
#include "engine/program/graph/trace_executions.h"
#include "engine/program/structure.h"
#include "formats/base/array.h"
#include "formats/trace/reference_table.h"

static bool is_known(const struct blocks *blocks, const struct ft_body_code *code, uint32_t count)
{
    for (size_t b = 0; b < blocks->count; b++) {
        const struct block *other = blocks->items[b];
        bool equal = other->count == count;
        for (uint32_t i = 0; equal && i < count; i++)
            equal = other->code[i].length == code[i].length &&
                    memcmp(other->bytes[i], code[i].code, code[i].length) == 0;
        if (equal)
            return true;
    }
    return false;
}

static bool add_block(struct blocks *blocks, const char *name, double share,
                      const struct ft_body_code *code, uint32_t count)
{
    if (count < 2 || count > BLOCK_INSTRUCTIONS_MAX || is_known(blocks, code, count))
        return true;
    struct block *block = calloc(1, sizeof *block);
    if (!block || !FT_RESERVE(blocks->items, blocks->capacity, blocks->count + 1)) {
        free(block);
        return false;
    }
    snprintf(block->name, sizeof block->name, "%s", name);
    block->count = count;
    block->share = share;
    for (uint32_t i = 0; i < count; i++) {
        block->code[i] = code[i];
        memcpy(block->bytes[i], code[i].code, code[i].length);
        block->code[i].code = block->bytes[i];
    }
    blocks->items[blocks->count++] = block;
    return true;
}

static int add_paths(const struct ft_structure *structure, const struct ft_block_exits *exits,
                     uint32_t loop, double all, double min_share, const char *program,
                     struct blocks *blocks, struct ft_diag *diag)
{
    struct ft_loop_paths paths;
    char name[160];
    const uint32_t header = structure->loops.items[loop].header;
    FT_TRY(ft_loop_paths_find(&structure->graph, &structure->loops, exits, loop, &paths, diag));
    int status = FT_OK;
    for (uint32_t p = 0; p < paths.count && status == FT_OK; p++) {
        struct ft_body_code *code;
        uint32_t count;
        if (!paths.items[p].returns || paths.items[p].has_loops || paths.items[p].has_calls)
            continue;
        status = ft_path_code(&structure->graph, &paths, p, &code, &count, diag);
        if (status != FT_OK)
            break;
        const double share = (double)paths.items[p].count * count / all;
        snprintf(name, sizeof name, "%s:%s:0x%llx.%u", program,
                 structure->scopes.scopes[structure->scope_of_loop[loop]].name,
                 (unsigned long long)structure->graph.blocks[header].offset, p);
        if (share >= min_share && !add_block(blocks, name, share, code, count))
            status = ft_fail_memory(diag, "a block");
        free(code);
    }
    ft_loop_paths_fini(&paths);
    return status;
}

static int add_loops(const struct ft_structure *structure, const char *program, double min_share,
                     struct blocks *blocks, struct ft_diag *diag)
{
    struct ft_block_exits exits;
    double all = 1;
    for (size_t b = 0; b < structure->graph.block_count; b++)
        all += (double)structure->graph.blocks[b].execution_count *
               structure->graph.blocks[b].instruction_count;
    FT_TRY(ft_block_exits_find(&structure->graph, &structure->routines, &exits, diag));
    int status = FT_OK;
    for (uint32_t l = 0; l < structure->loops.count && status == FT_OK; l++)
        status = add_paths(structure, &exits, l, all, min_share, program, blocks, diag);
    ft_block_exits_fini(&exits);
    return status;
}

int blocks_of_trace(const char *path, double min_share, struct blocks *blocks, struct ft_diag *diag)
{
    const struct ft_trace_options options = {0};
    struct ft_trace *trace = NULL;
    struct ft_reference_table table = {0};
    struct ft_execution_counts counts = {0};
    struct ft_structure structure = {0};
    const char *slash = strrchr(path, '/');
    int status;
    FT_TRY(ft_trace_open(path, &options, &trace, diag));
    FT_TRY_TO(done, status,
              ft_reference_table_init(&table, trace, FT_RUN_ACCESSES | FT_RUN_FETCHES, diag));
    FT_TRY_TO(done, status, ft_trace_executions(trace, NULL, &counts, diag));
    FT_TRY_TO(done, status,
              ft_structure_of_trace(trace, &counts, table.references, table.reference_count, NULL,
                                    &structure, diag));
    status = add_loops(&structure, slash ? slash + 1 : path, min_share, blocks, diag);
done:
    ft_structure_fini(&structure);
    ft_execution_counts_fini(&counts);
    ft_reference_table_fini(&table);
    ft_trace_close(trace);
    return status;
}
