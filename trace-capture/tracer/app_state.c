/*
 * The registers in translated code differ from the program's in rip; in r11 or another register,
 * which is the log pointer; in GS, which points at the context; and inside an indirect branch in
 * rax and rcx, which are spilled. At clean points nothing else differs:
 *
 *     entry of a unit            log pointer in r11
 *     head of a loop             log pointer in its register, the loop's record open
 *     exit of a loop, closed     log pointer in r11
 *     before, after `syscall`    log pointer in the context; rcx, r11 are the kernel's
 *     route of a system call     before and after the system call, in the same state
 *
 * In the check at the entry of code that may change (checked_code.h) rax and rcx are spilled, and
 * so they are in the checks inside loops of such code (checked_loops.h).
 *
 * In order: how registers are recovered; at a clean point; at a stop; at a fault; at the end of a
 * thread that was killed; in a new task.
 */
#include "trace-capture/tracer/app_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/target/context.h"
#include "trace-capture/target/region.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/faulted_loops.h"
#include "trace-capture/tracer/kernel_vectors.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/registers.h"
#include "trace-capture/tracer/thread_count.h"
#include "trace-capture/tracer/walks.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/checked_loops.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/moved_operand.h"
#include "trace-capture/translate/translation.h"

/* Where no register holds the log pointer or the instruction count: before system calls. */
static void recover_as_is(struct ft_thread *thread, const struct user_regs_struct *registers,
                          uint64_t pc, struct ft_app_state *ret_state)
{
    ret_state->registers = *registers;
    ret_state->registers.gs_base = ft_region_context(&thread->region)->program_gs;
    ret_state->registers.rip = pc;
    ret_state->log_pointer = ft_region_context(&thread->region)->log_pointer;
    ret_state->left = (struct ft_walk_position){0};
}

static void set_left(struct ft_app_state *state, const struct ft_translation *translation,
                     unsigned left)
{
    state->left = (struct ft_walk_position){translation->node, (uint8_t)left};
}

/* The log pointer, or the count, is in r11: the program's r11 is in the context. */
static void recover_simply(struct ft_thread *thread, const struct user_regs_struct *registers,
                           uint64_t pc, struct ft_app_state *ret_state)
{
    struct ft_context *context = ft_region_context(&thread->region);
    recover_as_is(thread, registers, pc, ret_state);
    if (ft_thread_counts_unlogged(thread))
        context->count_pointer = registers->r11;
    else if (thread->mode == FT_MODE_LOGGED)
        ret_state->log_pointer = registers->r11;
    else
        return;
    ret_state->registers.r11 = context->program_r11;
}

/* The same, and rax and rcx are in the context too. */
static void recover_spilled(struct ft_thread *thread, const struct user_regs_struct *registers,
                            uint64_t pc, struct ft_app_state *ret_state)
{
    const struct ft_context *context = ft_region_context(&thread->region);
    recover_simply(thread, registers, pc, ret_state);
    ret_state->registers.rax = context->spill_rax;
    ret_state->registers.rcx = context->spill_rcx;
}

/* The log pointer, or the count, is in the register that the unit chose. */
static void recover_unit(struct ft_thread *thread, const struct ft_translation *translation,
                         const struct user_regs_struct *registers, uint64_t pc,
                         uint64_t log_pointer, struct ft_app_state *ret_state)
{
    struct ft_context *context = ft_region_context(&thread->region);
    struct user_regs_struct copy = *registers;
    recover_simply(thread, registers, pc, ret_state);
    if (translation->iteration_register != FT_NO_REGISTER)
        *ft_register_of(&ret_state->registers, translation->iteration_register) =
            context->spill_pointer;
    if (translation->pointer == FT_NO_REGISTER)
        return;
    if (translation->pointer != FT_R11) {
        ret_state->registers.r11 = registers->r11;
        *ft_register_of(&ret_state->registers, translation->pointer) = context->spill_pointer;
    }
    if (thread->mode == FT_MODE_LOGGED)
        ret_state->log_pointer = log_pointer;
    else
        context->count_pointer = *ft_register_of(&copy, translation->pointer);
}

