/*
 * print_forms: reads an instruction a line, in hexadecimal, and prints its length and form (
 * formats/x86/instruction_form.h), "0 " where there is none. For make_cores.
 */
#include <stdio.h>
#include <string.h>

#include "formats/x86/instruction.h"
#include "formats/x86/instruction_form.h"

int main(void)
{
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        uint8_t code[16] = {0};
        size_t length = 0;
        unsigned byte;
        struct ft_instruction instruction;
        ZydisDecodedInstruction decoded;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        char form[FT_FORM_BYTES] = "";
        while (length < sizeof code && sscanf(line + 2 * length, "%2x", &byte) == 1)
            code[length++] = (uint8_t)byte;
        if (ft_instruction_decode_full(code, length, 0x1000, &instruction, &decoded, operands,
                                       NULL) == FT_OK)
            ft_instruction_form(&decoded, operands, form);
        printf("%u %s\n", form[0] ? instruction.length : 0U, form);
    }
    return 0;
}
