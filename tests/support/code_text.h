/*
 * The bytes of an instruction as a test spells them: "48 8b 03", or of several: "488b03 4801c0".
 */
#ifndef FT_TESTS_SUPPORT_CODE_TEXT_H
#define FT_TESTS_SUPPORT_CODE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* How many there are. */
size_t code_of_text(const char *text, uint8_t bytes[16]);
/* Of the next word, which has no spaces inside; *text: behind it and a space. */
size_t code_of_word(const char **text, uint8_t bytes[16]);

#endif
