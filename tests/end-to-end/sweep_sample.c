/*
 * Adds one to each element of an array, in order, over and over: a load and a store of each, and
 * nothing else. SIGUSR1 ends it, and it says whether the elements fit together. Built with SECCOMP
 * it has a filter of system calls.
 *
 * usage: sweep_sample FILE: makes the file once it is at work
 */
#ifdef SECCOMP
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#endif
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define ELEMENTS 1000

volatile uint64_t elements[ELEMENTS];

static void end(int signal)
{
    int is_right = 1;
    (void)signal;
    for (int i = 1; i < ELEMENTS; i++)
        is_right &= elements[i - 1] - elements[i] <= 1 && elements[0] - elements[i] <= 1;
    puts(is_right ? "right" : "wrong");
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    signal(SIGUSR1, end);
#ifdef SECCOMP /* a filter that allows everything */
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {1, &allow};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
#endif
    FILE *file = fopen(argv[argc - 1], "w");
    if (file)
        fclose(file);
    for (;;)
        for (int i = 0; i < ELEMENTS; i++)
            elements[i] = elements[i] + 1;
}
