/*
 * The variables are those that launchers set for each process they start (ft_rank_variables); and
 * for jobs Slurm, PBS, LSF, Grid Engine, Flux. The first one that is set counts.
 */
#include "trace-capture/processes/output_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/base/bytes.h"
#include "formats/base/parse.h"
#include "formats/trace/capture_host.h"
#include "trace-capture/host/proc_files.h"

#define NAME_DEFAULT  "trace.h5"
#define RANKS_DEFAULT "trace.%r.h5"

static const char *const jobs[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID",
                                   "FLUX_JOB_ID",  "JOB_ID",    NULL};
static const char *const tasks[] = {"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "LSB_JOBINDEX",
                                    "SGE_TASK_ID", NULL};

/* The value of NAME in consecutive "NAME=value" texts; NULL if it is not set. */
static const char *find_value(const char *environment, size_t bytes, const char *name)
{
    size_t length = strlen(name);
    for (size_t at = 0; at < bytes; at += strlen(environment + at) + 1)
        if (strncmp(environment + at, name, length) == 0 && environment[at + length] == '=')
            return environment + at + length + 1;
    return NULL;
}

static const char *first_of(const char *environment, size_t bytes, const char *const *variables)
{
    for (; *variables; variables++) {
        const char *value = find_value(environment, bytes, *variables);
        if (value && *value)
            return value;
    }
    return "none";
}

/* A slash would name a folder. */
static void put_part(struct ft_bytes *name, const char *text)
{
    for (; *text; text++)
        ft_put_u8(name, *text == '/' ? '_' : (uint8_t)*text);
}

static void put_variable(struct ft_bytes *name, char letter, pid_t pid, const char *environment,
                         size_t bytes)
{
    char text[256] = "";
    switch (letter) {
    case 'p':
        snprintf(text, sizeof text, "%d", (int)pid);
        put_part(name, text);
        break;
    case 'h':
        gethostname(text, sizeof text - 1);
        put_part(name, text);
        break;
    case 'r':
        put_part(name, first_of(environment, bytes, ft_rank_variables));
        break;
    case 'j':
        put_part(name, first_of(environment, bytes, jobs));
        break;
    case 'a':
        put_part(name, first_of(environment, bytes, tasks));
        break;
    default:
        ft_put_u8(name, '%');
        break;
    }
}

static bool has_letter(const char *pattern, const char *letters)
{
    for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += 2)
        if (strchr(letters, at[1]))
            return true;
    return false;
}

int ft_output_pattern(const char *given, const char **ret_pattern, struct ft_diag *diag)
{
    const char *count = NULL;
    uint64_t rank_count = 0;
    for (size_t i = 0; ft_rank_count_variables[i] && !count; i++)
        count = getenv(ft_rank_count_variables[i]);
    const char *at = count;
    bool has_others = count && ft_read_u64(&at, &rank_count) && rank_count > 1;
    const char *pattern = given ? given : has_others ? RANKS_DEFAULT : NAME_DEFAULT;
    for (at = pattern; (at = strchr(at, '%')) != NULL; at += 2)
        if (!at[1] || !strchr("phrja%", at[1]))
            return ft_fail(diag, FT_ERROR_USAGE,
                           "-o %s: %%%.1s is none of %%p (process), %%h (host), %%r (rank), %%j "
                           "(job), %%a (array task), %%%%",
                           pattern, at + 1);
    if (has_others && !has_letter(pattern, "rp"))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "-o %s: %s ranks would write it; put %%r (rank) or %%p (process) into the "
                       "name",
                       pattern, count);
    *ret_pattern = pattern;
    return FT_OK;
}

static bool is_taken(const struct ft_output_names *names, const char *name, bool replaces)
{
    if (names->used_count > 0 && !replaces && access(name, F_OK) == 0)
        return true;
    for (size_t i = 0; i < names->used_count; i++)
        if (strcmp(names->used[i], name) == 0)
            return true;
    return false;
}

/* "a/b.h5" and 2 become "a/b.2.h5". NULL without memory. */
static char *numbered(const char *name, unsigned number)
{
    char *text = NULL;
    const char *base = strrchr(name, '/');
    const char *dot = strrchr(base ? base : name, '.');
    int length = (int)(dot ? (size_t)(dot - name) : strlen(name));
    if (asprintf(&text, "%.*s.%u%s", length, name, number, dot ? dot : "") < 0)
        return NULL;
    return text;
}

int ft_output_name(const char *pattern, pid_t pid, char **ret_name, struct ft_diag *diag)
{
    size_t bytes;
    struct ft_bytes name = {0};
    char *environment = ft_proc_read_of(pid, "environ", &bytes);
    for (const char *at = pattern; environment && *at; at++) {
        if (*at == '%')
            put_variable(&name, *++at, pid, environment, bytes);
        else
            ft_put_u8(&name, (uint8_t)*at);
    }
    ft_put_u8(&name, 0);
    const bool complete = !name.failed && environment;
    free(environment);
    if (!complete) {
        ft_bytes_fini(&name);
        return ft_fail_memory(diag, "the trace's name");
    }
    *ret_name = (char *)name.data;
    return FT_OK;
}

int ft_output_names_next(struct ft_output_names *names, const char *pattern, bool replaces,
                         pid_t pid, const char **ret_name, struct ft_diag *diag)
{
    char *name = NULL;
    FT_TRY(ft_output_name(pattern, pid, &name, diag));
    char *chosen = strdup(name);
    for (unsigned number = 2; chosen && is_taken(names, chosen, replaces); number++) {
        free(chosen);
        chosen = numbered(name, number);
    }
    free(name);
    if (!chosen || !FT_RESERVE(names->used, names->used_capacity, names->used_count + 1)) {
        free(chosen);
        return ft_fail_memory(diag, "the trace's name");
    }
    names->used[names->used_count++] = chosen;
    *ret_name = chosen;
    return FT_OK;
}

void ft_output_names_fini(struct ft_output_names *names)
{
    for (size_t i = 0; i < names->used_count; i++)
        free(names->used[i]);
    free(names->used);
    *names = (struct ft_output_names){0};
}
