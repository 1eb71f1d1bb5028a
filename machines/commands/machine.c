/*
 * foretrace machine: what machines foretrace knows, what they are, and files of new ones.
 */
#include <string.h>

#include "formats/base/closest_name.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/machine_actions.h"

static const struct ft_option options[] = {
    {"output", 'o', "FILE",
     "detect, probe: the machine file to write (detect without it: print it)",
     .writes = FT_FILE_MACHINE},
    {"from", 0, "FILE",
     "detect: not this host, but the one that a trace was captured on, or that a topology of "
     "hwloc describes (lstopo topology.xml); probe: the curves of an earlier one",
     .reads = true},
    {"time", 0, "SECONDS",
     "probe: how long to measure (default: 150): 90, 90s, 2m; below 10 it is only a rough look",
     .excludes = "from"},
    {"sizes", 0, "FROM..TO/COUNT", "probe: sizes of bandwidths (1K..50M/54)", .excludes = "from"},
    {"strides", 0, "LIST", "probe: their strides in elements of 8 bytes (1,2,4,8,16,32,64)",
     .excludes = "from"},
    {"differences", 0, NULL, "compare: only values that differ"},
    {"sourced", 0, NULL, "check: values that name no source are an error"},
    {"json", 0, NULL, "as JSON (docs/json.md)", .excludes = "csv"},
    {"csv", 0, NULL, "list, show, compare: as CSV"},
    FT_QUIET_OPTION,
    FT_WIDE_OPTION,
};

struct action {
    const char *name;
    size_t operands_min, operands_max;
    const char *operands; /* what is needed, for messages */
    const char *options;  /* that it takes, between blanks */
    int (*run)(const struct ft_arguments *arguments, struct ft_diag *diag);
};

static const struct action actions[] = {
    {"list", 0, 0, "no operands", " json csv wide ", ft_machine_list_action},
    {"show", 1, 1, "one machine", " json csv wide ", ft_machine_show_action},
    {"check", 1, 1000, "machines", " sourced json wide ", ft_machine_check_action},
    {"detect", 0, 0, "no operands: --from FILE is where to look", " output from json force wide ",
     ft_machine_detect_action},
    {"probe", 0, 0, "no operands", " output from time sizes strides json quiet force wide ",
     ft_machine_probe_action},
    {"compare", 2, 1000, "two or more machines", " differences json csv wide ",
     ft_machine_compare_action},
};
#define ACTION_COUNT (sizeof actions / sizeof *actions)

static bool takes(const struct action *action, const char *option)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", option);
    return strstr(action->options, word) != NULL;
}

/* Options of other actions; 0 or an exit code. */
static int refuse_options(const struct ft_arguments *arguments, const struct action *action)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (ft_option_count(arguments, options[i].name) > 0 && !takes(action, options[i].name))
            return ft_command_misuse(arguments, "machine %s takes no --%s", action->name,
                                     options[i].name);
    return 0;
}

static int refuse_action(const struct ft_arguments *arguments, const char *name)
{
    struct ft_closest_name closest = {.wanted = name};
    for (size_t i = 0; i < ACTION_COUNT; i++)
        ft_closest_name_try(&closest, actions[i].name);
    if (closest.name)
        return ft_command_misuse(arguments, "unknown action '%s'; did you mean '%s'?", name,
                                 closest.name);
    return ft_command_misuse(
        arguments, "unknown action '%s': give list, show, check, compare, detect or probe", name);
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    const struct action *action = NULL;
    const size_t count = ft_operand_count(arguments);
    if (count == 0)
        return ft_command_misuse(arguments, "give list, show, check, compare, detect or probe");
    for (size_t i = 0; i < ACTION_COUNT; i++)
        if (strcmp(ft_operands(arguments)[0], actions[i].name) == 0)
            action = &actions[i];
    if (!action)
        return refuse_action(arguments, ft_operands(arguments)[0]);
    int code = refuse_options(arguments, action);
    if (code != 0)
        return code;
    if (count - 1 < action->operands_min || count - 1 > action->operands_max)
        return ft_command_misuse(arguments, "%s takes %s", action->name, action->operands);
    int status = action->run(arguments, &diag);
    if (status == FT_OK)
        status = ft_stdout_finish(&diag);
    return status < 0 ? ft_command_fail(arguments, &diag) : 0;
}

const struct ft_command ft_machine_command = {
    .name = "machine",
    .synopsis = "machine list | show MACHINE | check MACHINE... | compare MACHINE MACHINE... | "
                "machine detect [--from FILE] [-o FILE] | machine probe -o FILE",
    .summary = "list, show, check, compare machines; detect and measure this one",
    .details = "A MACHINE is a name of the list, host (this one, detected now), or a YAML file;\n"
               "behind a comma may follow edits, for what-if: amd-zen5,L2=2M,clock=3.5 or\n"
               "@FILE, a file of edits. Other commands take the same (docs/machines.md).\n"
               "\n"
               "show prints every value with its source. check says whether a file is valid,\n"
               "and which of its values are guesses: estimates, another machine's, or from\n"
               "nowhere. detect makes a file of what the kernel and the processor tell; what\n"
               "they do not, latencies above all, is taken from the most similar machine of\n"
               "the list, and marked. compare marks with * what differs.\n"
               "\n"
               "probe measures most of that in two to three minutes: latencies, bandwidths,\n"
               "TLBs, prefetchers, instructions. It takes the least of many short samples, so\n"
               "that other work on the host disturbs it little, and says what it cannot tell.\n"
               "Beside FILE.yaml stand FILE.curves.h5 and FILE.curves.svg.\n"
               "\n"
               "  foretrace machine detect -o host.yaml\n"
               "  foretrace machine probe -o measured.yaml\n"
               "  foretrace machine compare host.yaml measured.yaml\n"
               "  foretrace machine check measured.yaml\n"
               "  foretrace machine detect --from matmul.h5 -o cluster.yaml\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
