/*
 * The windows of a capture, told apart one instruction at a time: from the entry of a function to
 * its return or to the entry of another, between the program's markers, or by numbers of
 * instructions. Knows nothing of how capture does it.
 */
#ifndef FT_TESTS_ORACLE_STEP_WINDOW_H
#define FT_TESTS_ORACLE_STEP_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct step_window {
    bool asked_for;       /* else it is always open */
    uint64_t from, until; /* addresses of functions; 0: none */
    bool markers;
    const char *counts; /* "SKIP:COUNT,SKIP:COUNT...": instructions; NULL: none */

    bool is_open;
    uint64_t return_pc, return_rsp;
    uint64_t instructions, edge; /* executed; those before the next change by numbers */
};

void step_window_start(struct step_window *window);
/* Before each instruction, `code` of it. */
void step_window_look(struct step_window *window, pid_t process,
                      const struct user_regs_struct *registers, const uint8_t *code, size_t bytes);

#endif
