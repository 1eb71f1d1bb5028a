/*
 * The rows become getopt_long's tables; options are kept in the order given as (row, argument)
 * pairs, so that repeated ones keep their order.
 */
#include "formats/cli/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/closest_name.h"
#include "formats/base/parse.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/style.h"
#include "formats/cli/terminal.h"

#define OPTION_NAME_BYTES  64
#define HELP_INDENT        30
#define ALTERNATIVES_BYTES 256

struct given {
    const struct ft_option *option;
    const char *argument;
};

struct ft_arguments {
    const struct ft_command *command;
    struct given *given;
    size_t given_count;
    char **operands;
    size_t operand_count;
    size_t dashed_count; /* of these the last ones, which are behind "--" */
};

/* ---- rows ---- */

static const struct ft_option help_row = {"help", 'h', NULL, "show this text"};
static const struct ft_option force_row = {"force", 0, NULL,
                                           "replace an existing trace, or a file of another kind"};

static bool writes_files(const struct ft_command *command)
{
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].writes)
            return true;
    return false;
}

size_t ft_command_row_count(const struct ft_command *command)
{
    return command->option_count + 1 + writes_files(command);
}

const struct ft_option *ft_command_row(const struct ft_command *command, size_t index)
{
    if (index < command->option_count)
        return &command->options[index];
    return index + 1 < ft_command_row_count(command) ? &force_row : &help_row;
}

/* ft_command_row_count() where no row has the name. */
static size_t row_index(const struct ft_command *command, const char *name)
{
    size_t index = 0;
    while (index < ft_command_row_count(command) &&
           strcmp(ft_command_row(command, index)->name, name) != 0)
        index++;
    return index;
}

static bool has_row(const struct ft_command *command, const char *name)
{
    return row_index(command, name) < ft_command_row_count(command);
}

/* ---- what was given ---- */

/* A name that no row has would read as "not given", whatever the user typed. */
static void check_name(const struct ft_command *command, const char *name)
{
    if (has_row(command, name))
        return;
    fprintf(stderr, "foretrace %s: internal error: no option '%s' in its table\n", command->name,
            name);
    abort();
}

size_t ft_option_count(const struct ft_arguments *arguments, const char *name)
{
    size_t count = 0;
    check_name(arguments->command, name);
    for (size_t i = 0; i < arguments->given_count; i++)
        count += strcmp(arguments->given[i].option->name, name) == 0;
    return count;
}

const char *ft_option_at(const struct ft_arguments *arguments, const char *name, size_t index)
{
    check_name(arguments->command, name);
    for (size_t i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].option->name, name) == 0 && index-- == 0)
            return arguments->given[i].argument;
    fprintf(stderr, "foretrace %s: internal error: option '%s' was not given as often\n",
            arguments->command->name, name);
    abort();
}

const char *ft_option_last(const struct ft_arguments *arguments, const char *name)
{
    size_t count = ft_option_count(arguments, name);
    const struct ft_command *command = arguments->command;
    return count ? ft_option_at(arguments, name, count - 1)
                 : ft_command_row(command, row_index(command, name))->fallback;
}

int ft_option_u64(const struct ft_arguments *arguments, const char *name, uint64_t fallback,
                  uint64_t low, uint64_t high, uint64_t *ret_value, struct ft_diag *diag)
{
    const char *text = ft_option_last(arguments, name);
    if (!text) {
        *ret_value = fallback;
        return FT_OK;
    }
    uint64_t value;
    if (!ft_parse_u64(text, &value) || value < low || value > high)
        return ft_fail(diag, FT_ERROR_USAGE, "--%s %s: expected an integer from %llu to %llu", name,
                       text, (unsigned long long)low, (unsigned long long)high);
    *ret_value = value;
    return FT_OK;
}

size_t ft_operand_count(const struct ft_arguments *arguments)
{
    return arguments->operand_count;
}

char **ft_operands(const struct ft_arguments *arguments)
{
    return arguments->operands;
}

size_t ft_operands_behind_dashes(const struct ft_arguments *arguments)
{
    return arguments->dashed_count;
}

int ft_command_fail(const struct ft_arguments *arguments, const struct ft_diag *diag)
{
    fprintf(stderr, "%sforetrace %s:%s %s\n", ft_style_begin(stderr, FT_STYLE_FAILURE),
            arguments->command->name, ft_style_end(stderr, FT_STYLE_FAILURE), diag->message);
    return ft_exit_code(diag->status);
}

int ft_command_misuse(const struct ft_arguments *arguments, const char *format, ...)
{
    const struct ft_command *command = arguments->command;
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%sforetrace %s:%s ", ft_style_begin(stderr, FT_STYLE_FAILURE), command->name,
            ft_style_end(stderr, FT_STYLE_FAILURE));
    vfprintf(stderr, format, list);
    fprintf(stderr, "\ntry 'foretrace %s --help'\n", command->name);
    va_end(list);
    return command->usage_exit_code ? command->usage_exit_code : 2;
}

