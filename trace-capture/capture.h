/*
 * One captured image of a process while it runs: what the tracing thread knows of it and of its
 * threads.
 * Internal to trace-capture; each part of the state belongs to the file named beside it.
 *
 * Program state: most handlers bring the stopped thread to a clean point, between two units or
 * iterations, and look at it as if it ran natively: ft_program_leave gives the program's own
 * registers and the log pointer apart, ft_program_enter sends it back into translated code.
 */
#ifndef FT_TRACE_CAPTURE_CAPTURE_H
#define FT_TRACE_CAPTURE_CAPTURE_H

#include <pthread.h>

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/modules/watched_functions.h"
#include "trace-capture/processes/drain.h"
#include "trace-capture/processes/region.h"
#include "trace-capture/processes/target.h"
#include "trace-capture/processes/windows.h"
#include "trace-capture/trace_limits.h"
#include "trace-capture/translation/code_cache.h"
#include "trace-capture/translation/instruction_count.h"
#include "trace-capture/translation/paths.h"
#include "trace-capture/translation/translate.h"

struct ft_code_page;

struct ft_code_mapping {
    uint64_t start, end, offset;
    uint32_t module; /* FT_NO_MODULE: anonymous memory */
    bool may_change; /* without a system call */
};

struct ft_kernel_sigaction { /* as rt_sigaction takes it */
    uint64_t handler, flags, restorer, mask;
};

/* The buffers of a system call that takes a vector of them, as it was at the call. */
struct ft_kernel_vector {
    struct ft_kernel_segment {
        uint64_t address, length;
        uint32_t message; /* of those of recvmmsg and sendmmsg, else 0 */
    } * segments;
    size_t count, capacity;
    uint64_t number;   /* of the call; meaningless once it is logged */
    uint64_t messages; /* address of their array, 0: none */
    bool is_open;      /* the call is under way */
};

struct ft_thread {
    struct ft_capture *capture;
    struct ft_target target;
    uint32_t number; /* in the trace, from 0 */
    struct ft_region region;
    struct ft_log_state buffer_state; /* log_buffer.c: at the start of the buffer */
    struct ft_kernel_vector vector;   /* kernel_vectors.c */
    bool makes_child;                 /* in a system call that makes a thread or process */
    bool child_shares_memory;
    uint64_t looked_at; /* paths.c: up to this address; 0: from the start */
    enum ft_mode mode;  /* of the translations that it runs */
    struct ft_instruction_count count;
    bool is_walking; /* walks.c: from node to node, to be ended */
    bool dying;      /* its log is closed, its end awaited */
    bool gone;       /* it has ended, or runs natively without us */
    struct ft_thread *next_spare;
};

struct ft_capture {
    pid_t pid;
    struct ft_thread **threads; /* threads.c: those that are there */
    size_t thread_count, thread_capacity;
    uint32_t threads_numbered;
    struct ft_thread *spare; /* those that have ended: their regions are used again */

    struct ft_code_cache cache;
    struct ft_translator translator;
    struct ft_paths paths;
    struct ft_drain *drain;

    struct ft_code_mapping *mappings; /* mappings.c: the executable ones, ascending */
    size_t mapping_count, mapping_capacity;
    char **module_paths; /* by module index */
    uint64_t *module_starts;
    size_t module_count, module_capacity, module_start_capacity;
    struct ft_code_page **pages; /* hash chains of what was read */
    struct ft_watched_functions watched;

    struct ft_kernel_sigaction trap_action, fault_action; /* signals.c */
    struct ft_windows windows;
    bool releasing;  /* the trace ends here: all threads go on natively */
    bool has_ended;  /* the process: wait_status is of its end */
    bool abandoned;  /* it failed: the process is killed, the trace stays unfinished */
    int wait_status; /* of the process's end */
    char end_reason[512];
    struct ft_edge_counts *counts; /* as in its code cache; NULL unless edges are counted */

    /* capture.c */
    int memory_fd;             /* of all its targets */
    double cpu_seconds_before; /* of the process, when the image started */
    const char *output;
    struct ft_metadata metadata;
    pthread_t writer;
    bool is_writing;
    struct ft_diag outcome; /* of writing */
    bool failure_told;      /* that of writing */
};

