#include "tests/support/body_code.h"

#include "tests/support/code_text.h"

uint32_t body_code_of_text(const char *text, uint64_t pc, uint8_t bytes[][16],
                           struct ft_body_code *ret_code)
{
    uint32_t count = 0;
    for (; *text; count++) {
        const size_t length = code_of_word(&text, bytes[count]);
        ret_code[count] = (struct ft_body_code){.code = bytes[count], .length = length, .pc = pc};
        pc += length;
    }
    return count;
}