/* Before a system call that runs in a route instead of in the unit: syscall_routes.c. */
static void recover_at_route(struct ft_thread *thread, const struct user_regs_struct *registers,
                             struct ft_app_state *ret_state)
{
    const struct ft_context *context = ft_region_context(&thread->region);
    const struct ft_translation *translation =
        ft_code_cache_at(&thread->capture->cache, context->syscall_return);
    const struct ft_unit *unit = &translation->unit;
    recover_as_is(thread, registers, unit->pc + unit->code_bytes - 2, ret_state);
    set_left(ret_state, translation, FT_LEFT_WHOLE);
}

/* At the head of a loop, whose record ends here. */
static void leave_loop(struct ft_thread *thread, const struct ft_translation *translation,
                       const struct user_regs_struct *registers, struct ft_app_state *ret_state)
{
    uint64_t end =
        thread->mode == FT_MODE_LOGGED ? ft_log_close_loop(thread, translation, registers) : 0;
    bool has_iterated = ft_walk_note_iterations(thread, translation, registers);
    recover_unit(thread, translation, registers, translation->unit.pc, end, ret_state);
    set_left(ret_state, translation, has_iterated ? FT_LEFT_WHOLE : FT_LEFT_STOPPED);
}

/* Whether the system call before the thread's rip is finished. The kernel may still restart it, or
 * turn it into -EINTR; then it has touched nothing. The numbers are the kernel's. */
static bool is_call_done(const struct user_regs_struct *registers)
{
    int64_t result = (int64_t)registers->rax; /* -ERESTARTSYS, ... -ERESTART_RESTARTBLOCK */
    return result > -512 || result < -516;
}

/* After the call of a route: what the route was about to log is logged here. */
static void recover_after_call(struct ft_thread *thread, const struct user_regs_struct *registers,
                               struct ft_app_state *ret_state)
{
    const struct ft_context *context = ft_region_context(&thread->region);
    const struct ft_syscall_routes *routes = &thread->capture->cache.routes;
    bool is_done = is_call_done(registers);
    if (is_done && registers->rip == routes->vector_call + 2)
        ft_kernel_vector_log(thread, registers);
    recover_at_route(thread, registers, ret_state);
    ret_state->registers.rip += 2;
    ret_state->registers.rcx = ret_state->registers.rip;
    ret_state->registers.r11 = registers->r11;
    if (is_done && registers->rip == routes->logged_call + 2)
        ft_log_kernel_call(thread, &ret_state->log_pointer, context->call_number,
                           context->call_address, context->call_length, registers->rax);
}

bool ft_app_state_recover(struct ft_thread *thread, const struct user_regs_struct *registers,
                          struct ft_app_state *ret_state)
{
    uint64_t rip = registers->rip;
    const struct ft_syscall_routes *routes = &thread->capture->cache.routes;
    if (rip == routes->stop || rip == routes->mask || rip == routes->timestamp ||
        rip == routes->timestamp_call || rip == routes->logged_call || rip == routes->vector_call) {
        recover_at_route(thread, registers, ret_state);
        return true;
    }
    if (rip == routes->timestamp_call + 2 || rip == routes->logged_call + 2 ||
        rip == routes->vector_call + 2) {
        recover_after_call(thread, registers, ret_state);
        return true;
    }
    const struct ft_translation *translation = ft_code_cache_at(&thread->capture->cache, rip);
    if (!translation)
        return false;
    const struct ft_unit *unit = &translation->unit;
    uint64_t next_pc = unit->pc + unit->code_bytes;
    bool is_loop = ft_unit_is_loop(unit);
    if (rip == translation->entry || rip == translation->start) {
        recover_simply(thread, registers, unit->pc, ret_state);
        set_left(ret_state, translation, FT_LEFT_STOPPED);
    } else if (is_loop && rip == translation->head) {
        leave_loop(thread, translation, registers, ret_state);
    } else if (is_loop && rip == translation->after_exit) {
        recover_simply(thread, registers, ft_unit_loop_exit(unit), ret_state);
        set_left(ret_state, translation, FT_LEFT_WHOLE);
    } else if (translation->syscall_at && rip == translation->syscall_at + 2) {
        recover_as_is(thread, registers, next_pc, ret_state);
        ret_state->registers.rcx = next_pc;
        set_left(ret_state, translation, FT_LEFT_WHOLE);
    } else if (translation->syscall_at && rip == translation->syscall_at) {
        recover_as_is(thread, registers, next_pc - 2, ret_state);
        set_left(ret_state, translation, FT_LEFT_WHOLE);
    } else {
        return false;
    }
    return true;
}

