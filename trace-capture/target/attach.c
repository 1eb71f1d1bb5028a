/*
 * While threads are being stopped others may still make new ones, so the process's list of threads
 * is read until all in it are stopped. Only then is anything done to them, and foretrace's death
 * would be theirs.
 *
 * In order: stopping threads; all threads; what attaching changes in them; undoing it.
 */
#include "trace-capture/target/attach.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/base/clock.h"
#include "trace-capture/target/interrupted_call.h"
#include "trace-capture/target/memory_map.h"
#include "trace-capture/target/process_check.h"
#include "trace-capture/target/region.h"
#include "trace-capture/target/rseq.h"
#include "trace-capture/target/start.h"

#define PATIENCE_SECONDS 10
#define TRIES_MAX        200U
#define CODE_SEGMENT     0x33U /* of 64-bit code */

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static bool is_known(const struct ft_attachment *attachment, pid_t tid)
{
    for (size_t i = 0; i < attachment->count; i++)
        if (attachment->threads[i].target.pid == tid)
            return true;
    return false;
}

/* Whether a thread is there that has not ended. */
static bool is_alive(pid_t pid, pid_t tid)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    FILE *file = fopen(path, "re");
    bool is_there = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    const char *name_end = strrchr(line, ')');
    return is_there && name_end && name_end[1] && name_end[2] != 'Z' && name_end[2] != 'X';
}

static int seize(struct ft_attachment *attachment, pid_t pid, pid_t tid, struct ft_diag *diag)
{
    if (!FT_RESERVE(attachment->threads, attachment->capacity, attachment->count + 1))
        return ft_fail_memory(diag, "a thread");
    if (ptrace(PTRACE_SEIZE, tid, 0, 0) != 0) {
        int reason = errno;
        return tid == pid || is_alive(pid, tid) ? ft_process_fail_ptrace(pid, reason, diag) : FT_OK;
    }
    ptrace(PTRACE_INTERRUPT, tid, 0, 0);
    attachment->threads[attachment->count++] =
        (struct ft_attached_thread){.target = {.pid = tid, .process = pid, .memory_fd = -1}};
    return FT_OK;
}

/* Seizes the threads that are not known yet; *ret_any: there were some. */
static int seize_new(struct ft_attachment *attachment, pid_t pid, bool *ret_any,
                     struct ft_diag *diag)
{
    char path[64];
    int status = FT_OK;
    size_t before = attachment->count;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    if (!folder)
        return ft_fail(diag, FT_ERROR_FAILURE, "process %d has ended", (int)pid);
    for (struct dirent *entry; status == FT_OK && (entry = readdir(folder)) != NULL;) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid > 0 && !is_known(attachment, tid))
            status = seize(attachment, pid, tid, diag);
    }
    closedir(folder);
    *ret_any = attachment->count > before;
    return status;
}

/* Takes the next stop of a thread. A signal that is pending already is delivered first, natively:
 * it may end the system call that the thread is in. *ret_gone: it has ended. */
static int follow_thread(struct ft_attached_thread *thread, bool *ret_gone, struct ft_diag *diag)
{
    int wait_status;
    const pid_t tid = thread->target.pid;
    *ret_gone = false;
    pid_t got = waitpid(tid, &wait_status, __WALL | WNOHANG);
    if (got == 0)
        return FT_OK;
    if (got < 0 || !WIFSTOPPED(wait_status)) {
        *ret_gone = true;
        return FT_OK;
    }
    if (wait_status >> 16 != PTRACE_EVENT_STOP) {
        ptrace(PTRACE_CONT, tid, 0, WSTOPSIG(wait_status));
        return FT_OK;
    }
    if (ft_target_is_stop_signal(WSTOPSIG(wait_status)))
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "process %d is being stopped; let it go on first: kill -CONT %d",
                       (int)thread->target.process, (int)thread->target.process);
    if (ft_target_has_signal(&thread->target) && thread->tries++ < TRIES_MAX) {
        ptrace(PTRACE_CONT, tid, 0, 0);
        pause_shortly();
        ptrace(PTRACE_INTERRUPT, tid, 0, 0);
        return FT_OK;
    }
    thread->is_stopped = true;
    return FT_OK;
}

