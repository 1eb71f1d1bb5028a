/*
 * Threads and child processes as programs use them: born and dying at a high rate, waiting for each
 * other, interrupted by signals and timers, leaving in any order. The word that it is called with
 * says which. Prints what it finds, which must be the same when it is captured.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4

extern char **environ;

static _Thread_local uint64_t own_sum;
static atomic_uint finished, signals_seen;
static atomic_bool stop;

static void start(pthread_t *thread, void *(*work)(void *), void *argument)
{
    if (pthread_create(thread, NULL, work, argument) != 0) {
        puts("no thread");
        exit(1);
    }
}

static void *allocate_and_add(void *argument)
{
    uint64_t seed = (uint64_t)(uintptr_t)argument;
    for (int round = 0; round < 20; round++) {
        size_t count = 50 + (seed * 7 + (uint64_t)round * 13) % 500;
        uint64_t *numbers = malloc(count * sizeof *numbers);
        if (!numbers)
            abort();
        for (size_t i = 0; i < count; i++)
            numbers[i] = seed * i;
        for (size_t i = 0; i < count; i++)
            own_sum += numbers[i];
        free(numbers);
    }
    finished++;
    return (void *)(uintptr_t)own_sum;
}

static void churn(void)
{
    uint64_t sum = 0;
    for (int round = 0; round < 40; round++) {
        pthread_t threads[THREADS];
        for (uintptr_t i = 0; i < THREADS; i++)
            start(&threads[i], allocate_and_add, (void *)(i + 1));
        for (int i = 0; i < THREADS; i++) {
            void *result;
            pthread_join(threads[i], &result);
            sum += (uint64_t)(uintptr_t)result;
        }
    }
    printf("churn: sum %lu of %u threads\n", (unsigned long)sum, finished);
}

static void detached(void)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (unsigned i = 0; i < 100; i++) {
        pthread_t thread;
        while (pthread_create(&thread, &attributes, allocate_and_add, (void *)(uintptr_t)i) != 0)
            usleep(1000);
    }
    while (finished < 100)
        usleep(1000);
    puts("detached: all of them finished");
}

/* Two threads write alternately, each after a futex call that follows the other's turn: the order
 * of all stores to `shared_words` is known. */
#define TURNS 400
static volatile uint32_t shared_words[TURNS];
static atomic_uint turn;

static void *take_turns(void *argument)
{
    unsigned own = (unsigned)(uintptr_t)argument;
    for (unsigned now = own; now < TURNS; now += 2) {
        do /* at least one call, behind the other's store */
            syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, now - 1, NULL, NULL, 0);
        while (turn != now);
        shared_words[now] = own + 1;
        turn++;
        syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    return NULL;
}

/* Lets the other thread go on: at once, and after some vain waits for longer, so that what waits is
 * a short trace also where the other is kept from running. */
static void wait_for_other(unsigned *waits)
{
    if (++*waits % 16 != 0)
        sched_yield();
    else
        usleep(1000);
}

/* The same in memory alone: they hand a lock over, which is taken by an exchange, waited for by
 * reading it, and released by a store. */
static void *take_lock(void *argument)
{
    static atomic_uint locked;
    static volatile unsigned next;
    unsigned own = (unsigned)(uintptr_t)argument, now, waits = 0;
    do {
        while (atomic_exchange(&locked, 1))
            for (int i = 0; i < 100 && atomic_load(&locked); i++)
                __builtin_ia32_pause();
        now = next;
        if (now % 2 == own && now < TURNS) {
            shared_words[now] = own + 1;
            next = now + 1;
            waits = 0;
        }
        atomic_store_explicit(&locked, 0, memory_order_release);
        if (now % 2 != own)
            wait_for_other(&waits);
    } while (now < TURNS);
    return NULL;
}

/* The same with plain loads and stores: who waits reads a word again and again, in a loop of one
 * block that ends when the word, which lags behind by one at most, is its own, or after some
 * iterations.
 */