/* --- capture.c ---------------------------------------------------------------------------- */

/* Starts a trace of the target, which stands at an instruction of the program's with its own
 * registers, and sends it into its translation, still stopped. Takes target->memory_fd over. run:
 * metadata that all images share; arguments: NULL for those that the kernel tells; parent: where
 * fork has made the process, else NULL; output: stays the caller's; bytes_max: of the file, 0:
 * no limit; windows: what of it is recorded; watch: the functions whose calls are logged;
 * only_counts: edges are counted, and no addresses logged. */
int ft_capture_begin(const struct ft_target *target, const struct ft_metadata *run,
                     char *const *arguments, const char *output, uint64_t bytes_max,
                     struct ft_window_options *windows, const struct ft_watch *watch,
                     bool only_counts, const struct ft_capture *parent,
                     struct ft_capture **ret_capture, struct ft_diag *diag);
/* Notes the processor time that the process has taken so far: metadata.target_cpu_seconds. */
void ft_capture_note_cpu(struct ft_capture *capture);
/* No thread is traced any more: starts to write the rest of the trace. */
void ft_capture_end(struct ft_capture *capture);
bool ft_capture_has_written(struct ft_capture *capture);
/* Waits until it is written, and frees all. The error of writing. */
int ft_capture_close(struct ft_capture *capture, struct ft_diag *diag);

/* --- threads.c ---------------------------------------------------------------------------- */

/* The process's first thread, at its first instruction: makes the code cache, starts its log, and
 * leaves it standing at the translation. Takes the target over. */
int ft_threads_first(struct ft_capture *capture, const struct ft_target *target,
                     struct ft_diag *diag);
/* A thread that the kernel has just made, at its first stop: the same, and lets it run. Where there
 * is no room for it, it stands as it stood, and is none of the capture's. */
int ft_threads_add(struct ft_capture *capture, pid_t tid, struct ft_diag *diag);
struct ft_thread *ft_threads_find(const struct ft_capture *capture, pid_t tid);
/* The thread is gone: forgets it. */
void ft_threads_remove(struct ft_thread *thread);
void ft_threads_fini(struct ft_capture *capture);

/* --- log_buffer.c: the buffer that the target writes -------------------------------------- */

#define FT_LOG_RECORD_BYTES_MAX (16U + FT_UNIT_INSTRUCTIONS_MAX * FT_ACCESSES_MAX * 64U)
/* Its address in the target. */
uint64_t ft_log_buffer_start(const struct ft_thread *thread);
/* The host's view of an address in the thread's region. */
uint8_t *ft_log_at(const struct ft_thread *thread, uint64_t address);
/* Starts filling the buffer with records that go on from `state`. */
void ft_log_buffer_open(struct ft_thread *thread, const struct ft_log_state *state);
/* Gives the records up to `end` (an address in the target) to the drain; the buffer is empty. */
void ft_log_buffer_close(struct ft_thread *thread, uint64_t end);
/* Appends an escape at *log_pointer, which is between records, and moves it. */
void ft_log_escape(struct ft_thread *thread, uint64_t *log_pointer, uint32_t kind, uint64_t value);
/* The escape of a system call. */
void ft_log_kernel_call(struct ft_thread *thread, uint64_t *log_pointer, uint64_t number,
                        uint64_t address, uint64_t length, uint64_t result);
/* Makes sure that an escape fits between the records at *log_pointer, where the program has these
 * registers: empties the buffer if need be. */
void ft_log_make_room(struct ft_thread *thread, uint64_t *log_pointer,
                      const struct user_regs_struct *registers);
/* Appends a time stamp. */
void ft_log_time(struct ft_thread *thread, uint64_t *log_pointer);
/* The same, if there is more than one thread. */
void ft_log_stamp(struct ft_thread *thread, uint64_t *log_pointer);
/* Whether an address is in the buffer, and in the guard behind it. */
bool ft_log_buffer_holds(const struct ft_thread *thread, uint64_t address);
bool ft_log_buffer_guards(const struct ft_thread *thread, uint64_t address);
/* Whether a translation logs a watched function's call or return there: before its own record, or
 * behind it, with the log pointer in r11. */
