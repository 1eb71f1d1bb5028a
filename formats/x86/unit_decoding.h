/*
 * What is decoded of each instruction of a unit, for planning and for translation.
 */
#ifndef FT_FORMATS_X86_UNIT_DECODING_H
#define FT_FORMATS_X86_UNIT_DECODING_H

#include "formats/x86/effect.h"
#include "formats/x86/unit.h"

struct ft_unit_decoding {
    struct ft_instruction instructions[FT_PATH_INSTRUCTIONS_MAX];
    struct ft_effect effects[FT_PATH_INSTRUCTIONS_MAX];
    ZydisDecodedInstruction zydis[FT_PATH_INSTRUCTIONS_MAX];
};

#endif
