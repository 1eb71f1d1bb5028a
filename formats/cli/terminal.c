#include "formats/cli/terminal.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "formats/base/parse.h"

#define DESIGN_COLUMNS 80

static bool is_wide;
static size_t kept_columns; /* 0: none */

void ft_terminal_widen(void)
{
    is_wide = true;
}

bool ft_terminal_is_wide(void)
{
    return is_wide;
}

/* 0: not a terminal. */
static size_t columns_of_stdout(void)
{
    struct winsize size = {0};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void ft_terminal_keep_width(void)
{
    kept_columns = columns_of_stdout();
}

size_t ft_terminal_columns(void)
{
    const char *given = getenv("COLUMNS");
    const size_t shown = kept_columns > 0 ? kept_columns : columns_of_stdout();
    uint64_t columns = 0;
    if (is_wide)
        return SIZE_MAX;
    if (given && ft_parse_u64(given, &columns) && columns > 0)
        return columns;
    return shown > 0 ? shown : DESIGN_COLUMNS;
}

/* Styles (style.h) take no columns. */
static size_t width_of(const char *text, size_t bytes)
{
    size_t width = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\033')
            i += strcspn(text + i, "m");
        else
            width += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return width;
}

size_t ft_text_width(const char *text)
{
    return width_of(text, strlen(text));
}

/* Prints the words of one line of the text, and blanks as they are where it does not break; returns
 * its end. */
static const char *print_line(FILE *stream, size_t indent, const char *text, size_t columns)
{
    size_t used = 0;
    bool has_word = false;
    while (*text && *text != '\n') {
        const size_t blanks = strspn(text, " ");
        const size_t bytes = strcspn(text + blanks, " \n");
        const size_t width = width_of(text + blanks, bytes);
        if (has_word && used + blanks + width > columns) {
            fprintf(stream, "\n%*s", (int)indent, "");
            used = indent + width;
        } else {
            fprintf(stream, "%*s", bytes > 0 ? (int)blanks : 0, "");
            used += blanks + width;
        }
        (void)fwrite(text + blanks, 1, bytes, stream);
        text += blanks + bytes;
        has_word = true;
    }
    return text;
}

void ft_print_wrapped(FILE *stream, size_t indent, const char *format, ...)
{
    const size_t columns = ft_terminal_columns();
    va_list arguments;
    char *text;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    const char *rest = text;
    while (*rest) {
        rest = print_line(stream, indent, rest, columns);
        if (*rest == '\n')
            fputc(*rest++, stream);
    }
    free(text);
}