/* At an indirect target that is not in the table; if edges are counted, with its source. */
static void recover_at_miss(struct ft_thread *thread, const struct user_regs_struct *registers,
                            struct ft_app_state *ret_state)
{
    const struct ft_context *context = ft_region_context(&thread->region);
    uint32_t source = thread->capture->cache.counts ? (uint32_t)context->source : FT_OUTSIDE;
    recover_spilled(thread, registers, registers->rcx - ft_counts_key(source), ret_state);
    ret_state->left = (struct ft_walk_position){source, FT_LEFT_WHOLE};
}

void ft_app_state_recover_at_stop(struct ft_thread *thread,
                                  const struct user_regs_struct *registers,
                                  const struct ft_stop *stop, struct ft_app_state *ret_state)
{
    switch (stop->kind) {
    case FT_STOP_LINK: {
        const struct ft_link *link = &stop->translation->links[stop->link];
        recover_simply(thread, registers, link->target_pc, ret_state);
        set_left(ret_state, stop->translation, link->left);
        break;
    }
    case FT_STOP_MISS:
        recover_at_miss(thread, registers, ret_state);
        break;
    case FT_STOP_CHANGED:
        recover_spilled(thread, registers, stop->translation->unit.pc, ret_state);
        set_left(ret_state, stop->translation, FT_LEFT_STOPPED);
        break;
    case FT_STOP_REWRITTEN:
        ft_app_state_recover_at_fault(thread, stop->translation, registers, ret_state);
        break;
    case FT_STOP_SYSCALL:
        recover_at_route(thread, registers, ret_state);
        break;
    default:
        recover_simply(thread, registers, stop->translation->unit.pc, ret_state);
        set_left(ret_state, stop->translation, FT_LEFT_STOPPED);
        break;
    }
}

void ft_app_state_recover_at_fault(struct ft_thread *thread,
                                   const struct ft_translation *translation,
                                   const struct user_regs_struct *registers,
                                   struct ft_app_state *ret_state)
{
    const struct ft_context *context = ft_region_context(&thread->region);
    const struct ft_unit *unit = &translation->unit;
    if (registers->rip < translation->body) { /* the code cannot be read */
        recover_spilled(thread, registers, unit->pc, ret_state);
        set_left(ret_state, translation, FT_LEFT_STOPPED);
        return;
    }
    unsigned index = ft_translation_instruction(translation, registers->rip);
    struct user_regs_struct hidden = *registers;
    if (index >= unit->instruction_count)
        index = unit->instruction_count - 1U;
    if (ft_unit_is_path(unit)) { /* undoes what was set up for the instruction */
        if (ft_translation_uses_r11(unit, index)) {
            ft_region_context(&thread->region)->program_r11 = registers->r11;
            hidden.r11 = context->log_pointer;
        }
        if (index + 1U < unit->instruction_count && ft_is_predicted(&unit->instructions[index]))
            hidden.rcx = context->spill_rcx;
        registers = &hidden;
    }
    if (ft_checked_loop_is_check(translation, index, registers->rip)) {
        hidden.rax = context->spill_rax;
        hidden.rcx = context->spill_rcx;
        registers = &hidden;
    }
    uint64_t end = thread->mode != FT_MODE_LOGGED ? 0
                   : ft_unit_is_loop(unit)
                       ? ft_log_close_faulted_loop(thread, translation, registers, index)
                       : ft_log_close_partial(thread, translation, registers, index);
    bool has_iterated =
        ft_unit_is_loop(unit) && ft_walk_note_iterations(thread, translation, registers);
    recover_unit(thread, translation, registers, unit->instructions[index].pc, end, ret_state);
    set_left(ret_state, translation,
             has_iterated && index == 0
                 ? FT_LEFT_WHOLE
                 : FT_LEFT_STOPPED | (has_iterated ? FT_LEFT_ITERATED : 0) | index);
    if (translation->moved_bytes[index] &&
        registers->rip == ft_translation_copy(translation, index))
        *ft_register_of(&ret_state->registers,
                        ft_moved_scratch(&unit->instructions[index], translation->pointer)) =
            context->spill_scratch;
    if (translation->count_at)
        ft_count_undo(thread, (translation->counts_in_pointer ? 0 : unit->instruction_count) -
                                  (uint64_t)index);
    if (translation->dispatch && registers->rip > translation->dispatch) {
        ret_state->registers.rcx = context->spill_rcx;
        ret_state->registers.rax = context->spill_rax;
    }
}

