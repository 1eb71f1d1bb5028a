#include "predict/commands/archive/readme.h"

#include <stdlib.h>
#include <time.h>

#include "formats/archive/sums.h"

static void print_head(const struct ft_archive_contents *contents, bool is_private, FILE *stream)
{
    char *now = ft_archive_time_text(time(NULL));
    fprintf(stream, "# %s\n\n", contents->title ? contents->title : "Files of foretrace");
    fprintf(
        stream,
        "An archive that foretrace " FT_VERSION " made on %s. foretrace records the memory\n"
        "accesses of a program at small sizes, counts how far apart the uses of the same memory\n"
        "are (reuse distances), and forecasts from these the misses of caches and TLBs at other\n"
        "sizes and on other machines.\n\n",
        now ? now : "an unknown day");
    if (is_private)
        fputs("Folders of paths, names of host and user, and the environment were left out.\n\n",
              stream);
    free(now);
}

static void print_checking(FILE *stream)
{
    fputs("## Is it whole?\n\n"
          "    sha256sum -c " FT_ARCHIVE_SUMS "\n\n"
          "in this folder, or with foretrace, of the folder or of the .tar.zst:\n"
          "`foretrace verify ARCHIVE`, which also names files that were added. A .tar.zst is\n"
          "unpacked with `tar --zstd -xf ARCHIVE`, or `zstd -dc ARCHIVE | tar -xf -`.\n\n"
          "`foretrace archive rerun ARCHIVE` makes those files again that follow from others, and\n"
          "says whether the bytes are the same.\n\n",
          stream);
}

static void print_formats(FILE *stream)
{
    fputs(
        "## What can be read with what\n\n"
        "| files | |\n|---|---|\n"
        "| .txt, .json, .yaml, .csv, .md | text |\n"
        "| .html | any browser; needs no network |\n"
        "| traces, histograms, models (mostly .h5) | HDF5: `h5dump -A FILE` shows what they say of "
        "themselves; `foretrace info FILE`; the traces' format is docs/trace-format.md of "
        "foretrace |\n"
        "| " FT_ARCHIVE_METADATA " | JSON-LD: the files and commands below, for programs "
        "(https://w3id.org/ro/crate/1.1, https://w3id.org/ro/wfrun/process/0.5) |\n\n",
        stream);
}

/* A cell of a table: of its text '|' alone would end it (GitHub Flavored Markdown). */
static void print_cell(const char *text, FILE *stream)
{
    fputs("| ", stream);
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', stream);
        fputc(*text, stream);
    }
    fputc(' ', stream);
}

static void print_files(const struct ft_archive_contents *contents, FILE *stream)
{
    fputs("## Files\n\n| file | what it is | made by command |\n|---|---|---|\n", stream);
    for (size_t i = 0; i < contents->member_count; i++) {
        const struct ft_archive_member *member = &contents->members[i];
        const size_t maker = ft_archive_maker_of(contents, member->name);
        print_cell(member->name, stream);
        print_cell(member->what, stream);
        if (maker > 0)
            fprintf(stream, "| %zu |\n", maker);
        else
            fputs("| - |\n", stream);
    }
    fputs("| " FT_ARCHIVE_VERSIONS " | versions of foretrace and its libraries | - |\n", stream);
}

static void print_commands(const struct ft_archive_contents *contents, FILE *stream)
{
    if (contents->command_count == 0)
        return;
    fputs("\n## Commands\n\n"
          "In their order, as they are to be typed in this folder. Those with * need nothing but\n"
          "files of the archive; the others ran the program, looked at the host, or note when\n"
          "they ran.\n\n",
          stream);
    for (size_t i = 0; i < contents->command_count; i++) {
        const struct ft_archive_command *command = &contents->commands[i];
        fprintf(stream, "    %2zu%s ", i + 1, ft_archive_command_repeats(command) ? "*" : " ");
        ft_archive_command_print(command, stream);
        fputc('\n', stream);
    }
}

int ft_archive_readme(const struct ft_archive_contents *contents, bool is_private, char **ret_text,
                      struct ft_diag *diag)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return ft_fail_memory(diag, FT_ARCHIVE_README);
    print_head(contents, is_private, stream);
    print_checking(stream);
    print_formats(stream);
    print_files(contents, stream);
    print_commands(contents, stream);
    if (fclose(stream) != 0) {
        free(text);
        return ft_fail_memory(diag, FT_ARCHIVE_README);
    }
    *ret_text = text;
    return FT_OK;
}
