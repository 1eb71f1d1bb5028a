/*
 * usage: sweeps_sample plain|signals|thread|fork SWEEPS
 *
 * Adds up numbers in an order of its own, again and again, while nothing else happens; while a
 * timer interrupts it; with a thread that does the same between two halves; with a child process
 * that does. Each sweep takes about 2 MB of log.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS    16000
#define COLUMNS 20

static uint32_t places[ROWS][COLUMNS];
static uint32_t numbers[1 << 16];
static volatile sig_atomic_t interrupted;

static __attribute__((noipa)) uint64_t sweep(void)
{
    uint64_t sum = 0;
    for (size_t row = 0; row < ROWS; row++) {
        uint32_t rowsum = 0;
        for (size_t column = 0; column < COLUMNS; column++)
            rowsum += numbers[places[row][column]];
        sum += rowsum;
    }
    return sum;
}

static uint64_t sweeps(unsigned count)
{
    uint64_t sum = 0;
    for (; count; count--)
        sum += sweep();
    return sum;
}

static void *sweep_in_thread(void *sum)
{
    *(uint64_t *)sum = sweeps(3);
    return NULL;
}

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static void start_timer(void)
{
    const struct itimerval often = {{0, 20000}, {0, 20000}};
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const unsigned count = (unsigned)strtoul(argv[2], NULL, 10);
    uint64_t random = 1, other = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        numbers[i] = (uint32_t)(i * 2654435761U);
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        places[i / COLUMNS][i % COLUMNS] = (uint32_t)(random >> 48);
    }
    if (strcmp(argv[1], "signals") == 0)
        start_timer();
    const unsigned first = strcmp(argv[1], "plain") == 0 ? 0 : count / 2;
    uint64_t sum = sweeps(first);
    if (strcmp(argv[1], "thread") == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, sweep_in_thread, &other))
            return 1;
        pthread_join(thread, NULL);
    }
    if (strcmp(argv[1], "fork") == 0) {
        pid_t child = fork();
        if (child == 0)
            _exit(sweeps(count) == 0);
        waitpid(child, NULL, 0);
    }
    sum += sweeps(count - first);
    const unsigned long long digits = 1ULL << 63; /* as many for each number */
    printf("%s %llx %llx\n", argv[1], sum | digits, other | digits);
    return 0;
}