/* The instruction count of unlogged code that was killed at any point, up to its last complete
 * unit. */
static void note_last_count(struct ft_thread *thread, const struct ft_translation *translation,
                            const struct user_regs_struct *registers)
{
    struct ft_app_state state;
    struct user_regs_struct copy = *registers;
    if (!translation || ft_app_state_recover(thread, registers, &state))
        return;
    const unsigned long long candidates[] = {copy.r11,
                                             translation->pointer == FT_NO_REGISTER
                                                 ? copy.r11
                                                 : *ft_register_of(&copy, translation->pointer)};
    for (unsigned i = 0; i < 2; i++)
        if (ft_count_holds(thread, candidates[i])) {
            ft_region_context(&thread->region)->count_pointer = candidates[i];
            return;
        }
}

uint64_t ft_app_state_last_record(struct ft_thread *thread,
                                  const struct user_regs_struct *registers)
{
    struct ft_app_state state;
    struct user_regs_struct copy = *registers;
    uint64_t rip = registers->rip;
    const struct ft_code_cache *cache = &thread->capture->cache;
    const struct ft_context *context = ft_region_context(&thread->region);
    const struct ft_translation *translation = ft_code_cache_at(cache, rip);
    bool behind_stop = ft_code_cache_stop(cache, rip - 1) != NULL;
    if (ft_thread_counts_unlogged(thread))
        note_last_count(thread, translation, registers);
    if (thread->mode != FT_MODE_LOGGED)
        return context->log_pointer;
    if (!behind_stop && ft_app_state_recover(thread, registers, &state))
        return state.log_pointer;
    if (translation && ft_log_between_units(translation, rip))
        return registers->r11;
    bool is_loop = translation && ft_unit_is_loop(&translation->unit);
    if (is_loop && rip >= translation->head &&
        (translation->unit.kind == FT_UNIT_LOOP_PATH ||
         (translation->unit.count_source != FT_COUNT_INDUCTION && rip < translation->after_exit)))
        return context->loop_record;
    bool before_loop = is_loop && rip < translation->head;
    uint64_t pointer = registers->r11;
    if (translation && !ft_log_buffer_holds(thread, pointer))
        pointer = *ft_register_of(&copy, translation->pointer);
    if (before_loop &&
        (!ft_log_buffer_holds(thread, pointer) ||
         pointer == context->loop_record + ft_log_loop_entry_bytes(&translation->unit)))
        return context->loop_record; /* it is open already */
    if (ft_log_buffer_holds(thread, pointer))
        return pointer;
    pointer = context->log_pointer;
    return ft_log_buffer_holds(thread, pointer) ? pointer : ft_log_buffer_start(thread);
}

/* The program's GS base of the thread whose context is at that address. */
static uint64_t program_gs_of(const struct ft_capture *capture, uint64_t context)
{
    for (size_t i = 0; i < capture->thread_count; i++)
        if (capture->threads[i]->region.address == context)
            return ft_region_context(&capture->threads[i]->region)->program_gs;
    return 0;
}

bool ft_app_state_recover_new(const struct ft_capture *capture, struct user_regs_struct *registers)
{
    const struct ft_translation *translation = ft_code_cache_at(&capture->cache, registers->rip);
    if (!translation || !translation->syscall_at || registers->rip != translation->syscall_at + 2)
        return false;
    registers->rip = translation->unit.pc + translation->unit.code_bytes;
    registers->rcx = registers->rip;
    registers->gs_base = program_gs_of(capture, registers->gs_base);
    return true;
}
