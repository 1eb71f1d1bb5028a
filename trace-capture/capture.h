/*
 * One capture while it runs: what the tracing thread knows of the target. Internal to
 * trace-capture; each part of the state belongs to the file named beside it.
 *
 * Program state: most handlers bring the stopped target to a clean point, between two units or
 * iterations, and look at it as if it ran natively: ft_program_leave gives the program's own
 * registers and the log pointer apart, ft_program_enter sends it back into translated code.
 */
#ifndef FT_TRACE_CAPTURE_CAPTURE_H
#define FT_TRACE_CAPTURE_CAPTURE_H

#include "trace-capture/code_cache.h"
#include "trace-capture/drain.h"
#include "trace-capture/target.h"
#include "trace-capture/translate.h"

struct ft_code_page;

struct ft_code_mapping {
    uint64_t start, end, offset;
    uint32_t module; /* FT_NO_MODULE: anonymous memory */
    bool writable;
};

struct ft_kernel_sigaction { /* as rt_sigaction takes it */
    uint64_t handler, flags, restorer, mask;
};

struct ft_capture {
    struct ft_target target;
    struct ft_code_cache cache;
    struct ft_translator translator;
    struct ft_drain *drain;
    struct ft_log_state buffer_state; /* log_buffer.c: at the start of the buffer */
    uint64_t fs_base;
    bool direction_down;

    struct ft_code_mapping *mappings; /* mappings.c: the executable ones, ascending */
    size_t mapping_count, mapping_capacity;
    char **module_paths; /* by module index */
    uint64_t *module_starts;
    size_t module_count, module_capacity, module_start_capacity;
    struct ft_code_page **pages; /* hash chains of what was read */

    struct ft_kernel_sigaction trap_action, fault_action; /* signals.c */
    bool dying;      /* a signal ends the target; its log is closed */
    bool finished;   /* the target is gone or runs natively */
    int wait_status; /* of its end, where it has ended */
    char end_reason[512];
};

/* --- log_buffer.c: the buffer that the target writes -------------------------------------- */

#define FT_LOG_RECORD_BYTES_MAX (16U + FT_UNIT_INSTRUCTIONS_MAX * FT_ACCESSES_MAX * 64U)
/* Its address in the target. */
uint64_t ft_log_buffer_start(const struct ft_capture *capture);
/* Starts filling the buffer with records that go on from `state`. */
void ft_log_buffer_open(struct ft_capture *capture, const struct ft_log_state *state);
/* Gives the records up to `end` (an address in the target) to the drain; the buffer is empty. */
void ft_log_buffer_close(struct ft_capture *capture, uint64_t end);
/* Appends an escape at *log_pointer, which is between records, and moves it. */
void ft_log_escape(struct ft_capture *capture, uint64_t *log_pointer, uint32_t kind,
                   uint64_t value);
/* Whether an address is in the buffer, and in the guard behind it. */
bool ft_log_buffer_holds(const struct ft_capture *capture, uint64_t address);
bool ft_log_buffer_guards(const struct ft_capture *capture, uint64_t address);
/* The target faulted on the guard: empties the buffer. */
int ft_log_buffer_full(struct ft_capture *capture, struct user_regs_struct *registers,
                       struct ft_diag *diag);
/* A loop's record ends here, at the loop's head, with the iterations made so far; gives the
 * address behind it. */
uint64_t ft_log_close_loop(struct ft_capture *capture, const struct ft_translation *translation,
                           const struct user_regs_struct *registers);
/* The unit ran only its first `instructions`: its open record becomes a PARTIAL escape; gives the
 * address behind it. */
uint64_t ft_log_close_partial(struct ft_capture *capture, const struct ft_translation *translation,
                              const struct user_regs_struct *registers, unsigned instructions);

/* --- program_state.c ---------------------------------------------------------------------- */

struct ft_program_state {
    struct user_regs_struct registers; /* as in a native run; rip is the program's */
    uint64_t log_pointer;              /* between two records */
};

