/*
 * A server whose threads wait in system calls of all kinds, or spin. What a tracer must not show it
 * (a call that fails with EINTR, a wrong value) ends it with a message.
 *
 * usage: server_sample FILE: writes the number of its port there. A line with a number is answered
 * with the sum of the numbers below it; 0 ends the server.
 *
 * A request goes from the first thread (epoll_wait) over one that waits in a futex, one that it
 * makes for it, and one that reads a pipe.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/rseq.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct request {
    int socket;
    uint64_t below, sum;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handed_over = PTHREAD_COND_INITIALIZER;
static struct request *handed;
static int done[2];
static atomic_ulong ticks, spins, signals;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    _exit(1);
}

static void on_signal(int number)
{
    (void)number;
    atomic_fetch_add(&signals, 1);
}

static void *sum_up(void *context)
{
    struct request *request = context;
    for (uint64_t i = 0; i < request->below; i++)
        request->sum += i;
    return NULL;
}

static void *work(void *context)
{
    (void)context;
    for (;;) {
        pthread_t helper;
        pthread_mutex_lock(&lock);
        while (!handed)
            pthread_cond_wait(&handed_over, &lock);
        struct request *request = handed;
        handed = NULL;
        pthread_mutex_unlock(&lock);
        if (pthread_create(&helper, NULL, sum_up, request) != 0)
            fail("pthread_create");
        pthread_join(helper, NULL);
        if (write(done[1], &request, sizeof request) != sizeof request)
            fail("write");
    }
}

static void *answer(void *context)
{
    struct request *request;
    (void)context;
    for (;;) {
        if (read(done[0], &request, sizeof request) != sizeof request)
            fail("read");
        dprintf(request->socket, "%lu\n", (unsigned long)request->sum);
        close(request->socket);
        free(request);
    }
}

static void *tick(void *context)
{
    (void)context;
    for (;;) {
        if (nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL) != 0)
            fail("nanosleep");
        atomic_fetch_add(&ticks, 1);
    }
}

/* Integers and doubles in step with each other. */
static void *spin(void *context)
{
    uint64_t value = 0;
    double same = 0;
    (void)context;
    for (;;) {
        for (int i = 0; i < 1000; i++) {
            value += 3;
            same += 3;
        }
        if ((double)value != same)
            fail("registers differ");
        atomic_fetch_add(&spins, 1);
    }
}

static void *wait_for_signal(void *context)
{
    sigset_t set;
    siginfo_t info;
    (void)context;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    if (sigwaitinfo(&set, &info) != SIGUSR2)
        fail("sigwaitinfo");
    return NULL;
}

static void start(void *(*function)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, NULL) != 0)
        fail("pthread_create");
}

static int listen_at_any_port(const char *file)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t bytes = sizeof address;
    int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_fd < 0 || bind(socket_fd, (struct sockaddr *)&address, bytes) != 0 ||
        listen(socket_fd, 8) != 0 ||
        getsockname(socket_fd, (struct sockaddr *)&address, &bytes) != 0)
        fail("a socket");
    char name[256];
    snprintf(name, sizeof name, "%s.new", file);
    FILE *out = fopen(name, "w");
    if (!out || fprintf(out, "%d\n", ntohs(address.sin_port)) < 0 || fclose(out) != 0 ||
        rename(name, file) != 0)
        fail(file);
    return socket_fd;
}

/* Whether the kernel writes the processor's number into the thread's area, if it did at first. */
static int has_sequences(void)
{
    const volatile struct rseq *area =
        (const volatile struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
    return __rseq_size == 0 || (int)area->cpu_id >= 0;
}

static _Noreturn void end(unsigned served)
{
    if (sched_getcpu() < 0)
        fail("sched_getcpu");
    printf("served %u, %s, %s, %lu signals, rseq %s\n", served, ticks ? "ticks" : "no ticks",
           spins ? "spins" : "no spins", (unsigned long)signals, has_sequences() ? "on" : "off");
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    sigset_t blocked;
    struct epoll_event event = {.events = EPOLLIN};
    int listener, poller = epoll_create1(EPOLL_CLOEXEC);
    if (argc != 2 || poller < 0 || pipe(done) != 0)
        fail("usage");
    signal(SIGUSR1, on_signal);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1); /* it is for the first thread alone */
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    start(work), start(answer), start(tick), start(spin), start(wait_for_signal);
    sigdelset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
    listener = listen_at_any_port(argv[1]);
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    for (unsigned served = 0;; served++) {
        char line[64] = "";
        struct request *request = calloc(1, sizeof *request);
        unsigned long before = signals;
        while (epoll_wait(poller, &event, 1, -1) != 1)
            if (errno != EINTR || before == signals)
                fail("epoll_wait");
            else
                before = signals;
        request->socket = accept(listener, NULL, NULL);
        if (request->socket < 0 || read(request->socket, line, sizeof line - 1) <= 0)
            fail("a request");
        request->below = strtoull(line, NULL, 10);
        if (!request->below)
            end(served);
        pthread_mutex_lock(&lock);
        handed = request;
        pthread_cond_signal(&handed_over);
        pthread_mutex_unlock(&lock);
    }
}
