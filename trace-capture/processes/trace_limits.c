/*
 * The tracing loop sleeps in waitpid, so a limit must wake it up, even if it strikes between the
 * check of the limits and the sleep. Whatever requests the end therefore starts a timer that
 * signals the tracing thread periodically. The signal is blocked except around that one waitpid, so
 * that no other call is interrupted; if it arrives just before the sleep, the next one ends the
 * sleep. A time limit is the same timer with a later start.
 *
 * Batch systems send SIGTERM to all processes of a job some time before SIGKILL: the trace must be
 * complete by then.
 */
#include "trace-capture/processes/trace_limits.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "formats/base/clock.h"

#define WAKE_SIGNAL   (SIGRTMAX - 1)
#define WAKE_EVERY_NS 10000000L
#define POLL_EVERY_NS 20000000L
#define SECOND_NS     UINT64_C(1000000000)

#ifndef sigev_notify_thread_id /* glibc 2.36 has the field, and no name for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif

static volatile sig_atomic_t program; /* 0: none */
static volatile sig_atomic_t end_requested, pass_all_on, woken;
static timer_t waker;
static timer_t halfway_waker;
static uint64_t end_ns, halfway_ns; /* on the monotonic clock; 0: no time limit; none noted */

static void wake_after(uint64_t ns)
{
    const struct itimerspec times = {
        .it_value = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)},
        .it_interval = {.tv_nsec = WAKE_EVERY_NS}};
    timer_settime(waker, 0, &times, NULL);
}

static void wake_up(int signal)
{
    (void)signal;
    woken = 1;
}

static void forward(int signal)
{
    int saved = errno;
    if (program > 0)
        kill((pid_t)program, signal);
    errno = saved;
}

static void end_trace(int signal)
{
    int saved = errno;
    if (end_requested || pass_all_on)
        forward(signal);
    else
        wake_after(1);
    if (!end_requested)
        end_requested = signal;
    errno = saved;
}

static const int ending[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP};

static void mask_ending(int how)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(&set, ending[i]);
    pthread_sigmask(how, &set, NULL);
}

void ft_limits_hold_signals(void)
{
    mask_ending(SIG_BLOCK);
}

/* The process is not ours, and without us it would not go on. */
static void handle_signals_for_none(void)
{
    static const int ignored[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGPIPE};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction action;
        if (ending[i] == SIGHUP && sigaction(SIGHUP, NULL, &action) == 0 &&
            action.sa_handler == SIG_IGN)
            continue; /* nohup */
        action = (struct sigaction){.sa_handler = end_trace, .sa_flags = SA_RESTART};
        sigaction(ending[i], &action, NULL);
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        (void)signal(ignored[i], SIG_IGN);
    mask_ending(SIG_UNBLOCK);
}

static void handle_signals(void)
{
    static const struct {
        int signal;
        void (*handler)(int);
    } handled[] = {{SIGTERM, end_trace}, {SIGHUP, forward},  {SIGUSR1, forward},
                   {SIGUSR2, forward},   {SIGALRM, forward}, {SIGVTALRM, forward},
                   {SIGPROF, forward},   {SIGXCPU, forward}};
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) {
        struct sigaction action;
        if (sigaction(handled[i].signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            action = (struct sigaction){.sa_handler = handled[i].handler, .sa_flags = SA_RESTART};
            sigaction(handled[i].signal, &action, NULL);
        }
    }
}

int ft_limits_start(const struct ft_limits *limits, pid_t pid, struct ft_diag *diag)
{
    struct sigaction action = {.sa_handler = wake_up}; /* without SA_RESTART */
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WAKE_SIGNAL};
    sigset_t wake;
    event.sigev_notify_thread_id = gettid();
    sigemptyset(&wake);
    sigaddset(&wake, WAKE_SIGNAL);
    pthread_sigmask(SIG_BLOCK, &wake, NULL);
    sigaction(WAKE_SIGNAL, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &waker) != 0)
        return ft_fail(diag, FT_ERROR_FAILURE, "a timer for the limits: %s", strerror(errno));
    program = (sig_atomic_t)pid;
    if (pid)
        handle_signals();
    else
        handle_signals_for_none();
    if (limits->time_seconds > 0) {
        uint64_t ns = (uint64_t)(limits->time_seconds * 1e9);
        end_ns = ft_clock_ns() + ns;
        wake_after(ns + 1);
    }
    return FT_OK;
}

/* A timer of the tracing thread: after so long, and every so long from then on. */
static int start_timer(uint64_t first_ns, uint64_t every_ns, timer_t *ret_timer,
                       struct ft_diag *diag)
{
    const struct itimerspec times = {.it_value = {.tv_sec = (time_t)(first_ns / SECOND_NS),
                                                  .tv_nsec = (long)(first_ns % SECOND_NS)},
                                     .it_interval = {.tv_nsec = (long)every_ns}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WAKE_SIGNAL};
    event.sigev_notify_thread_id = gettid();
    if (timer_create(CLOCK_MONOTONIC, &event, ret_timer) != 0 ||
        timer_settime(*ret_timer, 0, &times, NULL) != 0)
        return ft_fail(diag, FT_ERROR_FAILURE, "a timer for the limits: %s", strerror(errno));
    return FT_OK;
}

int ft_limits_start_polling(struct ft_diag *diag)
{
    timer_t timer;
    return start_timer(POLL_EVERY_NS, POLL_EVERY_NS, &timer, diag);
}

int ft_limits_start_halfway(const struct ft_limits *limits, struct ft_diag *diag)
{
    const uint64_t half_ns = (uint64_t)(limits->time_seconds * 1e9) / 2 + 1;
    FT_TRY(start_timer(half_ns, WAKE_EVERY_NS, &halfway_waker, diag));
    halfway_ns = ft_clock_ns() + half_ns;
    return FT_OK;
}

bool ft_limits_halfway(void)
{
    if (!halfway_ns || ft_clock_ns() < halfway_ns)
        return false;
    timer_delete(halfway_waker);
    halfway_ns = 0;
    return true;
}

pid_t ft_limits_wait(int *ret_wait_status)
{
    sigset_t wake;
    sigemptyset(&wake);
    sigaddset(&wake, WAKE_SIGNAL);
    pthread_sigmask(SIG_UNBLOCK, &wake, NULL);
    pid_t pid = waitpid(-1, ret_wait_status, __WALL);
    int reason = errno;
    pthread_sigmask(SIG_BLOCK, &wake, NULL);
    errno = reason;
    return pid;
}

bool ft_limits_reached(const struct ft_limits *limits, bool is_full, char *ret_reason,
                       size_t reason_bytes)
{
    static const char outcome[] = "the trace ends there; the program continues untraced";
    if (is_full)
        snprintf(ret_reason, reason_bytes, "the trace has reached its --max-size of %s: %s",
                 limits->size_text, outcome);
    else if (woken && end_requested)
        snprintf(ret_reason, reason_bytes, "foretrace was sent SIG%s: %s",
                 sigabbrev_np(end_requested), outcome);
    else if (woken && end_ns && ft_clock_ns() >= end_ns)
        snprintf(ret_reason, reason_bytes, "the --max-time of %s is over: %s", limits->time_text,
                 outcome);
    else
        return false;
    return true;
}

void ft_limits_pass_all_on(void)
{
    static const struct itimerspec never = {0};
    timer_settime(waker, 0, &never, NULL);
    pass_all_on = 1;
}

void ft_limits_stop(void)
{
    program = 0;
}
