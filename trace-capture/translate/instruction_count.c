#include "trace-capture/translate/instruction_count.h"

#include "trace-capture/target/context.h"
#include "trace-capture/translate/emit_x86_64.h"

uint64_t ft_emit_count(struct ft_emitter *emitter, unsigned scratch, unsigned instructions)
{
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), scratch);
    ft_emit_load_gs(emitter, scratch, FT_CONTEXT(count_pointer));
    uint64_t address = emitter->address;
    ft_emit_store(emitter, scratch, 0, scratch, 1);
    ft_emit_lea(emitter, scratch, scratch, (int32_t)instructions);
    ft_emit_store_gs(emitter, FT_CONTEXT(count_pointer), scratch);
    ft_emit_load_gs(emitter, scratch, FT_CONTEXT(spill_scratch));
    return address;
}

void ft_emit_count_undo(struct ft_emitter *emitter, unsigned instructions)
{
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), FT_RAX);
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(count_pointer));
    ft_emit_lea(emitter, FT_RAX, FT_RAX, -(int32_t)instructions);
    ft_emit_store_gs(emitter, FT_CONTEXT(count_pointer), FT_RAX);
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_scratch));
}
