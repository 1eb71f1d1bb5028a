/*
 * What programs do with code and segments that is rare: code patched by one thread while another
 * runs it, own protections of code pages, the vsyscall page, stacks made by hand and contexts, the
 * GS segment. The word that it is called with says which. Prints what it sees, which must be the
 * same when it is captured.
 */
#include <asm/prctl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE    4096
#define PATCHES 400

typedef uint32_t function(void);

static uint8_t *code;
static sigjmp_buf back;
static volatile sig_atomic_t faults;
static volatile uint16_t marker; /* nothing else stores two bytes at one place so often */
static volatile int wrong;
static _Atomic uint32_t patched, seen;

static uint8_t *map(int protection, int flags, int file)
{
    void *memory = mmap(NULL, PAGE, protection, flags, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* mov $value, %eax; ret, the value aligned, so that it changes at once. */
static void write_function(uint8_t *at, uint32_t value)
{
    at[3] = 0xb8;
    memcpy(at + 4, &value, sizeof value);
    at[8] = 0xc3;
}

static uint32_t call(const uint8_t *at)
{
    return ((function *)(uintptr_t)(at + 3))();
}

static void *run_patched(void *unused)
{
    uint32_t value = 0;
    while (value < PATCHES) {
        uint32_t least = atomic_load(&patched);
        uint32_t ebx, eax = 0, ecx, edx;
        __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx)::"memory");
        value = call(code);
        if (value < least)
            puts("an old value");
        atomic_store(&seen, value);
    }
    return unused;
}

/* Each value is seen once it was written, however long the other thread has run the one before. */
static void patch_across_threads(void)
{
    pthread_t thread;
    code = map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    write_function(code, 0);
    if (pthread_create(&thread, NULL, run_patched, NULL) != 0)
        return;
    for (uint32_t i = 1; i <= PATCHES; i++) {
        atomic_store((_Atomic uint32_t *)(void *)(code + 4), i);
        atomic_store(&patched, i);
        while (atomic_load(&seen) < i)
            ;
    }
    pthread_join(thread, NULL);
    printf("%u\n", atomic_load(&seen));
}

static void *call_at_once(void *unused)
{
    uint32_t last = 0;
    while (!atomic_load(&patched))
        ;
    for (int i = 0; i < 30000; i++)
        last = call(code);
    return last == PATCHES ? unused : NULL;
}

/* Two threads run code while the main one makes it writable, changes it, and makes it executable.
 */
