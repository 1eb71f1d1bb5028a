/*
 * Signals as programs use them: handlers with and without information, on a stack of their own,
 * nested, left by siglongjmp; faults repaired by the handler; SIGTRAP and SIGSEGV blocked, ignored
 * and handled; system calls interrupted and restarted; timers while a loop runs; deaths. The word
 * that it is called with says which. Prints what it sees, which must be the same when it is
 * captured.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t last_signal, signal_count, depth, deepest;
static volatile uint8_t *guarded;
static volatile int *volatile no_memory = (volatile int *)(uintptr_t)8;
static void (*volatile no_function)(void);
static long page_bytes;
static sigjmp_buf back;

static void note(int signal)
{
    last_signal = signal;
    signal_count++;
}

static void note_nested(int signal)
{
    if (++depth > deepest)
        deepest = depth;
    if (depth < 3)
        raise(signal == SIGUSR1 ? SIGUSR2 : SIGUSR1);
    depth--;
    note(signal);
}

static void open_page(int signal, siginfo_t *info, void *context)
{
    (void)context;
    note(signal);
    if (info->si_addr == guarded)
        mprotect((void *)(uintptr_t)guarded, (size_t)page_bytes, PROT_READ | PROT_WRITE);
}

/* Goes on behind the two-byte instruction that trapped. */
static void skip_instruction(int signal, siginfo_t *info, void *context)
{
    ucontext_t *user = context;
    note(signal);
    if (info->si_code > 0)
        user->uc_mcontext.gregs[REG_RIP] += 2;
}

static void jump_back(int signal)
{
    note(signal);
    siglongjmp(back, signal);
}

static void handle(int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(signal, &action, NULL);
}

static void handle_with_information(int signal, void (*handler)(int, siginfo_t *, void *),
                                    int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};
    sigaction(signal, &action, NULL);
}

static void report(const char *what)
{
    printf("%s: %d signals, last %d, deepest %d\n", what, (int)signal_count, (int)last_signal,
           (int)deepest);
    signal_count = last_signal = deepest = 0;
}

static void raise_and_nest(void)
{
    handle(SIGUSR1, note_nested, SA_NODEFER);
    handle(SIGUSR2, note_nested, SA_NODEFER);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR2);
    report("raised and nested");
}

static void on_another_stack(void)
{
    stack_t stack = {.ss_size = 65536};
    stack.ss_sp = malloc(stack.ss_size);
    sigaltstack(&stack, NULL);
    handle(SIGUSR1, note, SA_ONSTACK);
    for (int i = 0; i < 100; i++)
        raise(SIGUSR1);
    stack_t off = {.ss_flags = SS_DISABLE};
    sigaltstack(&off, NULL);
    free(stack.ss_sp);
    report("on another stack");
}

static void repair_faults(void)
{
    guarded = mmap(NULL, (size_t)page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    handle_with_information(SIGSEGV, open_page, 0);
    for (int i = 0; i < 20; i++) {
        mprotect((void *)(uintptr_t)guarded, (size_t)page_bytes, PROT_NONE);
        guarded[0] = (uint8_t)i;
        printf("%d ", guarded[0]);
    }
    report("faults repaired");
    handle_with_information(SIGILL, skip_instruction, 0);
    __asm__ volatile("ud2");
    handle_with_information(SIGFPE, skip_instruction, 0);
    __asm__ volatile("xor %%ecx, %%ecx; mov $1, %%eax; cltd; idiv %%ecx" : : : "eax", "ecx", "edx");
    report("instructions skipped");
}

static void jump_out(void)
{
    handle(SIGSEGV, jump_back, 0);
    for (int i = 0; i < 20; i++)
        if (sigsetjmp(back, 1) == 0)
            *no_memory = 1;
    handle(SIGUSR1, jump_back, 0);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGUSR1);
    report("jumped out");
}

static void print_many_numbers(void)
{
    char text[64];
    for (int i = 0; i < 1000; i++)
        snprintf(text, sizeof text, "%d %g", i, i / 7.0);
}

/* Sent while it is blocked and much runs, perhaps with another one; then let through. */
static void block_and_send(int signal, int other)
{
    sigset_t set, old, pending;

    sigemptyset(&set);
    sigaddset(&set, SIGTRAP);
    sigaddset(&set, SIGSEGV);
    handle(SIGTRAP, note, 0);
    handle(SIGSEGV, note, 0);
    sigprocmask(SIG_BLOCK, &set, NULL);
    print_many_numbers();
    kill(getpid(), signal);
    if (other)
        raise(other);
    print_many_numbers();
    sigpending(&pending);
    printf("pending: %d %d; ", sigismember(&pending, SIGTRAP), sigismember(&pending, SIGSEGV));
    sigprocmask(SIG_SETMASK, NULL, &old);
    printf("blocked: %d %d\n", sigismember(&old, SIGTRAP), sigismember(&old, SIGSEGV));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    if (other)
        last_signal = 0; /* the order of two that wait is the kernel's affair */
    report("unblocked");
}

