/*
 * Zydis against Capstone, an independent decoder: over all executable code of libc both must find
 * the same lengths of legacy and VEX instructions. AVX-512 is left out, which Capstone 4.0.2 knows
 * in part only: instructions with an EVEX prefix, and those on mask registers that it refuses.
 */
#include <capstone/capstone.h>
#include <link.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "tests/support/tap.h"

struct code {
    const uint8_t *bytes;
    size_t length;
};

struct counts {
    uint64_t agreed, differing, avx512, unknown, bad;
};

static int find_libc(struct dl_phdr_info *info, size_t size, void *context)
{
    struct code *code = context;
    (void)size;
    if (!strstr(info->dlpi_name, "libc.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            code->bytes = (const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
            code->length = info->dlpi_phdr[i].p_filesz;
        }
    return 1;
}

/* Protection keys are the only other instructions of libc that Capstone does not know. */
static bool may_be_unknown(const ZydisDecodedInstruction *decoded)
{
    return decoded->meta.category == ZYDIS_CATEGORY_KMASK ||
           decoded->meta.category == ZYDIS_CATEGORY_PKU;
}

static void compare(csh capstone, cs_insn *instruction, const ZydisDecodedInstruction *decoded,
                    const uint8_t *code, size_t left, struct counts *counts)
{
    uint64_t address = 0;

    if (decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX) {
        counts->avx512++;
        return;
    }
    if (!cs_disasm_iter(capstone, &code, &left, &address, instruction)) {
        if (may_be_unknown(decoded)) {
            counts->avx512++;
            return;
        }
        counts->unknown++;
        printf("# unknown to Capstone: %s\n", ZydisMnemonicGetString(decoded->mnemonic));
    } else if (instruction->size != decoded->length) {
        counts->differing++;
        printf("# %s: %u bytes, to Capstone %u\n", ZydisMnemonicGetString(decoded->mnemonic),
               decoded->length, instruction->size);
    } else {
        counts->agreed++;
    }
}

int main(void)
{
    struct code code = {NULL, 0};
    struct counts counts = {0};
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    csh capstone;

    dl_iterate_phdr(find_libc, &code);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!tap_ok(code.bytes && cs_open(CS_ARCH_X86, CS_MODE_64, &capstone) == CS_ERR_OK,
                "libc's code and Capstone are there"))
        return tap_plan_done();
    cs_insn *instruction = cs_malloc(capstone);
    for (size_t at = 0; at < code.length; at += decoded.length) {
        if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.bytes + at, code.length - at,
                                                &decoded, operands))) {
            compare(capstone, instruction, &decoded, code.bytes + at, code.length - at, &counts);
        } else {
            counts.bad++;
            decoded.length = 1;
        }
    }
    cs_free(instruction, 1);
    cs_close(&capstone);
    printf("# %lu agreed, %lu of AVX-512 left out\n", (unsigned long)counts.agreed,
           (unsigned long)counts.avx512);
    tap_ok(counts.bad == 0, "Zydis decodes all of libc's code");
    tap_ok(counts.unknown == 0, "Capstone knows all legacy and VEX instructions");
    tap_ok(counts.agreed > 100000 && counts.differing == 0, "they agree on every length");
    return tap_plan_done();
}
