/*
 * Child processes and other programs, made in every way that the C library and the kernel know. The
 * word that it is called with says which; "leaf STATUS" is what the children execute. Prints what
 * it finds, which must be the same when it is captured.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SELF "/proc/self/exe"

extern char **environ;

static uint32_t numbers[1000];

/* Something to trace: touches memory that parent and child have copies of. */
static uint32_t work(uint32_t seed)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 1000; i++)
        numbers[i] += seed * i;
    for (unsigned i = 0; i < 1000; i++)
        sum += numbers[i] * (i + 1);
    return sum;
}

static void say(const char *what, int status)
{
    if (WIFEXITED(status))
        printf("%s: exit %d\n", what, WEXITSTATUS(status));
    else
        printf("%s: signal %d\n", what, WTERMSIG(status));
    fflush(stdout);
}

static void wait_for(const char *what, pid_t pid)
{
    int status = 0;
    if (waitpid(pid, &status, 0) != pid)
        printf("%s: %s\n", what, strerror(errno));
    else
        say(what, status);
}

static void by_fork(void)
{
    printf("before %u\n", work(1));
    fflush(stdout);
    for (uint32_t depth = 0; depth < 3; depth++) { /* each child is the next one's parent */
        pid_t child = fork();
        if (child > 0) {
            wait_for("fork", child);
            printf("depth %u: %u\n", depth, work(depth));
            fflush(stdout);
            if (depth)
                _exit((int)depth);
            return;
        }
        work(depth + 10);
    }
    printf("last %u\n", work(3));
    fflush(stdout);
    _exit(9);
}

static void by_vfork(void)
{
    pid_t child = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork): what is tested
    if (child == 0)
        _exit(5);
    wait_for("vfork and _exit", child);
    child = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (child == 0) {
        execl(SELF, "sample", "leaf", "6", (char *)NULL);
        _exit(127);
    }
    wait_for("vfork and exec", child);
}

static void by_spawn(void)
{
    char *const leaf[] = {"sample", "leaf", "11", NULL}, *const none[] = {"none", NULL};
    pid_t child;
    printf("posix_spawn %d\n", posix_spawn(&child, SELF, NULL, NULL, leaf, environ));
    fflush(stdout);
    wait_for("posix_spawn", child);
    printf("of nothing %d\n", posix_spawnp(&child, "/nowhere/none", NULL, NULL, none, environ));
}

static void by_clone(void)
{
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0)
        _exit((int)(work(2) % 50));
    wait_for("clone3", child);
    child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        _exit((int)(work(3) % 50));
    wait_for("clone", child);
}

static void by_shell(void)
{
    char line[64] = "";
    printf("system %d\n", system("exit 3"));
    FILE *pipe = popen("echo from the shell", "r");
    if (pipe && fgets(line, sizeof line, pipe))
        printf("popen %s", line);
    printf("pclose %d\n", pipe ? pclose(pipe) : -1);
}

static void *exec_leaf(void *status)
{
    work(4);
    execl(SELF, "sample", "leaf", (char *)status, (char *)NULL);
    return NULL;
}

static void *never_end(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void by_exec(void)
{
    execl("/nowhere/none", "none", (char *)NULL);
    printf("nothing there: %d\n", errno);
    fflush(stdout);
    exec_leaf("21");
}

/* All other threads are gone then, and the one that calls takes the process's id. */
static void by_exec_of_thread(void)
{
    pthread_t threads[3], last;
    for (unsigned i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, never_end, NULL);
    pthread_create(&last, NULL, exec_leaf, "22");
    never_end(NULL);
}

static void *fork_and_exec(void *status)
{
    pid_t child = fork();
    if (child == 0)
        exec_leaf(status);
    int ended = 0;
    waitpid(child, &ended, 0);
    return (void *)(intptr_t)WEXITSTATUS(ended);
}

static void by_threads(void)
{
    static const char *const statuses[] = {"31", "32", "33", "34"};
    pthread_t threads[4];
    intptr_t sum = 0;
    for (unsigned i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, fork_and_exec, (void *)(uintptr_t)statuses[i]);
    for (unsigned i = 0; i < 4; i++) {
        void *status;
        pthread_join(threads[i], &status);
        sum += (intptr_t)status;
    }
    printf("forked by threads: %d\n", (int)sum);
}

static void killed(void)
{
    int ready[2];
    char byte;
    if (pipe(ready) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        if (write(ready[1], "r", 1) == 1)
            never_end(NULL);
        _exit(1);
    }
    if (read(ready[0], &byte, 1) == 1)
        kill(child, SIGKILL);
    wait_for("killed", child);
    child = fork();
    if (child == 0) {
        volatile int *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *nothing = 1;
        _exit(0);
    }
    wait_for("faulted", child);
    child = fork();
    if (child == 0)
        abort();
    wait_for("aborted", child);
}

static volatile sig_atomic_t children_ended;

static void note_child(int signal)
{
    (void)signal;
    children_ended++;
}

/* Parent and child share a page; both handle signals. */
static void signals(void)
{
    struct sigaction action = {.sa_handler = note_child};
    sigaction(SIGCHLD, &action, NULL);
    volatile uint32_t *shared =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (uint32_t i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            raise(SIGCHLD);
            shared[i] = (uint32_t)children_ended + i;
            _exit(0);
        }
        while (waitpid(child, NULL, 0) < 0)
            ;
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 20; i++)
        sum += shared[i];
    printf("signals %d, in children %u\n", (int)children_ended, sum);
}

