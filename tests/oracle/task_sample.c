/*
 * Threads, processes and another program, without the C library: threads are made by clone, with
 * one stack after the other; children by fork and clone3; the last one executes another program.
 * They wait for each other in read, which touches nothing, so that what each of them does is the
 * same in every run. Compared access by access with single stepping, thread by thread.
 */
#include <linux/sched.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "tests/support/freestanding.h"

#define THREADS     6
#define STACK_BYTES 16384
#define FLAGS       (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static uint8_t stacks[THREADS][STACK_BYTES] __attribute__((aligned(64)));
static uint64_t numbers[THREADS + 4][500];
static int done[2];

/* Loops, calls and a chain of dependent loads. */
SAMPLE uint64_t work(uint64_t which)
{
    uint64_t *own = numbers[which], at = which;
    for (uint64_t i = 0; i < 500; i++)
        own[i] = (i * 7 + which) % 500;
    for (uint64_t i = 0; i < 200; i++)
        at = own[at];
    for (uint64_t i = 1; i < 500; i++)
        own[i] += own[i - 1] ^ at;
    return own[499];
}

SAMPLE void tell_done(void)
{
    sample_system_call(SYS_write, done[1], (long)"d", 1, 0);
}

SAMPLE void wait_for_one(void)
{
    static uint8_t byte;
    sample_system_call(SYS_read, done[0], (long)&byte, 1, 0);
}

__attribute__((noinline, used)) static void run_thread(uint64_t which)
{
    work(which);
    if (which % 2) /* threads of threads */
        work(which - 1);
    tell_done();
    sample_system_call(SYS_exit, 0, 0, 0, 0);
}

/* The new thread finds its number on its stack. */
SAMPLE void start_thread(uint64_t which)
{
    uint64_t *top = (uint64_t *)(void *)(stacks[which] + STACK_BYTES - 64);
    *top = which;
    long result = SYS_clone;
    register long fourth __asm__("r10") = 0;
    register long fifth __asm__("r8") = 0;
    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "mov (%%rsp), %%rdi\n\t"
                     "call run_thread\n\t"
                     "hlt\n"
                     "1:"
                     : "+a"(result)
                     : "D"(FLAGS), "S"(top), "d"(0), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
}

SAMPLE void wait_for_child(long pid)
{
    static int status;
    sample_system_call(SYS_wait4, pid, (long)&status, 0, 0);
}

SAMPLE void in_child(uint64_t which)
{
    work(which);
    sample_exit((int)which);
}

SAMPLE void make_processes(void)
{
    long child = sample_system_call(SYS_fork, 0, 0, 0, 0);
    if (child == 0) {
        long grandchild = sample_system_call(SYS_fork, 0, 0, 0, 0);
        if (grandchild == 0)
            in_child(THREADS);
        wait_for_child(grandchild);
        in_child(THREADS + 1);
    }
    wait_for_child(child);
    static struct clone_args arguments = {.exit_signal = 17};
    child = sample_system_call(SYS_clone3, (long)&arguments, sizeof arguments, 0, 0);
    if (child == 0)
        in_child(THREADS + 2);
    wait_for_child(child);
}

static void run(void)
{
    sample_system_call(SYS_pipe2, (long)done, 0, 0, 0);
    work(0);
    for (uint64_t which = 1; which < THREADS; which++) {
        start_thread(which);
        wait_for_one();
    }
    make_processes();
    long child = sample_system_call(SYS_fork, 0, 0, 0, 0);
    if (child == 0) {
        static const char *const nothing[] = {NULL}, *const arguments[] = {"/bin/true", NULL};
        sample_system_call(SYS_execve, (long)"/nowhere/none", (long)nothing, (long)nothing, 0);
        sample_system_call(SYS_execve, (long)"/bin/true", (long)arguments, (long)nothing, 0);
        sample_exit(1);
    }
    wait_for_child(child);
    sample_exit(0);
}

SAMPLE_START(run)
