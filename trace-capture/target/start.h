/*
 * Starts the program that is to be captured.
 */
#ifndef FT_TRACE_CAPTURE_TARGET_START_H
#define FT_TRACE_CAPTURE_TARGET_START_H

#include <sys/ptrace.h>

#include "trace-capture/target/program_file.h"
#include "trace-capture/target/target.h"

/* Of all captured threads; with them the program ends where foretrace is killed. */
#define FT_PTRACE_OPTIONS                                                                          \
    (PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD |         \
     PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK)

/* Starts argv[0] (searched in PATH) and leaves it stopped at its first instruction. keep_aslr:
 * keep address space randomisation (ASLR) on. */
enum ft_start_failure ft_target_start(struct ft_target *target, char *const *argv, bool keep_aslr,
                                      struct ft_diag *diag);

#endif
