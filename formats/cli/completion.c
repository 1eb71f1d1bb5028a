#include "formats/cli/completion.h"

#include <string.h>

/* The names of machines, as all three shells call it. */
#define MACHINE_NAMES "foretrace machine list --csv 2>/dev/null | sed '1d;s/,.*//'"

/* What the argument of an option is completed to. */
enum completed { NOTHING, FILES, MACHINES };

static enum completed completed_of(const struct ft_option *option)
{
    static const char *const files[] = {"FILE", "TRACE",  "HIST",   "TABLE",
                                        "DIR",  "FOLDER", "ARCHIVE"};
    const char *argument = option->argument;
    if (strcmp(argument, "MACHINE") == 0)
        return MACHINES;
    if (option->reads || option->writes)
        return FILES;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(argument, files[i]) == 0)
            return FILES;
    return NOTHING;
}

/* A text within single quotes, as POSIX shells and fish read them, with a backslash before each of
 * the special characters. */
static void write_quoted(FILE *stream, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", stream);
        if (strchr(special, *text))
            fputc('\\', stream);
        fputc(*text, stream);
    }
}

/* ---- bash ---- */

/* "--output -o ": the options of a command with arguments of one kind, or all. */
static void write_names(FILE *stream, const struct ft_command *command, bool is_all,
                        enum completed completed)
{
    for (size_t i = 0; i < ft_command_row_count(command); i++) {
        const struct ft_option *option = ft_command_row(command, i);
        if (!is_all && (!option->argument || completed_of(option) != completed))
            continue;
        fprintf(stream, "--%s ", option->name);
        if (option->letter)
            fprintf(stream, "-%c ", option->letter);
    }
}

static void write_bash(FILE *stream, const struct ft_command *const *commands, size_t count)
{
    fputs("# bash completion of foretrace, made by 'foretrace completion bash'\n"
          "_foretrace()\n"
          "{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local options='' files='' machines='' values=''\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W 'help completion",
          stream);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, " %s", commands[i]->name);
    fputs(" --help --version' -- \"$word\")\n"
          "        return\n"
          "    fi\n"
          "    # --machine=NAME is three words\n"
          "    [ \"$word\" = = ] && word=''\n"
          "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    case ${COMP_WORDS[1]} in\n",
          stream);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "    %s)\n        options='", commands[i]->name);
        write_names(stream, commands[i], true, NOTHING);
        fputs("'\n        files='", stream);
        write_names(stream, commands[i], false, FILES);
        fputs("'\n        machines='", stream);
        write_names(stream, commands[i], false, MACHINES);
        fputs("'\n        values='", stream);
        write_names(stream, commands[i], false, NOTHING);
        fputs("'\n        ;;\n", stream);
    }
    fputs("    esac\n"
          "    case \" $machines\" in *\" $before \"*)\n"
          "        mapfile -t COMPREPLY < <(compgen -f -W \"$(" MACHINE_NAMES ")\" -- \"$word\")\n"
          "        return\n"
          "    esac\n"
          "    case \" $values\" in *\" $before \"*) return ;; esac\n"
          "    case \" $files\" in *\" $before \"*) compopt -o default && return ;; esac\n"
          "    case $word in\n"
          "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\") ;;\n"
          "    *) compopt -o default ;;\n"
          "    esac\n"
          "}\n"
          "complete -F _foretrace foretrace\n",
          stream);
}

/* ---- zsh ---- */

static void write_zsh_option(FILE *stream, const struct ft_option *option)
{
    static const char *const actions[] = {
        [NOTHING] = " ", [FILES] = "_files", [MACHINES] = "_foretrace_machines"};
    const char *repeats = option->repeats ? "*" : "";
    const char *value = option->argument ? "=" : "";
    fputs(" \\\n            ", stream);
    if (option->letter && !option->repeats)
        fprintf(stream, "'(-%c --%s)'{-%c,--%s%s}", option->letter, option->name, option->letter,
                option->name, value);
    else if (option->letter)
        fprintf(stream, "'*'{-%c,--%s%s}", option->letter, option->name, value);
    else
        fprintf(stream, "'%s--%s%s'", repeats, option->name, value);
    fputs("'[", stream);
    write_quoted(stream, option->help, "[]\\");
    fputs("]", stream);
    if (option->argument) {
        fputs(":", stream);
        write_quoted(stream, option->argument, "[]:\\");
        fprintf(stream, ":%s", actions[completed_of(option)]);
    }
    fputs("'", stream);
}