static void *take_word(void *argument)
{
    static volatile uint32_t word;
    uint32_t own = (uint32_t)(uintptr_t)argument;
    for (uint32_t now = own; now < TURNS; now += 2) {
        for (unsigned waits = 0;;) {
            uint32_t read, both, rest = 100;
            __asm__ volatile("1: mov %3, %0; mov %0, %1; sub %4, %1; dec %2; and %2, %1; jne 1b"
                             : "=&r"(read), "=&r"(both), "+&r"(rest)
                             : "m"(word), "r"(now)
                             : "cc", "memory");
            if (read == now)
                break;
            wait_for_other(&waits);
        }
        shared_words[now] = own + 1;
        word = now + 1;
    }
    return NULL;
}

/* A loop of two blocks that pauses waits for what another thread stores once in a while. */
static volatile uint32_t paused_at;

static void *wait_pausing(void *argument)
{
    for (uint32_t next = 1; next <= 50; next++) {
        while (paused_at < next)
            for (unsigned i = 0; i < 1U << 30 && paused_at < next; i++)
                __builtin_ia32_pause();
    }
    return argument;
}

static void pauses(void)
{
    pthread_t thread;
    start(&thread, wait_pausing, NULL);
    for (uint32_t i = 1; i <= 50; i++) {
        usleep(2000);
        paused_at = i;
    }
    pthread_join(thread, NULL);
    puts("pauses: over");
}

static void by_turns(void *(*take)(void *))
{
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++)
        start(&threads[i], take, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("words: %d at 0x%lx\n", TURNS, (unsigned long)(uintptr_t)shared_words);
}

static void count_signal(int signal)
{
    (void)signal;
    signals_seen++;
}

static void *add_until_stopped(void *argument)
{
    static uint64_t numbers[THREADS][512];
    uint64_t *own = numbers[(uintptr_t)argument], rounds = 0;
    do {
        for (size_t i = 0; i < 512; i++)
            own[i] += i;
        rounds++;
    } while (!stop);
    for (size_t i = 0; i < 512; i++)
        if (own[i] != i * rounds)
            return (void *)1;
    return NULL;
}

static void signals(void)
{
    struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    struct itimerval often = {.it_value = {.tv_usec = 1000}, .it_interval = {.tv_usec = 1000}};
    struct itimerval off = {.it_value = {0}};
    pthread_t threads[THREADS];
    uintptr_t wrong = 0;

    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (uintptr_t i = 0; i < THREADS; i++)
        start(&threads[i], add_until_stopped, (void *)i);
    setitimer(ITIMER_REAL, &often, NULL);
    for (unsigned sent = 0; signals_seen < 100; sent++) {
        pthread_kill(threads[sent % THREADS], SIGUSR1);
        usleep(500);
    }
    setitimer(ITIMER_REAL, &off, NULL);
    stop = true;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong += (uintptr_t)result;
    }
    printf("signals: at least 100, %lu threads disturbed\n", (unsigned long)wrong);
}

/* A thread runs loops that only end when another thread writes their branch: of these two the first
 * stores nothing. */
static const uint8_t endless[] = {0x83, 0x3f, 0x00,       /* 1: cmpl $0, (%rdi) */
                                  0x75, 0xfb,             /* jne 1b */
                                  0x90, 0xff, 0x47, 0x04, /* 2: incl 4(%rdi) */
                                  0x83, 0x3f, 0x00,       /* cmpl $0, (%rdi) */
                                  0x75, 0xf8,             /* jne 2b */
                                  0xc3};
#define REWRITTEN 20
enum { FIRST_BRANCH = 3, SECOND_BRANCH = 12 };
static uint8_t *written_code;
static atomic_uint running;
static volatile uint32_t numbers[2] = {1, 0};

static void *run_written(void *argument)
{
    for (unsigned i = 0; i < REWRITTEN; i++) {
        running++;
        ((void (*)(volatile uint32_t *))(uintptr_t)written_code)(numbers);
    }
    return argument;
}

static void write_branch(size_t at, bool is_endless)
{
    __atomic_store_n(&written_code[at], is_endless ? 0x75 : 0x74, __ATOMIC_SEQ_CST);
}

