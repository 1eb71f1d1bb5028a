#include "predict/study/target_choice.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "predict/plan/child_run.h"
#include "predict/plan/command_words.h"

#define ENOUGH_SECONDS 0.2
#define LIMIT_SECONDS  10 /* on the wall */
#define MEMORY_SHARE   (1.0 / 8)
#define STEP_MAX       2.5 /* from a size to the next; data may grow by its square */
#define FIRST_SIZE     80.0
#define SIZE_MAX_TRIED 1e10

/* 80, 200, 400, 800, 2000 ... */
static double next_size(double size)
{
    double leading = size;
    while (leading >= 100)
        leading /= 10;
    return leading > 50 ? size * STEP_MAX : 2 * size;
}

static double memory_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

static int run_at(char *const *words, const char *parameter, double size,
                  const struct ft_child_terms *terms, struct ft_child_run *ret_run,
                  struct ft_diag *diag)
{
    const struct ft_word_value value = {.name = parameter, .value = size};
    char **filled = ft_command_words_fill(words, &value, 1);
    if (!filled)
        return ft_fail_memory(diag, "a command");
    const int status = ft_child_run(filled, terms, ret_run, diag);
    ft_command_words_free(filled);
    return status;
}

/* No size will do: the first one failed or took too long. */
static int fail_first(char *const *words, const char *parameter, const char *errors_path,
                      const struct ft_child_run *run, struct ft_diag *diag)
{
    char line[400];
    ft_child_last_line(errors_path, line, sizeof line);
    if (!run->ended)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s takes longer than %d s at %s = %.15g already: give the size to forecast "
                       "with --at %s=SIZE",
                       words[0], LIMIT_SECONDS, parameter, FIRST_SIZE, parameter);
    if (run->exit_code == FT_CHILD_NOT_STARTED && !line[0])
        return ft_fail(diag, FT_ERROR_USAGE, "%s: there is no such program, or it cannot be run",
                       words[0]);
    return ft_fail(diag, FT_ERROR_USAGE,
                   "%s ended with %d at %s = %.15g%s%s. Give a size that it takes with --at "
                   "%s=SIZE",
                   words[0], run->exit_code, parameter, FIRST_SIZE, line[0] ? ": " : "", line,
                   parameter);
}

int ft_target_choose(char *const *words, const char *parameter, const char *errors_path,
                     const struct ft_held_signals *signals, struct ft_target_choice *ret_choice,
                     struct ft_diag *diag)
{
    struct ft_target_choice choice = {0};
    struct ft_child_run run = {0};
    const struct ft_child_terms terms = {.errors_path = errors_path,
                                         .limit_seconds = LIMIT_SECONDS,
                                         .signals = signals,
                                         .is_native = true};
    int status = FT_OK;
    for (double size = FIRST_SIZE; status == FT_OK && size < SIZE_MAX_TRIED;
         size = next_size(size)) {
        status = run_at(words, parameter, size, &terms, &run, diag);
        if (status != FT_OK || !run.ended || run.exit_code != 0)
            break;
        choice = (struct ft_target_choice){size, run.cpu_seconds};
        if (run.cpu_seconds >= ENOUGH_SECONDS ||
            STEP_MAX * STEP_MAX * run.resident_bytes > MEMORY_SHARE * memory_bytes())
            break;
    }
    if (status == FT_OK && choice.size == 0)
        status = fail_first(words, parameter, errors_path, &run, diag);
    (void)unlink(errors_path);
    if (status == FT_OK)
        *ret_choice = choice;
    return status;
}