bool ft_log_between_units(const struct ft_translation *translation, uint64_t rip);
/* The register that is the log pointer where the thread stands; NULL where none is. */
unsigned long long *ft_log_pointer_of(const struct ft_thread *thread,
                                      struct user_regs_struct *registers);
/* The target faulted on the guard: empties the buffer. */
int ft_log_buffer_full(struct ft_thread *thread, struct user_regs_struct *registers,
                       struct ft_diag *diag);
/* A loop's record ends here, at the loop's head, with the iterations made so far; gives the
 * address behind it. */
uint64_t ft_log_close_loop(struct ft_thread *thread, const struct ft_translation *translation,
                           const struct user_regs_struct *registers);
/* The bytes of a loop's record up to its iterations. */
uint32_t ft_log_loop_entry_bytes(const struct ft_unit *unit);
/* What the program has in a register inside of a unit that does not hold it back for the log: of
 * paths, in r11 too. */
uint64_t ft_log_program_register(const struct ft_thread *thread, const struct ft_unit *unit,
                                 const struct user_regs_struct *registers, unsigned number);
/* The unit ran only its first `instructions`: its open record becomes a PARTIAL escape; gives the
 * address behind it. */
uint64_t ft_log_close_partial(struct ft_thread *thread, const struct ft_translation *translation,
                              const struct user_regs_struct *registers, unsigned instructions);

/* --- faulted_loops.c ---------------------------------------------------------------------- */

/* The loop ran only the first `instructions` of its present turn: its record is closed with the
 * turns before, and the present one becomes a PARTIAL escape, or is left out where its registers at
 * the head cannot be told; gives the address behind it. */
uint64_t ft_log_close_faulted_loop(struct ft_thread *thread,
                                   const struct ft_translation *translation,
                                   const struct user_regs_struct *registers, unsigned instructions);

/* --- program_state.c ---------------------------------------------------------------------- */

/* Where edges are counted: the node that the thread has left, and how (edge_counts.h); or the
 * outside. */
struct ft_walk_place {
    uint32_t node;
    uint8_t left;
};

struct ft_program_state {
    struct user_regs_struct registers; /* as in a native run; rip is the program's */
    uint64_t log_pointer;              /* between two records; outside of windows behind the last */
    struct ft_walk_place left;         /* what it comes from, until that is told (walks.c) */
};

/* Where the number-th general register stands in ptrace's structure. */
unsigned long long *ft_register_of(struct user_regs_struct *registers, unsigned number);
/* If the target, stopped with these registers, is at a clean point: its program state. */
bool ft_program_leave(struct ft_thread *thread, const struct user_regs_struct *registers,
                      struct ft_program_state *ret_state);
/* The program state at a stop of the cache (an int3 whose address is stop->address). */
void ft_program_leave_stop(struct ft_thread *thread, const struct user_regs_struct *registers,
                           const struct ft_stop *stop, struct ft_program_state *ret_state);
/* The program state at an instruction of a unit that faulted; closes its record as partial. */
void ft_program_leave_fault(struct ft_thread *thread, const struct ft_translation *translation,
                            const struct user_regs_struct *registers,
                            struct ft_program_state *ret_state);
/* Where the whole records of a thread end that was killed anywhere: that of the unit that it was in
 * is left out. */
uint64_t ft_program_last_record(struct ft_thread *thread, const struct user_regs_struct *registers);
/* What the kernel copied from its parent into a new thread or process, stopped behind the system
 * call that made it, as in a native run; false where it stands elsewhere. */
bool ft_program_leave_new(const struct ft_capture *capture, struct user_regs_struct *registers);
/* Sends the thread into the translation of the state's rip (translated now if need be). Where the
 * program cannot be captured further it is left running natively and the capture is releasing. */
int ft_program_enter(struct ft_thread *thread, const struct ft_program_state *state,
                     struct ft_diag *diag);
/* The thread goes on natively from the state, detached. */
int ft_program_detach(struct ft_thread *thread, const struct ft_program_state *state,
                      struct ft_diag *diag);
/* Ends the trace here, for a reason: the thread is detached, the others follow. */
int ft_program_release(struct ft_thread *thread, const struct ft_program_state *state,
                       const char *reason, struct ft_diag *diag);