/* Takes stops of all threads that are known; returns the first that has not stopped yet. */
static int follow_known(struct ft_attachment *attachment, pid_t *ret_running, struct ft_diag *diag)
{
    *ret_running = 0;
    for (size_t i = 0; i < attachment->count; i++) {
        struct ft_attached_thread *thread = &attachment->threads[i];
        bool is_gone = false;
        if (!thread->is_stopped)
            FT_TRY(follow_thread(thread, &is_gone, diag));
        if (is_gone)
            *thread = attachment->threads[--attachment->count], i--;
        else if (!thread->is_stopped && !*ret_running)
            *ret_running = thread->target.pid;
    }
    return FT_OK;
}

static int stop_all(struct ft_attachment *attachment, pid_t pid, struct ft_diag *diag)
{
    const uint64_t limit_ns = ft_clock_ns() + PATIENCE_SECONDS * UINT64_C(1000000000);
    for (;;) {
        bool any = false;
        pid_t running;
        FT_TRY(seize_new(attachment, pid, &any, diag));
        FT_TRY(follow_known(attachment, &running, diag));
        if (attachment->count == 0 || !is_known(attachment, pid))
            return ft_fail(diag, FT_ERROR_FAILURE, "process %d, or its first thread, has ended",
                           (int)pid);
        if (!any && !running)
            return FT_OK;
        if (ft_clock_ns() > limit_ns)
            return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                           "thread %d of process %d cannot be stopped: it waits in the kernel, "
                           "perhaps for a child made by vfork, or for a file system; try again "
                           "later",
                           (int)(running ? running : pid), (int)pid);
        if (running)
            pause_shortly();
    }
}

/* The first bytes in the program's code that are a system call. */
static int find_syscall(struct ft_target *target, const struct ft_memory_map *map,
                        struct ft_diag *diag)
{
    static uint8_t code[1 << 16];
    for (size_t i = 0; i < map->count; i++) {
        const struct ft_mapping *mapping = &map->mappings[i];
        if (!mapping->is_executable || ft_memory_is_shared(mapping))
            continue;
        for (uint64_t at = mapping->start; at < mapping->end; at += sizeof code - 1) {
            size_t wanted = mapping->end - at < sizeof code ? mapping->end - at : sizeof code;
            size_t count = ft_target_read(target, at, code, wanted);
            const uint8_t *found = count > 1 ? memmem(code, count, "\x0f\x05", 2) : NULL;
            if (found) {
                target->syscall_gadget = at + (uint64_t)(found - code);
                return FT_OK;
            }
            if (count < sizeof code)
                break;
        }
    }
    return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the program's code has no system call");
}

/* What an earlier capture has left: no thread runs in it any more. */
static int unmap_earlier(struct ft_target *target, const struct ft_memory_map *map,
                         struct ft_diag *diag)
{
    char ours[64], theirs[64], path[2][4096] = {"", ""};
    int64_t ignored;
    snprintf(ours, sizeof ours, "/proc/self/exe");
    snprintf(theirs, sizeof theirs, "/proc/%d/exe", (int)target->process);
    if (readlink(ours, path[0], sizeof path[0] - 1) > 0 &&
        readlink(theirs, path[1], sizeof path[1] - 1) > 0 && strcmp(path[0], path[1]) == 0)
        return FT_OK; /* in foretrace itself it is in use */
    for (size_t i = 0; i < map->count; i++) {
        const struct ft_mapping *mapping = &map->mappings[i];
        const uint64_t arguments[6] = {mapping->start, mapping->end - mapping->start};
        if (ft_memory_is_shared(mapping))
            FT_TRY(ft_target_syscall(target, 0, SYS_munmap, arguments, &ignored, diag));
    }
    return FT_OK;
}

static int check_modules(const struct ft_memory_map *map, struct ft_diag *diag)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->mappings[i].is_executable && ft_rseq_is_in(map->mappings[i].path))
            return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                           "%s has restartable sequences (rseq), which translated code cannot "
                           "have; capture the program from its start",
                           map->mappings[i].path);
    return FT_OK;
}

static int prepare_process(struct ft_target *first, struct ft_diag *diag)
{
    struct ft_memory_map map;
    FT_TRY(ft_memory_map_read(first, &map, diag));
    int status = check_modules(&map, diag);
    if (status == FT_OK)
        status = find_syscall(first, &map, diag);
    if (status == FT_OK)
        status = unmap_earlier(first, &map, diag);
    ft_memory_map_fini(&map);
    return status;
}