static void rewritten(void)
{
    pthread_t thread;
    written_code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (written_code == MAP_FAILED)
        return;
    memcpy(written_code, endless, sizeof endless);
    start(&thread, run_written, NULL);
    for (unsigned i = 1; i <= REWRITTEN; i++) {
        uint32_t before = numbers[1];
        while (running < i)
            usleep(100);
        usleep(1000);
        write_branch(FIRST_BRANCH, false);
        while (numbers[1] == before)
            usleep(100);
        write_branch(FIRST_BRANCH, true);
        usleep(1000);
        write_branch(SECOND_BRANCH, false);
        while (running == i && i < REWRITTEN)
            usleep(100);
        write_branch(SECOND_BRANCH, i < REWRITTEN);
    }
    pthread_join(thread, NULL);
    puts("rewritten: all loops ended");
}

static void start_workers(void)
{
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_t thread;
        start(&thread, add_until_stopped, (void *)i);
    }
    usleep(5000);
}

static void *outlive(void *argument)
{
    (void)argument;
    usleep(20000);
    puts("leader: another thread goes on");
    exit(9);
}

static void leader_leaves(void)
{
    pthread_t thread;
    start(&thread, outlive, NULL);
    pthread_exit(NULL);
}

static void *fork_child(void *argument)
{
    int status = 0, ends[2];
    char text[16] = "";
    (void)argument;
    if (pipe(ends) != 0)
        return NULL;
    pid_t child = fork();
    if (child == 0) {
        int written = dprintf(ends[1], "%s", "of the child");
        _exit(written == 12 ? 3 : 4);
    }
    close(ends[1]);
    waitpid(child, &status, 0);
    ssize_t got = read(ends[0], text, sizeof text - 1);
    printf("children: fork: '%s' %zd, status %d\n", text, got, WEXITSTATUS(status));
    return NULL;
}

static void children(void)
{
    char *const command[] = {(char *)"sh", (char *)"-c", (char *)"echo spawned; exit 4", NULL};
    pthread_t thread;
    pid_t child;
    int status = 0;
    start(&thread, fork_child, NULL);
    pthread_join(thread, NULL);
    fflush(stdout);
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, command, environ) == 0)
        waitpid(child, &status, 0);
    printf("children: spawn: status %d\n", WEXITSTATUS(status));
    fflush(stdout);
    status = system("exit 5");
    printf("children: system: status %d\n", WEXITSTATUS(status));
    fflush(stdout);
    FILE *pipe = popen("echo piped", "r");
    char line[32] = "";
    if (pipe && fgets(line, sizeof line, pipe))
        printf("children: popen: %s", line);
    if (pipe)
        pclose(pipe);
}

static volatile int *volatile no_memory = (volatile int *)(uintptr_t)8;

static void *fault(void *argument)
{
    (void)argument;
    *no_memory = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t thread;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (strcmp(what, "churn") == 0) {
        churn();
    } else if (strcmp(what, "detached") == 0) {
        detached();
    } else if (strcmp(what, "turns") == 0) {
        by_turns(take_turns);
    } else if (strcmp(what, "handover") == 0) {
        by_turns(take_lock);
    } else if (strcmp(what, "pauses") == 0) {
        pauses();
    } else if (strcmp(what, "word") == 0) {
        by_turns(take_word);
    } else if (strcmp(what, "signals") == 0) {
        signals();
    } else if (strcmp(what, "rewritten") == 0) {
        rewritten();
    } else if (strcmp(what, "exit") == 0) { /* while others work */
        start_workers();
        exit(6);
    } else if (strcmp(what, "leader") == 0) {
        leader_leaves();
    } else if (strcmp(what, "children") == 0) {
        children();
    } else if (strcmp(what, "exec") == 0) { /* while others work */
        start_workers();
        execl("/bin/sh", "sh", "-c", "echo another program; exit 8", NULL);
    } else if (strcmp(what, "fault") == 0) {
        start_workers();
        start(&thread, fault, NULL);
        pthread_join(thread, NULL);
    } else {
        return 2;
    }
    puts("done");
    return 7;
}
