/*
 * A core whose cycles are easily found by hand: 4 operations a cycle, two ALUs of which the second
 * multiplies (3 cycles), an adder of numbers (4 cycles, and 3 to multiply), two load ports (5
 * cycles), one store port, loads from stores 2 cycles behind their data.
 */
#ifndef TESTS_SUPPORT_CORE_BY_HAND_H
#define TESTS_SUPPORT_CORE_BY_HAND_H

#include "machines/cores/core.h"

enum core_by_hand {
    CORE_BY_HAND_FIRST,  /* as a file of version 1: no buffers */
    CORE_BY_HAND_SECOND, /* of version 2: 4 miss buffers, 32 stores, 10 cycles a misprediction */
    /* of version 3: besides, sums wait 2 cycles for sums, memory is renamed, and there are two
     * store ports but a line a cycle */
    CORE_BY_HAND_LATER,
    /* of version 4: the second's buffers, memory is renamed, and vectors get what was stored 7
     * cycles behind its data */
    CORE_BY_HAND_FOURTH,
    /* of version 5: the second's buffers, and an op cache of entries of 2 instructions in windows
     * of 16 bytes, from which what is not there takes 3 cycles */
    CORE_BY_HAND_FIFTH,
    /* of version 6: the same, but a cycle reads one entry, all windows are there, and loads by
     * scaled indices, or by base, index and displacement, take a cycle more */
    CORE_BY_HAND_SIXTH,
};

/* Loads it, from a core file that it writes, as a check of its own; exits where that fails. */
void core_by_hand(enum core_by_hand version, struct ft_core *ret_core);

#endif