static void protect_across_threads(void)
{
    pthread_t threads[2];
    code = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    write_function(code, 0);
    mprotect(code, PAGE, PROT_READ | PROT_EXEC);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, call_at_once, NULL) != 0)
            return;
    for (uint32_t i = 1; i <= PATCHES; i++) {
        mprotect(code, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
        atomic_store((_Atomic uint32_t *)(void *)(code + 4), i);
        mprotect(code, PAGE, PROT_READ | PROT_EXEC);
        if (call(code) != i)
            puts("an old value");
    }
    atomic_store(&patched, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%u\n", call(code));
}

static void jump_back(int signal)
{
    (void)signal;
    faults++;
    siglongjmp(back, 1);
}

static void try_write(uint8_t *at)
{
    if (sigsetjmp(back, 1) == 0) {
        *(volatile uint8_t *)at = 1;
        printf("written ");
    } else {
        printf("refused ");
    }
}

static void try_call(uint8_t *at)
{
    if (sigsetjmp(back, 1) == 0)
        printf("%u ", call(at));
    else
        printf("refused ");
}

/* What the program protects stays protected, and what it does not is writable. */
static void protections(void)
{
    struct sigaction action = {.sa_handler = jump_back};
    sigaction(SIGSEGV, &action, NULL);
    code = map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    for (uint32_t i = 0; i < 3; i++) {
        write_function(code, 10 + i);
        try_call(code);
        try_write(code + 100);
        mprotect(code, PAGE, PROT_READ | PROT_EXEC);
        try_call(code);
        try_write(code + 100);
        mprotect(code, PAGE, PROT_READ | PROT_WRITE);
        try_call(code);
        mprotect(code, PAGE, i ? PROT_READ | PROT_EXEC : PROT_READ | PROT_WRITE | PROT_EXEC);
        try_call(code);
        mprotect(code, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
    }
    if (mmap(code, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        code)
        return;
    write_function(code, 20);
    try_call(code);
    mprotect(code, PAGE, PROT_READ | PROT_EXEC);
    try_call(code);
    munmap(code, PAGE);
    try_call(code);
    printf("%d faults\n", (int)faults);
}

static void vsyscalls(void)
{
    time_t (*get_time)(time_t *) = (time_t(*)(time_t *))(uintptr_t)0xffffffffff600400;
    int (*get_time_of_day)(struct timeval *, void *) =
        (int (*)(struct timeval *, void *))(uintptr_t)0xffffffffff600000;
    struct sigaction action = {.sa_handler = jump_back};
    struct timeval now = {0};
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 100; i++) {
        if (sigsetjmp(back, 1) != 0)
            break;
        time_t seconds = get_time(NULL);
        marker = (uint16_t)seconds;
        wrong |= get_time_of_day(&now, NULL);
        marker = (uint16_t)now.tv_sec;
        wrong |= now.tv_sec - seconds > 5;
    }
    if (sigsetjmp(back, 1) == 0)
        get_time_of_day((struct timeval *)(uintptr_t)8, NULL);
    if (sigsetjmp(back, 1) == 0)
        ((void (*)(void))(uintptr_t)0xffffffffff600010)();
    printf("%d wrong, %d faults\n", wrong, (int)faults);
}

static ucontext_t contexts[3];
static int iterations[3];

static void turn(int number)
{
    for (int i = 0; i < 50; i++) {
        iterations[number] += i;
        swapcontext(&contexts[number], &contexts[number == 1 ? 2 : 1]);
    }
}

__attribute__((noinline)) static long on_stack(void *stack, long value)
{
    long result;
    __asm__ volatile(
        "mov %%rsp, %%rbx; mov %1, %%rsp; push %2; push %2; pop %%rax; add (%%rsp), %%rax;"
        "mov %%rbx, %%rsp"
        : "=&a"(result)
        : "r"(stack), "r"(value)
        : "rbx", "memory");
    return result;
}

static void stacks(void)
{
    static uint8_t memory[3][65536];
    volatile long sum = 0;
    for (int i = 1; i < 3; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = memory[i];
        contexts[i].uc_stack.ss_size = sizeof memory[i];
        contexts[i].uc_link = &contexts[0];
        makecontext(&contexts[i], (void (*)(void))turn, 1, i);
    }
    swapcontext(&contexts[0], &contexts[1]);
    for (int i = 0; i < 100; i++)
        sum += on_stack(memory[0] + 1024, i);
    printf("%d %d %ld\n", iterations[1], iterations[2], sum);
}

/* Words in the GS segment of this thread: its base is what the thread was started with. */
static void *read_gs(void *where)
{
    uint64_t inherited, own;
    __asm__ volatile("mov %%gs:8, %0" : "=r"(inherited));
    syscall(SYS_arch_prctl, ARCH_SET_GS, where);
    __asm__ volatile("mov %%gs:8, %0" : "=r"(own));
    return (void *)(uintptr_t)(inherited * 100 + own);
}

static void gs_fault(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *state = context;
    (void)signal;
    printf("%s %#llx %lld %lld\n", signal == SIGSEGV ? "segv" : "?",
           (unsigned long long)(uintptr_t)info->si_addr, state->uc_mcontext.gregs[REG_RDI],
           state->uc_mcontext.gregs[REG_RBX]);
    fflush(stdout);
    siglongjmp(back, 1);
}

/* What a thread and a child process start with, and registers where an operand in GS faults. */
static void set_gs_and_go_on(void)
{
    static uint64_t words[4] = {1, 2, 3, 4}, others[4] = {5, 6, 7, 8};
    struct sigaction action = {.sa_sigaction = gs_fault, .sa_flags = SA_SIGINFO};
    pthread_t thread;
    void *result = NULL;
    uint64_t value;
    syscall(SYS_arch_prctl, ARCH_SET_GS, words);
    pthread_create(&thread, NULL, read_gs, others);
    pthread_join(thread, &result);
    __asm__ volatile("mov %%gs:8, %0" : "=r"(value));
    printf("%llu %llu\n", (unsigned long long)(uintptr_t)result, (unsigned long long)value);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        __asm__ volatile("mov %%gs:16, %0" : "=r"(value));
        _exit((int)value);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 200; i++)
        if (sigsetjmp(back, 1) == 0)
            __asm__ volatile("mov $11, %%rdi; mov $22, %%rbx; mov $33, %%rsi\n\t"
                             "mov $0x600000000000, %%rax; add %%rdi, %%gs:(%%rax)"
                             :
                             :
                             : "rdi", "rbx", "rsi", "rax", "memory", "cc");
}

static void set_gs(int how)
{
    static uint64_t words[4] = {1, 2, 3, 4};
    uint64_t value = 0;
    if (how == 'a')
        syscall(SYS_arch_prctl, ARCH_SET_GS, words);
    else if (how == 'w')
        __asm__ volatile("wrgsbase %0" : : "r"(words));
    if (how == 's')
        __asm__ volatile("mov %%gs, %%ax; mov %%ax, %%gs" : : : "ax");
    else if (how == 'r')
        __asm__ volatile("rdgsbase %0" : "=r"(value));
    else
        __asm__ volatile("mov %%gs:16, %0" : "=r"(value));
    printf("%llu\n", (unsigned long long)value);
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "patch") == 0)
        patch_across_threads();
    else if (strcmp(what, "protect") == 0)
        protect_across_threads();
    else if (strcmp(what, "protections") == 0)
        protections();
    else if (strcmp(what, "vsyscalls") == 0)
        vsyscalls();
    else if (strcmp(what, "stacks") == 0)
        stacks();
    else if (strcmp(what, "gs") == 0)
        set_gs_and_go_on();
    else if (strncmp(what, "gs-", 3) == 0)
        set_gs(what[3]);
    else
        return 2;
    return 0;
}
