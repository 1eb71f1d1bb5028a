/*
 * usage: kernel_sample calls|signals|threads
 *
 * Makes system calls that hand over buffers and says what a trace must tell of each, as the lines
 * of `foretrace dump --calls` from the name on. Two calls that fail mark the beginning and the end
 * of what counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

static char lines[1 << 20], area[1 << 16];
static size_t length;

__attribute__((format(printf, 1, 2))) static void expect(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    length += (size_t)vsnprintf(lines + length, sizeof lines - length, format, list);
    va_end(list);
}

/* One buffer of a call. */
static void expect_buffer(const char *name, const void *buffer, size_t given, long result,
                          const char *verb, long bytes)
{
    expect("%s 0x%lx %zu = %ld", name, (long)buffer, given, result);
    expect(bytes > 0 ? ", %s %ld\n" : "\n", verb, bytes);
}

static void mark(void)
{
    syscall(SYS_read, -1, area, 7777);
}

static void one_buffer(int file, int input, int output)
{
    char *at = area + 100;
    long result;
    result = syscall(SYS_write, output, at, 500);
    expect_buffer("write", at, 500, result, "reads", 500);
    result = syscall(SYS_read, input, at + 1, 1000);
    expect_buffer("read", at + 1, 1000, result, "writes", 500);
    result = syscall(SYS_pwrite64, file, at, 3000, 10000);
    expect_buffer("pwrite64", at, 3000, result, "reads", 3000);
    result = syscall(SYS_pread64, file, at, 4000, 12000);
    expect_buffer("pread64", at, 4000, result, "writes", 1000);
    result = syscall(SYS_sendto, output, at, 10, 0, NULL, 0);
    expect_buffer("sendto", at, 10, result, "reads", 10);
    result = syscall(SYS_recvfrom, input, at, 5, 0, NULL, NULL);
    expect_buffer("recvfrom", at, 5, result, "writes", 5);
    result = syscall(SYS_recvfrom, input, at, 50, MSG_DONTWAIT, NULL, NULL);
    expect_buffer("recvfrom", at, 50, result, "writes", 5);
    result = syscall(SYS_recvfrom, input, at, 50, MSG_DONTWAIT, NULL, NULL);
    expect_buffer("recvfrom", at, 50, -errno, "writes", result);
    result = syscall(SYS_getrandom, at, 77, 0);
    expect_buffer("getrandom", at, 77, result, "writes", 77);
    result = syscall(SYS_getcwd, at, 4096);
    expect_buffer("getcwd", at, 4096, result, "writes", (long)strlen(at) + 1);
    result = syscall(SYS_fstat, file, at);
    expect_buffer("fstat", at, 0, result, "writes", sizeof(struct stat));
    result = syscall(SYS_statx, file, "", AT_EMPTY_PATH, STATX_ALL, at);
    expect_buffer("statx", at, 0, result, "writes", sizeof(struct statx));
    result = syscall(SYS_readlink, "/proc/self/exe", at, 6);
    expect_buffer("readlink", at, 6, result, "writes", 6);
    struct pollfd polled[2] = {{.fd = input, .events = POLLIN}, {.fd = output, .events = POLLOUT}};
    result = syscall(SYS_poll, polled, 2, 0);
    expect_buffer("poll", polled, 2, result, "reads and writes", 16);
    int events = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLOUT}, ready[4];
    epoll_ctl(events, EPOLL_CTL_ADD, output, &event);
    result = syscall(SYS_epoll_wait, events, ready, 4, 0);
    expect_buffer("epoll_wait", ready, 4, result, "writes", 12);
    result = syscall(SYS_mmap, NULL, 12345, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect("mmap 0x0 12345 = 0x%lx\n", result);
    expect("munmap 0x%lx 12345 = 0x0\n", result);
    syscall(SYS_munmap, result, 12345);
}

/* A vector that its own call overwrites: what counts is what it was at the call. */
static void vectors(int file, int input, int output)
{
    struct iovec vector[3] = {{area, 10}, {NULL, 0}, {area + 50, 1000}};
    syscall(SYS_writev, output, vector, 3);
    expect_buffer("writev", area, 10, 10, "reads", 10);
    expect_buffer("writev", area + 50, 1000, 1000, "reads", 1000);
    struct iovec self[2] = {{self, sizeof self}, {area + 9, 100}};
    syscall(SYS_readv, input, self, 2);
    expect_buffer("readv", self, sizeof self, sizeof self, "writes", sizeof self);
    expect_buffer("readv", area + 9, 100, 100, "writes", 100);
    long result = syscall(SYS_readv, -1, vector, 3);
    expect("readv 0x0 0 = %d\n", result < 0 ? -errno : 0);
    result = syscall(SYS_pwritev, file, vector, 1, 0, 0);
    expect_buffer("pwritev", area, 10, result, "reads", 10);
    result = syscall(SYS_preadv2, file, vector, 3, 12500, 0, 0);
    expect_buffer("preadv2", area, 10, 10, "writes", 10);
    expect_buffer("preadv2", area + 50, 1000, result - 10, "writes", 490);
    struct msghdr message = {.msg_iov = vector, .msg_iovlen = 3};
    result = syscall(SYS_recvmsg, input, &message, 0);
    expect_buffer("recvmsg", area, 10, 10, "writes", 10);
    expect_buffer("recvmsg", area + 50, 1000, result - 10, "writes", result - 10);
    result = syscall(SYS_sendmsg, output, &message, 0);
    expect_buffer("sendmsg", area, 10, 10, "reads", 10);
    expect_buffer("sendmsg", area + 50, 1000, result - 10, "reads", 1000);
}

