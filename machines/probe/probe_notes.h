/*
 * Sentences on what a probe could not tell, for who reads its result. Owned.
 */
#ifndef FT_MACHINES_PROBE_PROBE_NOTES_H
#define FT_MACHINES_PROBE_PROBE_NOTES_H

#include <stddef.h>

#include "formats/base/status.h"

struct ft_probe_notes {
    char **items;
    size_t count, capacity;
};

__attribute__((format(printf, 3, 4))) int
ft_probe_note(struct ft_probe_notes *notes, struct ft_diag *diag, const char *format, ...);
void ft_probe_notes_fini(struct ft_probe_notes *notes);

#endif