static void ignore_and_send(int signal)
{
    struct sigaction now;

    handle(signal, SIG_IGN, 0);
    raise(signal);
    print_many_numbers();
    sigaction(signal, NULL, &now);
    printf("still ignored: %d\n", now.sa_handler == SIG_IGN);
    report("ignored");
}

/* The signals that tracers use for themselves. */
static void tracers_signals(void)
{
    block_and_send(SIGTRAP, 0);
    block_and_send(SIGSEGV, 0);
    block_and_send(SIGTRAP, SIGSEGV);
    ignore_and_send(SIGTRAP);
    ignore_and_send(SIGSEGV);
    handle(SIGTRAP, note, 0);
    for (int i = 0; i < 3; i++) {
        __asm__ volatile("int3");
        raise(SIGTRAP);
        print_many_numbers();
    }
    report("handled");
}

static void interrupted_calls(void)
{
    /* long enough that even a busy machine is in the call by then */
    struct itimerval once = {.it_value = {.tv_usec = 500000}}, off = {.it_value = {0}};
    struct timespec long_time = {.tv_sec = 5};
    char byte;
    int ends[2];

    if (pipe(ends) != 0)
        return;
    handle(SIGALRM, note, 0);
    setitimer(ITIMER_REAL, &once, NULL);
    ssize_t got = read(ends[0], &byte, 1);
    printf("read: %zd %d\n", got, got < 0 && errno == EINTR);
    setitimer(ITIMER_REAL, &once, NULL);
    int slept = nanosleep(&long_time, NULL);
    printf("nanosleep: %d %d\n", slept, errno == EINTR);
    setitimer(ITIMER_REAL, &off, NULL);
    report("interrupted");
}

/* Timers come at any instruction: in loops with and without accesses, in libc, in system calls. */
static void timers(void)
{
    static uint64_t words[4096];
    struct itimerval often = {.it_value = {.tv_usec = 1000}, .it_interval = {.tv_usec = 1000}};
    struct itimerval off = {.it_value = {0}};
    uint64_t sum = 0, hash = 1;
    char text[64];

    handle(SIGALRM, note, SA_RESTART);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int round = 0; signal_count < 30; round++) {
        for (size_t i = 0; i < 4096; i++)
            words[i] += i * (uint64_t)round;
        for (volatile int i = 0; i < 2000; i++)
            ;
        memmove(words + 1, words, 4095 * sizeof *words);
        for (int i = 0; i < 50; i++)
            hash = hash * 31 + (uint64_t)snprintf(text, sizeof text, "%d", i);
        (void)getppid();
        memset(words, 0, sizeof words);
    }
    setitimer(ITIMER_REAL, &off, NULL);
    for (size_t i = 0; i < 4096; i++)
        sum += words[i];
    printf("timers: sum %lu, at least 30: %d\n", (unsigned long)sum, signal_count >= 30);
    signal_count = last_signal = 0;
}

/* Code that has never run, where a tracer that translates has most to do, and signals that come
 * about when it starts: some arrive at the tracer's own stops. */
#define FRESH_FUNCTIONS 4000
extern const char fresh_functions[];
__asm__(".text\n"
        ".balign 16\n"
        "fresh_functions:\n"
        ".rept 4000\n"
        "lea 1(%rdi), %rax\n"
        "test %rax, %rax\n"
        "jnz 1f\n"
        "xor %eax, %eax\n"
        "1: ret\n"
        ".balign 16\n"
        ".endr\n");

static void fresh_code(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    timer_t timer;
    uint64_t sum = 0;

    handle(SIGALRM, note, SA_RESTART);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return;
    for (long i = 0; i < FRESH_FUNCTIONS; i++) {
        struct itimerspec soon = {.it_value = {.tv_nsec = 1 + i % 1000 * 10}};
        uint64_t (*function)(uint64_t);
        const char *at = fresh_functions + 16 * i;
        memcpy(&function, &at, sizeof function);
        timer_settime(timer, 0, &soon, NULL);
        sum += function((uint64_t)i);
    }
    while (signal_count < FRESH_FUNCTIONS / 2) { /* where calls are over before timers expire */
        timer_settime(timer, 0, &(struct itimerspec){.it_value = {.tv_nsec = 1}}, NULL);
        usleep(50);
    }
    timer_delete(timer);
    printf("fresh code: sum %lu\n", (unsigned long)sum);
    signal_count = last_signal = 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    page_bytes = sysconf(_SC_PAGESIZE);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (strcmp(what, "handlers") == 0) {
        raise_and_nest();
        on_another_stack();
        repair_faults();
        jump_out();
    } else if (strcmp(what, "tracers") == 0) {
        tracers_signals();
    } else if (strcmp(what, "calls") == 0) {
        interrupted_calls();
    } else if (strcmp(what, "timers") == 0) {
        timers();
    } else if (strcmp(what, "fresh-code") == 0) {
        fresh_code();
    } else if (strcmp(what, "nowhere") == 0) {
        no_function();
    } else if (strcmp(what, "fault") == 0) {
        *no_memory = 1;
    } else if (strcmp(what, "trap") == 0) {
        __asm__ volatile("int3");
    } else if (strcmp(what, "abort") == 0) {
        abort();
    } else {
        return 2;
    }
    puts("done");
    return 7;
}