static void messages(void)
{
    int pair[2];
    struct iovec out[3] = {{area, 3}, {area + 10, 4}, {area + 20, 5}};
    struct iovec in[2] = {{area + 100, 100}, {area + 300, 100}};
    struct mmsghdr sent[2] = {{.msg_hdr = {.msg_iov = out, .msg_iovlen = 2}},
                              {.msg_hdr = {.msg_iov = out + 2, .msg_iovlen = 1}}};
    struct mmsghdr got[2] = {{.msg_hdr = {.msg_iov = in, .msg_iovlen = 1}},
                             {.msg_hdr = {.msg_iov = in + 1, .msg_iovlen = 1}}};
    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    syscall(SYS_sendmmsg, pair[0], sent, 2, 0);
    expect_buffer("sendmmsg", area, 3, 3, "reads", 3);
    expect_buffer("sendmmsg", area + 10, 4, 4, "reads", 4);
    expect_buffer("sendmmsg", area + 20, 5, 5, "reads", 5);
    syscall(SYS_recvmmsg, pair[1], got, 2, 0, NULL);
    expect_buffer("recvmmsg", area + 100, 100, 7, "writes", 7);
    expect_buffer("recvmmsg", area + 300, 100, 5, "writes", 5);
}

/* More buffers than the log has room for at once: they are the first two thousand. */
static void many(int file)
{
    static struct iovec vector[1000];
    for (int i = 0; i < 1000; i++)
        vector[i] = (struct iovec){area + i, 1};
    for (int k = 0; k < 30; k++) {
        syscall(SYS_pwritev, file, vector, 1000, 0, 0);
        if (k < 2)
            for (int i = 0; i < 1000; i++)
                expect_buffer("pwritev", area + i, 1, 1, "reads", 1);
    }
}

static int run_calls(void)
{
    int pair[2], file = open(".", O_TMPFILE | O_RDWR, 0600);
    if (file < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return 1;
    mark();
    one_buffer(file, pair[0], pair[1]);
    vectors(file, pair[0], pair[1]);
    messages();
    many(file);
    mark();
    fputs(lines, stdout);
    return 0;
}

static volatile sig_atomic_t ticks;

static void tick(int signal)
{
    (void)signal;
    ticks++;
}

/* A timer interrupts reads, which a child feeds slowly; half of the time they start again. */
static int run_signals(void)
{
    int pair[2];
    long total = 0, calls = 0;
    struct itimerval timer = {{0, 700}, {0, 700}};
    struct iovec vector[2] = {{area, 3}, {area + 10, 90}};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return 1;
    if (fork() == 0) {
        for (int i = 0; i < 300; i++) {
            usleep(1000);
            if (write(pair[1], area, 20) != 20)
                _exit(1);
        }
        _exit(0);
    }
    close(pair[1]);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = tick}, NULL);
    mark();
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int turn = 0;; turn++) {
        struct sigaction action = {.sa_handler = tick, .sa_flags = turn & 2 ? SA_RESTART : 0};
        sigaction(SIGALRM, &action, NULL);
        long got = turn & 1 ? syscall(SYS_readv, pair[0], vector, 2)
                            : syscall(SYS_read, pair[0], area + 200, 30);
        if (got == 0)
            break;
        total += got > 0 ? got : 0;
        calls += got > 0;
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    mark();
    printf("%ld bytes; %s\n", total, ticks > 20 ? "interrupted" : "hardly interrupted");
    return calls == 0;
}

static void *copy(void *context)
{
    int pair[2], number = (int)(intptr_t)context;
    char *at = area + 1000 * number;
    if (pipe(pair) != 0)
        return NULL;
    for (int i = 0; i < 20000; i++)
        if (syscall(SYS_write, pair[1], at, number) != number ||
            syscall(SYS_read, pair[0], at, 2 * number) != number)
            return NULL;
    return context;
}

/* Threads that copy at the same time; enough that each one's log fills. */
static int run_threads(void)
{
    pthread_t threads[3];
    void *result;
    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, copy, (void *)(i + 1));
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], &result);
        if (!result)
            return 1;
    }
    for (long i = 1; i <= 3; i++)
        printf("thread %ld: 20000 times write %ld, read %ld at 0x%lx\n", i, i, i,
               (long)area + 1000 * i);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    setvbuf(stdout, NULL, _IOFBF, 1 << 20);
    if (strcmp(what, "calls") == 0)
        return run_calls();
    return strcmp(what, "signals") == 0 ? run_signals() : run_threads();
}