static int check_thread(const struct ft_attached_thread *thread, struct ft_diag *diag)
{
    const struct user_regs_struct *registers = &thread->registers;
    if (ft_target_is_filtered(&thread->target))
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "process %d has a seccomp filter (a sandbox), which may forbid the system "
                       "calls that a capture needs; start it without",
                       (int)thread->target.process);
    if (registers->cs != CODE_SEGMENT || registers->fs || registers->gs)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "thread %d of process %d runs 32-bit code, or uses segments, which cannot "
                       "be captured",
                       (int)thread->target.pid, (int)thread->target.process);
    return FT_OK;
}

/* Takes each thread out of the system call that it is in. Nothing is changed where it fails. */
static int read_threads(struct ft_attachment *attachment, struct ft_diag *diag)
{
    for (size_t i = 0; i < attachment->count; i++) {
        struct ft_attached_thread *thread = &attachment->threads[i];
        FT_TRY(ft_target_registers(&thread->target, &thread->registers, diag));
        FT_TRY(check_thread(thread, diag));
    }
    for (size_t i = 0; i < attachment->count; i++) {
        struct ft_attached_thread *thread = &attachment->threads[i];
        if (ptrace(PTRACE_SETOPTIONS, thread->target.pid, 0, FT_PTRACE_OPTIONS) != 0)
            return ft_target_fail(diag, "the options of a thread");
        ft_interrupted_call_rewind(&thread->registers);
        thread->registers.orig_rax = (unsigned long long)-1;
        FT_TRY(ft_target_set_registers(&thread->target, &thread->registers, diag));
    }
    return FT_OK;
}

static int prepare_threads(struct ft_attachment *attachment, pid_t pid, struct ft_diag *diag)
{
    struct ft_target process;
    FT_TRY(read_threads(attachment, diag));
    FT_TRY(ft_target_open(pid, &process, diag));
    for (size_t i = 0; i < attachment->count; i++) {
        struct ft_target *target = &attachment->threads[i].target;
        target->memory_fd = process.memory_fd;
        target->randomised = process.randomised;
        if (target->pid == pid) {
            struct ft_attached_thread first = attachment->threads[i];
            attachment->threads[i] = attachment->threads[0];
            attachment->threads[0] = first;
        }
    }
    int status = prepare_process(&attachment->threads[0].target, diag);
    for (size_t i = 0; i < attachment->count && status == FT_OK; i++) {
        struct ft_attached_thread *thread = &attachment->threads[i];
        thread->target.syscall_gadget = attachment->threads[0].target.syscall_gadget;
        status = ft_rseq_suspend(&thread->target, &thread->registers, diag);
    }
    if (status < 0)
        close(process.memory_fd);
    return status;
}

int ft_attach(pid_t pid, struct ft_attachment *ret_attachment, struct ft_diag *diag)
{
    struct ft_attachment attachment = {0};
    FT_TRY(ft_process_check(pid, diag));
    int status = stop_all(&attachment, pid, diag);
    if (status == FT_OK)
        status = prepare_threads(&attachment, pid, diag);
    if (status < 0) {
        ft_attachment_undo(&attachment);
        ft_attachment_fini(&attachment);
        return status;
    }
    *ret_attachment = attachment;
    return FT_OK;
}

void ft_attachment_undo(const struct ft_attachment *attachment)
{
    for (size_t i = 0; i < attachment->count; i++) {
        const struct ft_attached_thread *thread = &attachment->threads[i];
        struct ft_target target = thread->target;
        struct ft_diag ignored;
        if (thread->registers.orig_rax == (unsigned long long)-1) {
            ft_target_set_registers(&target, &thread->registers, &ignored);
            ft_rseq_resume(&target, &ignored);
            for (size_t j = 0; j < target.held_count; j++)
                target.held[j].is_sent = false;
            ft_target_send_held(&target);
        }
        ptrace(PTRACE_DETACH, target.pid, 0, 0); /* not stopped: once foretrace ends */
    }
}

void ft_attachment_fini(struct ft_attachment *attachment)
{
    for (size_t i = 0; i < attachment->count; i++)
        ft_target_fini(&attachment->threads[i].target);
    free(attachment->threads);
    *attachment = (struct ft_attachment){0};
}
