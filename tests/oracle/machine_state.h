/*
 * What a stopped thread's registers say about the instruction it is about to run: the accesses
 * that it will make, one by one. The general registers are always at hand; vectors and masks are
 * fetched only for instructions that need them.
 */
#ifndef FT_TESTS_ORACLE_MACHINE_STATE_H
#define FT_TESTS_ORACLE_MACHINE_STATE_H

#include <sys/types.h>
#include <sys/user.h>

#include "formats/x86/instruction.h"
#include "tests/oracle/access_stream.h"

/* An instruction makes at most 64 accesses, one a byte of a vector. */
#define FT_ACCESSES_A_STEP_MAX 128

struct ft_vector_state {
    uint8_t vectors[32][64];
    uint64_t masks[8];
};

/* The vectors and masks of a stopped thread. */
int ft_vector_state_fetch(pid_t thread, struct ft_vector_state *ret_state, struct ft_diag *diag);

/* Whether the accesses of an instruction depend on vectors or masks. */
bool ft_needs_vectors(const struct ft_instruction *instruction);

/* The accesses of one execution, or of one iteration of a string instruction; vectors may be NULL
 * where they are not needed. Returns how many. */
size_t ft_list_accesses(const struct ft_instruction *instruction,
                        const struct user_regs_struct *registers,
                        const struct ft_vector_state *vectors,
                        struct ft_stream_access ret_accesses[FT_ACCESSES_A_STEP_MAX]);

#endif