/* The same, where something has failed that the program has no part in. */
int ft_program_give_up(struct ft_thread *thread, const struct ft_program_state *state,
                       const struct ft_diag *failure, struct ft_diag *diag);
/* The same for all threads, wherever they are. */
void ft_program_release_all(struct ft_capture *capture, const char *reason);
void ft_program_give_up_all(struct ft_capture *capture, const struct ft_diag *failure);
/* Lets the thread run with PTRACE_CONT. */
int ft_program_continue(struct ft_thread *thread, int signal, struct ft_diag *diag);

/* --- walks.c: where edges are counted; else they do nothing ------------------------------- */

/* The thread goes on in a translation from the place. */
int ft_walk_enter(struct ft_thread *thread, const struct ft_walk_place *place,
                  const struct ft_translation *to, struct ft_diag *diag);
/* It goes on somewhere else, or nowhere: the place becomes the outside. */
int ft_walk_end(struct ft_thread *thread, struct ft_walk_place *place, struct ft_diag *diag);
/* The same for one that is killed, wherever it is; and for one whose program was replaced. */
int ft_walk_end_killed(struct ft_thread *thread, const struct user_regs_struct *registers,
                       struct ft_diag *diag);
int ft_walk_end_replaced(struct ft_thread *thread, struct ft_diag *diag);
/* A loop is left at its head, or within a turn: notes the turns done, and tells whether there were
 * any. */
bool ft_walk_note_turns(struct ft_thread *thread, const struct ft_translation *translation,
                        const struct user_regs_struct *registers);
/* Where the thread is stopped at the place, and alone: moves counters to ways that were seldom
 * gone, once the program has run long enough since the last time (counter_moves.c). */
int ft_walk_move_counters(struct ft_thread *thread, const struct ft_walk_place *place,
                          struct ft_diag *diag);
/* Makes the thread of a process that runs on and on stop for that. */
void ft_walk_call(struct ft_capture *capture);
/* What the thread has counted. */
uint64_t *ft_walk_counters(const struct ft_thread *thread);
/* Counts a way that it goes, if that has a counter. */
int ft_walk_count(struct ft_thread *thread, uint32_t from, unsigned left, uint32_t to,
                  struct ft_diag *diag);
/* The thread is gone: what it counted goes to the process. */
void ft_walk_take(struct ft_thread *thread);

/* --- mappings.c --------------------------------------------------------------------------- */

int ft_mappings_refresh(struct ft_capture *capture, struct ft_diag *diag);
/* The program changed its mappings in [start, end) in a way that may concern code: refreshes, and
 * forgets what was translated there and is no longer right. is_anew: something else is there now,
 * not the same with another protection. */
int ft_mappings_changed(struct ft_capture *capture, uint64_t start, uint64_t end, bool is_anew,
                        struct ft_diag *diag);
/* Whether there is code in [start, end), as far as is known. */
bool ft_mappings_overlap(const struct ft_capture *capture, uint64_t start, uint64_t end);
/* The version that is of the code as it stands there now; NULL where none is. */
struct ft_translation *ft_mappings_version(const struct ft_capture *capture,
                                           struct ft_translation *first);
/* Whether the program's code is still what was translated. */
bool ft_mappings_holds(const struct ft_capture *capture, const struct ft_translation *translation);
/* Whether the translation may be entered: its code is where it was, and as it was. */
bool ft_mappings_allow(const struct ft_capture *capture, const struct ft_translation *translation);
const struct ft_code_mapping *ft_mappings_find(const struct ft_capture *capture, uint64_t pc);
ft_code_reader ft_mappings_read_code; /* context: struct ft_capture */
void ft_mappings_fini(struct ft_capture *capture);

/* --- signals.c ---------------------------------------------------------------------------- */

/* What the new process ignores. */
int ft_signals_init(struct ft_thread *thread, struct ft_diag *diag);
/* Notes what the thread has blocked. */
int ft_signals_note_mask(struct ft_thread *thread, struct ft_diag *diag);
/* Whether a SIGTRAP or SIGSEGV waits for the stopped thread, perhaps of the translation. */
bool ft_signals_pending(const struct ft_thread *thread);
/* Brings a stopped thread to a clean point; *ret_arrived is false where it ended or faulted on the
 * way, and goes on. */