static void write_zsh(FILE *stream, const struct ft_command *const *commands, size_t count)
{
    fputs("#compdef foretrace\n"
          "# zsh completion of foretrace, made by 'foretrace completion zsh'\n"
          "_foretrace_machines()\n"
          "{\n"
          "    local -a machines\n"
          "    machines=(${(f)\"$(" MACHINE_NAMES ")\"})\n"
          "    _alternative 'machines:machine:compadd -a machines' 'files:machine file:_files'\n"
          "}\n"
          "_foretrace()\n"
          "{\n"
          "    local -a commands\n"
          "    local context state line\n"
          "    commands=(\n"
          "        'help:show the options of a command'\n"
          "        'completion:write the completion script of a shell'\n",
          stream);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "        '%s:", commands[i]->name);
        write_quoted(stream, commands[i]->summary, "");
        fputs("'\n", stream);
    }
    fputs("    )\n"
          "    _arguments -C '1:command:->command' '*::argument:->arguments'\n"
          "    case $state in\n"
          "    command) _describe -t commands command commands ;;\n"
          "    arguments)\n"
          "        case $line[1] in\n"
          "        help) _describe -t commands command commands ;;\n"
          "        completion) compadd bash zsh fish ;;\n",
          stream);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "        %s)\n            _arguments -s%s", commands[i]->name,
                commands[i]->operands_end_options ? " -A '-*'" : "");
        for (size_t k = 0; k < ft_command_row_count(commands[i]); k++)
            write_zsh_option(stream, ft_command_row(commands[i], k));
        fputs(" \\\n            '*:file:_files'\n            ;;\n", stream);
    }
    fputs("        esac\n"
          "        ;;\n"
          "    esac\n"
          "}\n"
          "# as a function in $fpath, or sourced\n"
          "if [ \"$funcstack[1]\" = _foretrace ]; then _foretrace; else compdef _foretrace "
          "foretrace; fi\n",
          stream);
}

/* ---- fish ---- */

static void write_fish_option(FILE *stream, const char *command, const struct ft_option *option)
{
    fprintf(stream, "complete -c foretrace -n '__fish_seen_subcommand_from %s'", command);
    if (option->letter)
        fprintf(stream, " -s %c", option->letter);
    fprintf(stream, " -l %s", option->name);
    if (option->argument && completed_of(option) == FILES)
        fputs(" -r -F", stream);
    else if (option->argument && completed_of(option) == MACHINES)
        fputs(" -r -F -a '(__foretrace_machines)'", stream);
    else if (option->argument)
        fputs(" -x", stream);
    fputs(" -d '", stream);
    write_quoted(stream, option->help, "\\");
    fputs("'\n", stream);
}

static void write_fish(FILE *stream, const struct ft_command *const *commands, size_t count)
{
    fputs("# fish completion of foretrace, made by 'foretrace completion fish'\n"
          "function __foretrace_machines\n"
          "    " MACHINE_NAMES "\n"
          "end\n"
          "complete -c foretrace -n __fish_use_subcommand -f -a help"
          " -d 'show the options of a command'\n"
          "complete -c foretrace -n __fish_use_subcommand -f -a completion"
          " -d 'write the completion script of a shell'\n"
          "complete -c foretrace -n '__fish_seen_subcommand_from completion' -f"
          " -a 'bash zsh fish'\n",
          stream);
    for (size_t i = 0; i < count; i++) {
        fprintf(stream, "complete -c foretrace -n __fish_use_subcommand -f -a %s -d '",
                commands[i]->name);
        write_quoted(stream, commands[i]->summary, "\\");
        fputs("'\n", stream);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < ft_command_row_count(commands[i]); k++)
            write_fish_option(stream, commands[i]->name, ft_command_row(commands[i], k));
}

int ft_completion_write(FILE *stream, const char *shell, const struct ft_command *const *commands,
                        size_t count, struct ft_diag *diag)
{
    if (strcmp(shell, "bash") == 0)
        write_bash(stream, commands, count);
    else if (strcmp(shell, "zsh") == 0)
        write_zsh(stream, commands, count);
    else if (strcmp(shell, "fish") == 0)
        write_fish(stream, commands, count);
    else
        return ft_fail(diag, FT_ERROR_USAGE, "completion %s: must be bash, zsh or fish", shell);
    return FT_OK;
}
