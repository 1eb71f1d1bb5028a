/*
 * A program for simulators of instruction caches: 256 routines, about 24 KiB of code, called in an
 * order that keeps some of them near, with loads and stores between. No instruction spans 32 bytes
 * (the assembler's bundles), and no access does.
 */
#include <stddef.h>

#include "tests/support/freestanding.h"

__asm__(".bundle_align_mode 5");

#define WORDS 8192

static uint64_t words[WORDS] __attribute__((aligned(64)));

/* Each its own multipliers, so that they stay apart. */
#define ROUTINE(n)                                                                                 \
    SAMPLE uint64_t routine_##n(uint64_t value)                                                    \
    {                                                                                              \
        uint64_t *word = &words[(value >> 33) % WORDS];                                            \
        value = value * (6364136223846793005u + 2 * (n)) + words[(n)*17 % WORDS];                  \
        if (value >> 40 & 1)                                                                       \
            *word ^= value >> (1 + (n) % 13);                                                      \
        else                                                                                       \
            value ^= *word + (n)*0x9e3779b97f4a7c15u;                                              \
        return value + 1442695040888963407u + (n);                                                 \
    }
#define FOUR(n)      ROUTINE(n##0) ROUTINE(n##1) ROUTINE(n##2) ROUTINE(n##3)
#define SIXTEEN(n)   FOUR(n##0) FOUR(n##1) FOUR(n##2) FOUR(n##3)
#define SIXTYFOUR(n) SIXTEEN(n##0) SIXTEEN(n##1) SIXTEEN(n##2) SIXTEEN(n##3)
SIXTYFOUR(1)
SIXTYFOUR(2)
SIXTYFOUR(3)
SIXTYFOUR(4)

#define NAMES_4(n)  routine_##n##0, routine_##n##1, routine_##n##2, routine_##n##3,
#define NAMES_16(n) NAMES_4(n##0) NAMES_4(n##1) NAMES_4(n##2) NAMES_4(n##3)
#define NAMES_64(n) NAMES_16(n##0) NAMES_16(n##1) NAMES_16(n##2) NAMES_16(n##3)

typedef uint64_t routine(uint64_t value);
static routine *const routines[] = {NAMES_64(1) NAMES_64(2) NAMES_64(3) NAMES_64(4)};

static void run(void)
{
    uint64_t value = 1, near = 0;
    for (size_t i = 0; i < 40000; i++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        if (i % 64 == 0)
            near = value >> 59;
        size_t choice = value >> 44 & 7 ? near + (value >> 50) % 24 : value >> 56;
        value ^= routines[choice % 256](value);
    }
    sample_exit(value == 1);
}

SAMPLE_START(run)
