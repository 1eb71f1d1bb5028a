/*
 * print_forms: reads an instruction a line, in hexadecimal, and prints its length and form (
 * formats/x86/instruction_form.h), "0 " where there is none. For make_cores.
 */
#include <stdio.h>
#include <string.h>

#include "formats/x86/instruction.h"
#include "formats/x86/instruction_form.h"

/* The value of a hexadecimal digit; -1: it is none. */
static int digit(char c)
{
    const char *digits = "0123456789abcdef", *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

int main(void)
{
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        uint8_t code[16] = {0};
        size_t length = 0;
        struct ft_instruction instruction;
        ZydisDecodedInstruction decoded;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        char form[FT_FORM_BYTES] = "";
        for (; length < sizeof code && digit(line[2 * length]) >= 0; length++)
            code[length] = (uint8_t)(16 * digit(line[2 * length]) + digit(line[2 * length + 1]));
        if (ft_instruction_decode_full(code, length, 0x1000, &instruction, &decoded, operands,
                                       NULL) == FT_OK)
            ft_instruction_form(&decoded, operands, form);
        printf("%u %s\n", form[0] ? instruction.length : 0U, form);
    }
    return 0;
}
