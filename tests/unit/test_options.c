/* Option tables: what is parsed, and what is refused with which exit code. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/parse.h"
#include "formats/cli/options.h"
#include "tests/support/tap.h"

static struct {
    unsigned runs;
    size_t operands;
    char first_operand[32];
    char last_output[32];
    size_t sizes;
    uint64_t threads;
} seen;

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    seen.runs++;
    seen.operands = ft_operand_count(arguments);
    if (seen.operands)
        snprintf(seen.first_operand, sizeof seen.first_operand, "%s", ft_operands(arguments)[0]);
    const char *output = ft_option_last(arguments, "output");
    snprintf(seen.last_output, sizeof seen.last_output, "%s", output ? output : "");
    seen.sizes = ft_option_count(arguments, "size");
    if (ft_option_u64(arguments, "threads", 7, 1, 100, &seen.threads, &diag))
        return ft_command_fail(arguments, &diag);
    return 0;
}

static const struct ft_option options[] = {
    {"output", 'o', "FILE", "where to write"},
    {"size", 's', "BYTES", "a size, may be repeated", .repeats = true},
    {"threads", 0, "COUNT", "how many"},
    {"quiet", 'q', NULL, "say nothing", .excludes = "loud threads"},
    {"loud", 0, NULL, "say everything"},
    {"color", 0, NULL, "in color", .needs = "loud size"},
};
static const struct ft_command command = {
    .name = "try",
    .synopsis = "try [options] FILE...",
    .summary = "for the test",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};

/* Runs the words and gives the exit code; what the command prints is not of interest. */
static int run_words(const struct ft_command *which, const char *const *words)
{
    char *argv[16] = {NULL};
    char text[16][32];
    int argc = 0;
    for (; words[argc]; argc++) {
        snprintf(text[argc], sizeof text[argc], "%s", words[argc]);
        argv[argc] = text[argc];
    }
    fflush(stdout);
    int saved_out = dup(1), saved_err = dup(2), null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
    int code = ft_command_main(which, argc, argv);
    fflush(stdout);
    dup2(saved_out, 1);
    dup2(saved_err, 2);
    close(saved_out);
    close(saved_err);
    close(null);
    return code;
}

#define RUN(which, ...) run_words(which, (const char *const[]){"try", __VA_ARGS__, NULL})

static void test_parsing(void)
{
    tap_ok(RUN(&command, "-s", "1", "a", "-o", "y", "b", "--size=2") == 0,
           "options and operands in any order");
    tap_ok(seen.operands == 2 && strcmp(seen.first_operand, "a") == 0, "operands kept in order");
    tap_ok(strcmp(seen.last_output, "y") == 0, "the argument of an option");
    tap_ok(seen.sizes == 2 && seen.threads == 7, "repetitions counted, defaults taken");
    tap_ok(RUN(&command, "--", "-o") == 0 && strcmp(seen.first_operand, "-o") == 0,
           "-- ends the options");
    struct ft_command capture = command;
    capture.operands_end_options = true;
    capture.usage_exit_code = 125;
    tap_ok(RUN(&capture, "prog", "-o", "x") == 0 && seen.operands == 3,
           "the first operand can end the options");
    tap_ok(RUN(&capture, "--nope") == 125, "a command can choose its code of misuse");
}

static void test_misuse(void)
{
    unsigned runs = seen.runs;
    tap_ok(RUN(&command, "--nope") == 2, "unknown long option");
    tap_ok(RUN(&command, "-x") == 2, "unknown letter");
    tap_ok(RUN(&command, "-o") == 2, "missing argument");
    tap_ok(RUN(&command, "-o", "x", "--output", "x") == 2, "an option that counts once, twice");
    tap_ok(RUN(&command, "-q", "-q") == 2, "a flag twice");
    tap_ok(RUN(&command, "--force") == 2, "no --force where nothing is written");
    tap_ok(RUN(&command, "--help") == 0, "--help is no misuse");
    tap_ok(seen.runs == runs, "none of them ran the command");
    const char *const bad_counts[] = {"0", "101", "-1", "x", "7x", ""};
    for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; i++)
        tap_ok(RUN(&command, "--threads", bad_counts[i]) == 2, "--threads '%s'", bad_counts[i]);
}

/* What rows say of options together; the order on the command line does not matter. */
static void test_together(void)
{
    const unsigned runs = seen.runs;
    tap_ok(RUN(&command, "--quiet", "--loud") == 2 && RUN(&command, "--loud", "-q") == 2 &&
               RUN(&command, "--threads", "3", "-q") == 2,
           "options that exclude each other");
    tap_ok(RUN(&command, "--color") == 2 && RUN(&command, "--color", "-q") == 2,
           "an option without one that it needs");
    tap_ok(seen.runs == runs, "none of them ran the command");
    tap_ok(RUN(&command, "--color", "--loud") == 0 && RUN(&command, "-s", "1", "--color") == 0,
           "one of those that it needs is enough");
}

static int run_with_typo(const struct ft_arguments *arguments)
{
    return ft_option_count(arguments, "thread") ? 1 : 0;
}

static void test_unknown_name(void)
{
    struct ft_command typo = command;
    typo.run = run_with_typo;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        RUN(&typo, "a");
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
           "a name that no row has ends the program");
}

static void test_sizes(void)
{
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: refused */
    } cases[] = {
        {"64", 64}, {"4K", 4096}, {"2m", 2097152}, {"1G", 1073741824}, {"", 0},
        {"K", 0},   {"4KB", 0},   {"-4", 0},       {"4 K", 0},         {"99999999999G", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bytes = 0;
        int status = ft_parse_bytes(cases[i].text, &bytes, NULL);
        tap_ok(bytes == cases[i].bytes && (status == 0) == (cases[i].bytes != 0), "size '%s'",
               cases[i].text);
    }
}

int main(void)
{
    test_parsing();
    test_misuse();
    test_together();
    test_unknown_name();
    test_sizes();
    return tap_plan_done();
}