/* Lines of a paragraph become one, which the terminal's width breaks; examples, indented, don't. */
static void print_details(const char *details)
{
    char *text = strdup(details);
    if (!text)
        return;
    for (char *at = text, *line = text; *at; at++)
        if (*at == '\n') {
            const bool is_indented = *line == ' ';
            line = at + 1;
            if (!is_indented && at > text && at[-1] != '\n' && !strchr(" \n", *line))
                *at = ' ';
        }
    ft_print_wrapped(stdout, 0, "\n%s", text);
    free(text);
}

static void print_help(const struct ft_command *command)
{
    ft_print_wrapped(stdout, 7, "foretrace %s - %s\n\nusage: foretrace %s\n\noptions:\n",
                     command->name, command->summary, command->synopsis);
    for (size_t i = 0; i < ft_command_row_count(command); i++) {
        const struct ft_option *option = ft_command_row(command, i);
        char left[64];
        char letter[] = {'-', option->letter, ',', ' ', 0};
        snprintf(left, sizeof left, "%s--%s%s%s", option->letter ? letter : "    ", option->name,
                 option->argument ? " " : "", option->argument ? option->argument : "");
        if (strlen(left) > 26)
            ft_print_wrapped(stdout, HELP_INDENT, "  %s\n  %-26s  %s\n", left, "", option->help);
        else
            ft_print_wrapped(stdout, HELP_INDENT, "  %-26s  %s\n", left, option->help);
    }
    if (command->details)
        print_details(command->details);
}

/* ---- parsing ---- */

/* Fills getopt_long's two tables from the rows. */
static void fill_tables(const struct ft_command *command, struct option *longs, char *shorts)
{
    *shorts++ = command->operands_end_options ? '+' : '-';
    *shorts++ = ':';
    for (size_t i = 0; i < ft_command_row_count(command); i++) {
        const struct ft_option *row = ft_command_row(command, i);
        longs[i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL,
                                   256 + (int)i};
        if (row->letter) {
            *shorts++ = row->letter;
            if (row->argument)
                *shorts++ = ':';
        }
    }
    longs[ft_command_row_count(command)] = (struct option){0};
    *shorts = 0;
}

static const struct ft_option *row_of(const struct ft_command *command, int code)
{
    if (code >= 256)
        return ft_command_row(command, (size_t)code - 256);
    for (size_t i = 0; i < ft_command_row_count(command); i++)
        if (ft_command_row(command, i)->letter == code)
            return ft_command_row(command, i);
    return NULL;
}

static int fail_unknown(const struct ft_arguments *arguments, const char *word)
{
    const struct ft_command *command = arguments->command;
    if (strncmp(word, "--", 2) != 0)
        return ft_command_misuse(arguments, "unknown option '-%c'", optopt);
    char name[OPTION_NAME_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    if (has_row(command, name))
        return ft_command_misuse(arguments, "--%s takes no value", name);
    struct ft_closest_name closest = {.wanted = name};
    for (size_t i = 0; i < ft_command_row_count(command); i++)
        ft_closest_name_try(&closest, ft_command_row(command, i)->name);
    if (closest.name)
        return ft_command_misuse(arguments, "unknown option '--%s'; did you mean '--%s'?", name,
                                 closest.name);
    return ft_command_misuse(arguments, "unknown option '--%s'", name);
}

/* -1 to go on and run the command, else the exit code. */
static int parse(struct ft_arguments *arguments, const struct option *longs, const char *shorts,
                 int argc, char **argv)
{
    optind = 0;
    opterr = 0;
    for (;;) {
        int code = getopt_long(argc, argv, shorts, longs, NULL);
        if (code == -1)
            break;
        if (code == 1) { /* an operand between options */
            arguments->operands[arguments->operand_count++] = optarg;
            continue;
        }
        if (code == ':')
            return ft_command_misuse(arguments, "option '%s' needs an argument", argv[optind - 1]);
        if (code == '?')
            return fail_unknown(arguments, optopt > 0 && optopt < 256 ? "-" : argv[optind - 1]);
        const struct ft_option *row = row_of(arguments->command, code);
        if (row == &help_row) {
            print_help(arguments->command);
            return 0;
        }
        arguments->given[arguments->given_count++] = (struct given){row, optarg};
    }
    if (!arguments->command->operands_end_options) /* then an operand ended the loop as well */
        arguments->dashed_count = (size_t)(argc - optind);
    while (optind < argc)
        arguments->operands[arguments->operand_count++] = argv[optind++];
    arguments->operands[arguments->operand_count] = NULL;
    return -1;
}

/* ---- checks before the command runs ---- */

/* Whether any of these names, separated by blanks, was given, and the first that was. */
static bool is_any_given(const struct ft_arguments *arguments, const char *names,
                         char ret_name[OPTION_NAME_BYTES])
{
    while (*names) {
        size_t length = strcspn(names, " ");
        snprintf(ret_name, OPTION_NAME_BYTES, "%.*s", (int)length, names);
        if (ft_option_count(arguments, ret_name) > 0)
            return true;
        names += length + strspn(names + length, " ");
    }
    return false;
}

/* "--cache or --machine" of "cache machine" */
static void write_alternatives(const char *names, char text[ALTERNATIVES_BYTES])
{
    size_t used = 0;
    text[0] = 0;
    while (*names && used < ALTERNATIVES_BYTES) {
        size_t length = strcspn(names, " ");
        int wrote = snprintf(text + used, ALTERNATIVES_BYTES - used, "%s--%.*s", used ? " or " : "",
                             (int)length, names);
        used += wrote > 0 ? (size_t)wrote : 0;
        names += length + strspn(names + length, " ");
    }
}

/* What the rows say of options together; 0, or the exit code. */
static int check_together(const struct ft_arguments *arguments)
{
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct ft_option *row = arguments->given[i].option;
        assert(row); /* as parse() put it there */
        char other[OPTION_NAME_BYTES], alternatives[ALTERNATIVES_BYTES];
        if (row->excludes && is_any_given(arguments, row->excludes, other))
            return ft_command_misuse(arguments, "--%s and --%s exclude each other: give one",
                                     row->name, other);
        if (row->needs && !is_any_given(arguments, row->needs, other)) {
            write_alternatives(row->needs, alternatives);
            return ft_command_misuse(arguments, "--%s needs %s", row->name, alternatives);
        }
    }
    return 0;
}

