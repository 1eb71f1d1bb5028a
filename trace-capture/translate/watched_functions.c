/*
 * Looks up the functions that were found (watched_search.c) by program counter, and emits the
 * escapes that their calls and returns leave in the log: with the log pointer in r11, where all
 * other registers hold the program's values.
 */
#include "trace-capture/translate/watched_functions.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/trace/library_calls.h"
#include "formats/x86/unit.h"
#include "trace-capture/translate/emit_x86_64.h"

void ft_watched_fini(struct ft_watched_functions *watched)
{
    for (size_t i = 0; i < watched->module_count; i++)
        free(watched->modules[i].extents.items);
    free(watched->modules);
    free(watched->functions);
    free(watched->returns);
    free(watched->program_path);
    watched->program_path = NULL;
    watched->modules = NULL;
    watched->module_count = watched->module_capacity = 0;
    watched->functions = NULL;
    watched->returns = NULL;
    watched->function_count = watched->function_capacity = 0;
    watched->return_count = watched->return_capacity = 0;
}

const struct ft_watched_function *ft_watched_find(const struct ft_watched_functions *watched,
                                                  uint64_t pc, uint32_t module)
{
    size_t low = FT_COUNT_BELOW(watched->functions, watched->function_count, pc, pc);
    const struct ft_watched_function *found = watched->functions + low;
    return low < watched->function_count && found->pc == pc && found->module == module ? found
                                                                                       : NULL;
}

bool ft_watched_returns_known(const struct ft_watched_functions *watched)
{
    for (size_t i = 0; i < watched->module_count; i++)
        if (watched->modules[i].slot_count > 0)
            return false;
    return true;
}

bool ft_watched_returns(const struct ft_watched_functions *watched, uint64_t pc, uint32_t module)
{
    for (size_t i = 0; i < watched->return_count; i++)
        if (pc >= watched->returns[i].start && pc < watched->returns[i].end &&
            watched->returns[i].module == module)
            return true;
    return false;
}

void ft_watched_emit_call(struct ft_emitter *emitter, const struct ft_watched_function *function)
{
    static const uint8_t arguments[] = {FT_RDI, FT_RSI, FT_RDX, FT_RCX, FT_R8, FT_R9};
    uint32_t head = ft_library_call_head(function->number, function->argument_count);
    ft_emit_store_imm32(emitter, FT_R11, 0, 0);
    ft_emit_store_imm32(emitter, FT_R11, 4, FT_ESCAPE_CALL);
    ft_emit_store_imm32(emitter, FT_R11, 8, head);
    ft_emit_store_imm32(emitter, FT_R11, 12, 0);
    for (int i = 0; i < function->argument_count; i++)
        ft_emit_store(emitter, FT_R11, 16 + 8 * i, arguments[i], 8);
    ft_emit_lea(emitter, FT_R11, FT_R11, 16 + 8 * function->argument_count);
}

void ft_watched_emit_return(struct ft_emitter *emitter)
{
    ft_emit_store_imm32(emitter, FT_R11, 0, 0);
    ft_emit_store_imm32(emitter, FT_R11, 4, FT_ESCAPE_RETURN);
    ft_emit_store(emitter, FT_R11, 8, FT_RAX, 8);
    ft_emit_lea(emitter, FT_R11, FT_R11, 16);
}
