/*
 * Text of instructions: Capstone's words, Zydis's where Capstone has none, "(bad)" for no code.
 */
#include "formats/x86/disassembly.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/tap.h"

static void check(struct ft_disassembler *disassembler, const uint8_t *code, size_t length,
                  const char *expected, size_t expected_length)
{
    char text[128];
    size_t used = ft_disassemble(disassembler, code, length, 0x1000, text, sizeof text);
    if (!tap_ok(used == expected_length && strcmp(text, expected) == 0, "%s", expected))
        printf("# got %s, %zu bytes\n", text, used);
}

int main(void)
{
    const uint8_t move[] = {0x48, 0x8b, 0x44, 0x8b, 0x10, 0x90};
    const uint8_t mask[] = {0xc4, 0xe1, 0xfb, 0x92, 0xc8}; /* Capstone 4 does not know it */
    const uint8_t jump[] = {0xeb, 0xfe};
    const uint8_t bad[] = {0x06};
    char text[4];
    struct ft_disassembler *disassembler;

    if (!tap_ok(ft_disassembler_create(&disassembler, NULL) == FT_OK, "created"))
        return tap_plan_done();
    check(disassembler, move, sizeof move, "mov rax, qword ptr [rbx + rcx*4 + 0x10]", 5);
    check(disassembler, jump, sizeof jump, "jmp 0x1000", 2);
    check(disassembler, mask, sizeof mask, "kmovq k1, rax", 5);
    check(disassembler, bad, sizeof bad, "(bad)", 0);
    ft_disassemble(disassembler, move, sizeof move, 0, text, sizeof text);
    tap_ok(strcmp(text, "mov") == 0, "text is cut to its buffer");
    ft_disassembler_destroy(disassembler);
    return tap_plan_done();
}