static void many(void)
{
    int status, sum = 0;
    for (int i = 0; i < 40; i++)
        if (fork() == 0)
            _exit((int)(work((uint32_t)i) & 63));
    while (wait(&status) > 0)
        sum += WEXITSTATUS(status);
    printf("many %d\n", sum);
}

/* Outlives its parent, and tells when that is gone. */
static void orphan(void)
{
    pid_t parent = getpid();
    if (fork() == 0) {
        while (getppid() == parent)
            usleep(1000);
        printf("orphan %u\n", work(8));
        return;
    }
    printf("parent %u\n", work(9));
    fflush(stdout);
    usleep(20000);
}

/* Whether the child counts on. */
static bool counts(const volatile uint32_t *count)
{
    uint32_t before = *count;
    for (int i = 0; i < 2000 && *count == before; i++)
        usleep(1000);
    return *count != before;
}

static void *count_up(void *count)
{
    for (;;)
        ++*(volatile uint32_t *)count;
    return NULL;
}

/* Job control: children of one thread and of several are stopped and go on. A stopped one has
 * counted its last when that is told; what a shell sees of it is what is printed. */
static void stops(void)
{
    static const int signals[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
    volatile uint32_t *count =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int threads = 1; threads <= 2; threads++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            pthread_t other;
            setpgid(0, 0); /* the kernel does not stop a group that nobody could continue */
            if (threads == 2)
                pthread_create(&other, NULL, count_up, (void *)(uintptr_t)(count + 1));
            count_up((void *)(uintptr_t)count);
        }
        for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
            printf("counts %d, ", counts(count));
            kill(child, signals[i]);
            waitpid(child, &status, WUNTRACED);
            uint32_t stopped_at = *count;
            printf("stopped %d by %d, ", WIFSTOPPED(status) != 0, WSTOPSIG(status));
            usleep(20000);
            printf("still %d, ", *count == stopped_at);
            kill(child, SIGCONT);
            waitpid(child, &status, WCONTINUED);
            printf("continued %d, ", WIFCONTINUED(status) != 0);
            printf("counts %d\n", counts(count));
        }
        kill(child, SIGSTOP);
        waitpid(child, &status, WUNTRACED);
        kill(child, SIGTERM); /* waits until it goes on */
        kill(child, SIGCONT);
        do
            waitpid(child, &status, 0);
        while (!WIFEXITED(status) && !WIFSIGNALED(status));
        say("stopped, then terminated", status);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"fork", by_fork},
    {"vfork", by_vfork},
    {"spawn", by_spawn},
    {"clone", by_clone},
    {"shell", by_shell},
    {"exec", by_exec},
    {"exec-thread", by_exec_of_thread},
    {"threads", by_threads},
    {"killed", killed},
    {"signals", signals},
    {"many", many},
    {"stops", stops},
    {"orphan", orphan},
};

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "leaf") == 0) {
        printf("leaf %s: %u\n", argv[2], work(7));
        return (int)strtol(argv[2], NULL, 10);
    }
    for (size_t i = 0; argc == 2 && i < sizeof parts / sizeof *parts; i++)
        if (strcmp(argv[1], parts[i].name) == 0) {
            parts[i].run();
            return 0;
        }
    fprintf(stderr, "usage: process_sample PART\n");
    return 2;
}