/* Where the number-th general register stands in ptrace's structure. */
unsigned long long *ft_register_of(struct user_regs_struct *registers, unsigned number);
/* If the target, stopped with these registers, is at a clean point: its program state. */
bool ft_program_leave(struct ft_capture *capture, const struct user_regs_struct *registers,
                      struct ft_program_state *ret_state);
/* The program state at a stop of the cache (an int3 whose address is stop->address). */
void ft_program_leave_stop(struct ft_capture *capture, const struct user_regs_struct *registers,
                           const struct ft_stop *stop, struct ft_program_state *ret_state);
/* The program state at an instruction of a unit that faulted; closes its record as partial. */
void ft_program_leave_fault(struct ft_capture *capture, const struct ft_translation *translation,
                            const struct user_regs_struct *registers,
                            struct ft_program_state *ret_state);
/* Sends the target into the translation of the state's rip (translated now if need be). Where the
 * program cannot be captured further it is left running natively and capture->finished is set. */
int ft_program_enter(struct ft_capture *capture, const struct ft_program_state *state,
                     struct ft_diag *diag);
/* Ends the trace here: the target goes on natively from the state, detached, with `signal`. */
int ft_program_release(struct ft_capture *capture, const struct ft_program_state *state, int signal,
                       const char *reason, struct ft_diag *diag);
/* Lets the target run with PTRACE_CONT. */
int ft_program_continue(struct ft_capture *capture, int signal, struct ft_diag *diag);

/* --- mappings.c --------------------------------------------------------------------------- */

int ft_mappings_refresh(struct ft_capture *capture, struct ft_diag *diag);
/* The program changed its mappings in a way that may concern code: refreshes, and forgets all
 * translations if some were made from [start, end). */
int ft_mappings_changed(struct ft_capture *capture, uint64_t start, uint64_t end,
                        struct ft_diag *diag);
const struct ft_code_mapping *ft_mappings_find(const struct ft_capture *capture, uint64_t pc);
ft_code_reader ft_mappings_read_code; /* context: struct ft_capture */
void ft_mappings_fini(struct ft_capture *capture);

/* --- signals.c ---------------------------------------------------------------------------- */

int ft_signals_init(struct ft_capture *capture, struct ft_diag *diag);
/* A signal-delivery stop that is none of the translation's own. */
int ft_signals_deliver(struct ft_capture *capture, int signal, struct user_regs_struct *registers,
                       struct ft_diag *diag);
/* The program runs one instruction natively at the state's rip, then goes on translated. */
int ft_signals_run_natively(struct ft_capture *capture, struct ft_program_state *state,
                            struct ft_diag *diag);
/* The system call rt_sigreturn. */
int ft_signals_return(struct ft_capture *capture, struct ft_program_state *state,
                      struct ft_diag *diag);
/* Whether the kernel resets the program's mask and action for a SIGTRAP or SIGSEGV raised now. */
bool ft_signals_resets(const struct ft_capture *capture, int signal);
/* After translation has caused one that did: puts them back. */
int ft_signals_restore(struct ft_capture *capture, int signal, struct ft_diag *diag);

/* --- system_calls.c ----------------------------------------------------------------------- */

int ft_system_call(struct ft_capture *capture, struct user_regs_struct *registers,
                   const struct ft_stop *stop, struct ft_diag *diag);

/* --- tracer.c ----------------------------------------------------------------------------- */

/* Handles an int3 or guard-page stop that translation made; false where it is none of those. */
int ft_tracer_own_stop(struct ft_capture *capture, int signal, struct user_regs_struct *registers,
                       bool *ret_own, struct ft_diag *diag);
/* Does what a stop stands for; registers are those behind its int3. */
int ft_tracer_at_stop(struct ft_capture *capture, const struct ft_stop *stop,
                      struct user_regs_struct *registers, struct ft_diag *diag);
/* The target is gone, or about to be: finishes the log. */
int ft_tracer_end(struct ft_capture *capture, int wait_status, struct ft_diag *diag);
/* Traces the started target to its end, or to where the trace must end. */
int ft_tracer_run(struct ft_capture *capture, struct ft_diag *diag);

#endif