/* The last of two that count once would silently win. */
static int check_repeated(const struct ft_arguments *arguments)
{
    for (size_t i = 1; i < arguments->given_count; i++) {
        const struct given *later = &arguments->given[i];
        const struct given *earlier = arguments->given;
        while (earlier < later && earlier->option != later->option)
            earlier++;
        if (earlier == later || later->option->repeats)
            continue;
        const char *name = later->option->name;
        return later->argument
                   ? ft_command_misuse(arguments, "--%s %s and --%s %s: give one", name,
                                       earlier->argument, name, later->argument)
                   : ft_command_misuse(arguments, "--%s is given twice: give it once", name);
    }
    return 0;
}

int ft_command_check_output(const struct ft_arguments *arguments, const char *path,
                            enum ft_file_kind kind, struct ft_diag *diag)
{
    const char **inputs =
        calloc(arguments->operand_count + arguments->given_count + 1, sizeof *inputs);
    size_t count = 0;
    if (!inputs)
        return ft_fail_memory(diag, "the command line");
    for (size_t i = 0; i < arguments->operand_count; i++)
        inputs[count++] = arguments->operands[i];
    for (size_t i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].option->reads)
            inputs[count++] = arguments->given[i].argument;
    int status = ft_output_file_check(path, kind, ft_option_count(arguments, "force") > 0, inputs,
                                      count, diag);
    free(inputs);
    return status;
}

int ft_command_check_outputs(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    const struct ft_command *command = arguments->command;
    for (size_t i = 0; i < command->option_count; i++) {
        const struct ft_option *row = &command->options[i];
        const char *path = row->writes ? ft_option_last(arguments, row->name) : NULL;
        if (path && *path)
            FT_TRY(ft_command_check_output(arguments, path, row->writes, diag));
    }
    return FT_OK;
}

/* Before the command has begun. */
static int fail_at_start(const struct ft_arguments *arguments, const struct ft_diag *diag)
{
    const int code = ft_command_fail(arguments, diag);
    return arguments->command->usage_exit_code ? arguments->command->usage_exit_code : code;
}

static int check(const struct ft_arguments *arguments)
{
    const struct ft_command *command = arguments->command;
    struct ft_diag diag;
    int code = check_repeated(arguments);
    if (code == 0)
        code = check_together(arguments);
    if (code != 0 || (command->joins && ft_option_count(arguments, command->joins)) ||
        ft_command_check_outputs(arguments, &diag) == FT_OK)
        return code;
    return fail_at_start(arguments, &diag);
}

/* Of an option that not all commands have. */
static bool is_given(const struct ft_arguments *arguments, const char *name)
{
    return has_row(arguments->command, name) && ft_option_count(arguments, name) > 0;
}

int ft_command_main(const struct ft_command *command, int argc, char **argv)
{
    struct ft_arguments arguments = {.command = command};
    struct option *longs = calloc(ft_command_row_count(command) + 1, sizeof *longs);
    char *shorts = calloc(2 * ft_command_row_count(command) + 3, 1);
    arguments.given = calloc((size_t)argc + 1, sizeof *arguments.given);
    arguments.operands = calloc((size_t)argc + 1, sizeof *arguments.operands);
    int code;
    if (!longs || !shorts || !arguments.given || !arguments.operands) {
        struct ft_diag diag;
        ft_fail_memory(&diag, "the command line");
        code = fail_at_start(&arguments, &diag);
    } else {
        fill_tables(command, longs, shorts);
        code = parse(&arguments, longs, shorts, argc, argv);
        if (code < 0 && (code = check(&arguments)) == 0) {
            if (is_given(&arguments, "quiet"))
                ft_progress_line_silence();
            if (is_given(&arguments, "wide"))
                ft_terminal_widen();
            code = command->run(&arguments);
        }
    }
    free(longs);
    free(shorts);
    free(arguments.given);
    free(arguments.operands);
    return code;
}
