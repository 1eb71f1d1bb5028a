/*
 * Code for a schedule as a test spells it.
 */
#ifndef FT_TESTS_SUPPORT_BODY_CODE_H
#define FT_TESTS_SUPPORT_BODY_CODE_H

#include "engine/schedule/body.h"

/* Of instructions as code_of_word has them, one behind the other from an address on; how many.
 * bytes: room for them. */
uint32_t body_code_of_text(const char *text, uint64_t pc, uint8_t bytes[][16],
                           struct ft_body_code *ret_code);

#endif
