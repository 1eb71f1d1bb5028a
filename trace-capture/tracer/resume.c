#include "trace-capture/tracer/resume.h"

#include <inttypes.h>

#include "trace-capture/target/context.h"
#include "trace-capture/target/region.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/communication.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/mappings.h"
#include "trace-capture/tracer/release.h"
#include "trace-capture/tracer/signals.h"
#include "trace-capture/tracer/vsyscall.h"
#include "trace-capture/tracer/walks.h"
#include "trace-capture/tracer/windows.h"
#include "trace-capture/translate/ahead.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translator.h"

/* The translation of the code that is at pc now, made if necessary. */
static int find_translation(struct ft_capture *capture, enum ft_mode mode, uint64_t pc,
                            struct ft_translation **ret_translation, struct ft_diag *diag)
{
    struct ft_translation *first = ft_code_cache_find(&capture->cache, mode, pc);
    if (first && first->is_closed) {
        int status = ft_mappings_changed(capture, pc, pc + 1, false, diag);
        first = ft_code_cache_find(&capture->cache, mode, pc);
        if (status < 0 || (first && first->is_closed))
            return status < 0
                       ? status
                       : ft_fail(diag, FT_ERROR_DATA, "the code at 0x%" PRIx64 " may not run", pc);
    }
    struct ft_origin origin = {.first_version = first};
    struct ft_translation *version =
        first && first->changed ? ft_mappings_version(capture, first) : first;
    if (version) {
        *ret_translation = version;
        return FT_OK;
    }
    if (first)
        ft_drain_add_event(capture->drain, &(struct ft_event){.kind = FT_EVENT_CODE_CHANGED,
                                                              .b = pc,
                                                              .c = first->unit.code_bytes});
    int status =
        ft_translate(&capture->translator, mode, pc, first ? &origin : NULL, ret_translation, diag);
    if (status != FT_ERROR_DATA || first)
        return status;
    status = ft_mappings_refresh(capture, diag); /* a stack may have grown */
    return status < 0 ? status
                      : ft_translate(&capture->translator, mode, pc, NULL, ret_translation, diag);
}

int ft_app_state_resume(struct ft_thread *thread, const struct ft_app_state *from,
                        struct ft_diag *diag)
{
    struct ft_diag reason = {0};
    struct ft_app_state state = *from;
    struct ft_context *context = ft_region_context(&thread->region);
    struct ft_translation *translation = NULL;
    ft_communication_return(thread, &state);
    ft_windows_follow(thread, &state);
    int status =
        find_translation(thread->capture, thread->mode, state.registers.rip, &translation, &reason);
    if (status == FT_ERROR_DATA) { /* no code there: the program faults as in a native run */
        bool done;
        status = ft_vsyscall(thread, &state, &done, diag);
        if (status < 0)
            return status;
        return done ? ft_app_state_resume(thread, &state, diag)
                    : ft_signals_run_natively(thread, &state, diag);
    }
    if (status == FT_OK)
        status = ft_walk_enter(thread, &state.left, translation, &reason);
    if (status < 0)
        return ft_thread_give_up(thread, &state, &reason, diag);
    if (thread->mode == FT_MODE_LOGGED) {
        context->program_r11 = state.registers.r11;
        state.registers.r11 = state.log_pointer;
    } else {
        context->log_pointer = state.log_pointer;
    }
    if (ft_thread_counts_unlogged(thread)) {
        context->program_r11 = state.registers.r11;
        state.registers.r11 = context->count_pointer;
    }
    context->program_gs = state.registers.gs_base;
    state.registers.gs_base = thread->region.address;
    state.registers.rip = translation->entry;
    state.registers.orig_rax =
        (unsigned long long)-1; /* no system call is to be restarted from here */
    return ft_target_set_registers(&thread->target, &state.registers, diag);
}
