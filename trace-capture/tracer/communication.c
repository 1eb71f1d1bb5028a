/*
 * As windows (window_stops.c), with which it shares the two modes of translations; but each thread
 * has its own calls. Only logged code stops at the entries of functions, so what is called inside a
 * call, or outside of windows, is not seen.
 *
 * The return is a stop among the indirect targets of unlogged code. Wherever else a thread gets to
 * the address that it returns to, it is resumed by the host, which looks as well (resume.c).
 */
#include "trace-capture/tracer/communication.h"

#include <string.h>

#include "formats/trace/library_calls.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/mpi_arguments.h"
#include "trace-capture/tracer/windows.h"
#include "trace-capture/translate/ahead.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/indirect_targets.h"
#include "trace-capture/translate/watched_functions.h"

#define RETURN_POPS_MAX 0x10008U /* ret imm16 */

/* Details on their way into the log: some to an escape. */
struct details {
    struct ft_thread *thread;
    struct ft_app_state *state;
    uint64_t fields[FT_ESCAPE_FIELDS_MAX];
    unsigned count; /* of fields behind the first */
};

static void write_details(struct details *details)
{
    if (details->count == 0)
        return;
    details->fields[0] = details->count;
    ft_log_fields(details->thread, &details->state->log_pointer, &details->state->registers,
                  FT_ESCAPE_DETAIL, details->fields, details->count + 1);
    details->count = 0;
}

static void add_detail(void *context, uint64_t key, uint64_t value)
{
    struct details *details = context;
    if (details->count + 3 > FT_ESCAPE_FIELDS_MAX)
        write_details(details);
    details->fields[++details->count] = key;
    details->fields[++details->count] = value;
}

/* Makes returns to the address stop. If nothing can be translated there, nothing returns there
 * either. */
static int await_return(struct ft_capture *capture, uint64_t return_pc, struct ft_diag *diag)
{
    struct ft_code_cache *cache = &capture->cache;
    struct ft_translation *to = ft_code_cache_find(cache, FT_MODE_UNLOGGED, return_pc);
    if (!to && ft_translate(&capture->translator, FT_MODE_UNLOGGED, return_pc, NULL, &to, NULL) < 0)
        return FT_OK;
    return to->has_return_stop ? FT_OK : ft_indirect_target_add_stop(cache, to, diag);
}

int ft_communication_enter(struct ft_thread *thread, struct ft_app_state *state,
                           const struct ft_unit *unit, struct ft_diag *diag)
{
    const struct ft_watched_function *function =
        ft_watched_find(&thread->capture->watched, unit->pc, unit->module);
    const struct user_regs_struct *registers = &state->registers;
    struct ft_mpi_call_state *call = &thread->call;
    struct details details = {.thread = thread, .state = state};
    uint64_t return_pc;
    if (!function || ft_windows_is_pending(thread) ||
        ft_target_read(&thread->target, registers->rsp, &return_pc, sizeof return_pc) !=
            sizeof return_pc)
        return FT_OK; /* the window ends here, or the call will fault */
    FT_TRY(await_return(thread->capture, return_pc, diag));
    *call = (struct ft_mpi_call_state){
        .is_open = true,
        .return_pc = return_pc,
        .return_rsp = registers->rsp,
        .function = function->mpi,
        .arguments = {registers->rdi, registers->rsi, registers->rdx, registers->rcx, registers->r8,
                      registers->r9},
    };
    uint64_t fields[1 + FT_LIBRARY_ARGUMENTS_MAX] = {
        ft_library_call_head(function->number, function->argument_count)};
    memcpy(fields + 1, call->arguments, function->argument_count * sizeof *fields);
    ft_log_timestamp_if_threaded(thread, &state->log_pointer);
    ft_log_fields(thread, &state->log_pointer, registers, FT_ESCAPE_CALL, fields,
                  1 + function->argument_count);
    ft_mpi_read_arguments(thread, add_detail, &details);
    write_details(&details);
    thread->mode = FT_MODE_UNLOGGED;
    return FT_OK;
}

bool ft_communication_return(struct ft_thread *thread, struct ft_app_state *state)
{
    struct ft_mpi_call_state *call = &thread->call;
    struct details details = {.thread = thread, .state = state};
    const uint64_t result = state->registers.rax;
    if (!call->is_open || !call->return_pc || state->registers.rip != call->return_pc ||
        state->registers.rsp - call->return_rsp - 1 >= RETURN_POPS_MAX)
        return false;
    if ((uint32_t)result == 0)
        ft_mpi_read_results(thread, add_detail, &details);
    write_details(&details);
    ft_log_fields(thread, &state->log_pointer, &state->registers, FT_ESCAPE_STACK,
                  &(uint64_t){state->registers.rsp}, 1);
    ft_log_fields(thread, &state->log_pointer, &state->registers, FT_ESCAPE_RETURN, &result, 1);
    ft_log_timestamp_if_threaded(thread, &state->log_pointer);
    call->is_open = false;
    thread->mode = FT_MODE_LOGGED;
    return true;
}

bool ft_communication_makes(const struct ft_capture *capture,
                            const struct user_regs_struct *registers)
{
    const struct ft_translation *at = ft_code_cache_at(&capture->cache, registers->rip);
    return at && at->mode == FT_MODE_UNLOGGED && capture->windows.mode == FT_MODE_LOGGED &&
           !capture->windows.options->any;
}