int ft_signals_leave(struct ft_thread *thread, struct user_regs_struct *registers,
                     struct ft_program_state *ret_state, bool *ret_arrived, struct ft_diag *diag);
/* A signal-delivery stop that is none of the translation's own. */
int ft_signals_deliver(struct ft_thread *thread, int signal, struct user_regs_struct *registers,
                       struct ft_diag *diag);
/* The program runs one instruction natively at the state's rip, then goes on translated. */
int ft_signals_run_natively(struct ft_thread *thread, struct ft_program_state *state,
                            struct ft_diag *diag);
/* The program returns by the iretq that the translation is of; what is no return within 64-bit code
 * faults, or ends the trace. */
int ft_signals_interrupt_return(struct ft_thread *thread, const struct ft_translation *translation,
                                struct ft_program_state *state, struct ft_diag *diag);
/* Runs the instruction of the translation that a thread stands at, with its alignment check off. */
int ft_signals_step_unaligned(struct ft_thread *thread, struct user_regs_struct *registers,
                              struct ft_diag *diag);
/* The system call rt_sigreturn. */
int ft_signals_return(struct ft_thread *thread, struct ft_program_state *state,
                      struct ft_diag *diag);
/* Whether the kernel resets the program's mask and action for a SIGTRAP or SIGSEGV raised now. */
bool ft_signals_resets(const struct ft_thread *thread, int signal);
/* After translation has caused one that did: puts them back. */
int ft_signals_restore(struct ft_thread *thread, int signal, struct ft_diag *diag);

/* --- vsyscall.c --------------------------------------------------------------------------- */

/* Does what the page of old system calls does where the state's rip is in it, and moves the state
 * behind the call; false where it is elsewhere, or the program faults there. */
int ft_vsyscall(struct ft_thread *thread, struct ft_program_state *state, bool *ret_done,
                struct ft_diag *diag);

/* --- system_calls.c ----------------------------------------------------------------------- */

int ft_system_call(struct ft_thread *thread, struct user_regs_struct *registers,
                   const struct ft_stop *stop, struct ft_diag *diag);

/* --- kernel_vectors.c --------------------------------------------------------------------- */

/* A system call that takes a vector of buffers is about to be made: notes them, and lets the thread
 * make it where it stops again behind it. */
int ft_kernel_vector_start(struct ft_thread *thread, struct user_regs_struct *registers,
                           struct ft_diag *diag);
/* Logs the buffers of the call that was made with this result, if that is not done yet, and moves
 * the context's log pointer. */
void ft_kernel_vector_log(struct ft_thread *thread, const struct user_regs_struct *registers);
/* The stop behind the call. */
int ft_kernel_vector_end(struct ft_thread *thread, struct user_regs_struct *registers,
                         struct ft_diag *diag);
void ft_kernel_vector_fini(struct ft_kernel_vector *vector);

/* --- tracer.c ----------------------------------------------------------------------------- */

/* Handles an int3 or guard-page stop that translation made; false where it is none of those. */
int ft_tracer_own_stop(struct ft_thread *thread, int signal, struct user_regs_struct *registers,
                       bool *ret_own, struct ft_diag *diag);
/* Does what a stop stands for; registers are those behind its int3. */
int ft_tracer_at_stop(struct ft_thread *thread, const struct ft_stop *stop,
                      struct user_regs_struct *registers, struct ft_diag *diag);
/* The thread is gone, or about to be: finishes its log. */
int ft_tracer_end(struct ft_thread *thread, int wait_status, struct ft_diag *diag);
/* A stop, or the end, of the thread, which may be gone then. */
int ft_tracer_handle(struct ft_thread *thread, int wait_status, struct ft_diag *diag);
/* The same of an abandoned capture's. */
void ft_tracer_let_die(struct ft_thread *thread, int wait_status);
/* Whether a thread with which something failed, and whose life here is at its beginning, was just
 * killed; it is then left to its end. */
bool ft_tracer_let_go_if_killed(pid_t tid);

#endif
