/*
 * Capstone first. Its answer is shown only where Zydis, which all else rests on, finds the same
 * length: what it mistakes for another instruction must not be shown beside right addresses.
 */
#include "formats/x86/disassembly.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>

#include <Zydis/Zydis.h>

struct ft_disassembler {
    csh capstone;
    cs_insn *instruction;
    ZydisDecoder decoder;
    ZydisFormatter formatter;
};

int ft_disassembler_create(struct ft_disassembler **ret_disassembler, struct ft_diag *diag)
{
    struct ft_disassembler *disassembler = calloc(1, sizeof *disassembler);
    if (!disassembler)
        return ft_fail_memory(diag, "the disassembler");
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler->capstone) != CS_ERR_OK) {
        free(disassembler);
        return ft_fail(diag, FT_ERROR_FAILURE, "Capstone cannot disassemble x86-64");
    }
    disassembler->instruction = cs_malloc(disassembler->capstone);
    if (!disassembler->instruction) {
        ft_disassembler_destroy(disassembler);
        return ft_fail_memory(diag, "the disassembler");
    }
    ZydisDecoderInit(&disassembler->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&disassembler->formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    *ret_disassembler = disassembler;
    return FT_OK;
}

void ft_disassembler_destroy(struct ft_disassembler *disassembler)
{
    if (!disassembler)
        return;
    if (disassembler->instruction)
        cs_free(disassembler->instruction, 1);
    cs_close(&disassembler->capstone);
    free(disassembler);
}

size_t ft_disassemble(struct ft_disassembler *disassembler, const uint8_t *code, size_t length,
                      uint64_t pc, char *text, size_t size_bytes)
{
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    cs_insn *instruction = disassembler->instruction;
    const uint8_t *position = code;
    size_t left = length;
    uint64_t address = pc;

    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&disassembler->decoder, code, length, &decoded, operands))) {
        snprintf(text, size_bytes, "(bad)");
        return 0;
    }
    if (cs_disasm_iter(disassembler->capstone, &position, &left, &address, instruction) &&
        instruction->size == decoded.length) {
        snprintf(text, size_bytes, "%s%s%s", instruction->mnemonic,
                 instruction->op_str[0] ? " " : "", instruction->op_str);
        return decoded.length;
    }
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&disassembler->formatter, &decoded, operands,
                                                      decoded.operand_count_visible, text,
                                                      size_bytes, pc, NULL)))
        snprintf(text, size_bytes, "%s", ZydisMnemonicGetString(decoded.mnemonic));
    return decoded.length;
}
