#include "trace-capture/translate/translation.h"

#include <stdlib.h>

#include "trace-capture/translate/moved_operand.h"

void ft_translation_destroy(struct ft_translation *translation)
{
    if (translation->unit.id == 0) /* nobody took the unit over, as with traps */
        ft_unit_fini(&translation->unit);
    free(translation->links);
    free(translation);
}

bool ft_translation_uses_r11(const struct ft_unit *unit, unsigned index)
{
    const struct ft_instruction *instruction = &unit->instructions[index];
    return (instruction->registers_read | instruction->registers_written) >> FT_R11 & 1;
}

unsigned ft_translation_instruction(const struct ft_translation *translation, uint64_t address)
{
    uint64_t offset = address - translation->entry;
    unsigned index = 0;
    while (index < translation->unit.instruction_count && translation->offsets[index + 1] <= offset)
        index++;
    return index;
}

uint64_t ft_translation_copy(const struct ft_translation *translation, unsigned index)
{
    const struct ft_unit *unit = &translation->unit;
    bool hides_r11 = ft_unit_is_path(unit) && ft_translation_uses_r11(unit, index);
    unsigned moved = translation->moved_bytes[index];
    unsigned bytes = moved ? moved + FT_MOVED_RESTORE_BYTES : unit->instructions[index].length;
    if (hides_r11)
        bytes += FT_HIDE_R11_BYTES;
    return translation->entry + translation->offsets[index + 1] - bytes;
}
