#include "machines/probe/probe_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/array.h"

int ft_probe_note(struct ft_probe_notes *notes, struct ft_diag *diag, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return ft_fail_memory(diag, "a note");
    if (!FT_RESERVE(notes->items, notes->capacity, notes->count + 1)) {
        free(text);
        return ft_fail_memory(diag, "a note");
    }
    notes->items[notes->count++] = text;
    return FT_OK;
}

void ft_probe_notes_fini(struct ft_probe_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->items[i]);
    free((void *)notes->items);
    *notes = (struct ft_probe_notes){0};
}
