/*
 * What a report of made accesses says of them: the sizes learned from, and which share of the
 * accesses follows laws, as text and as JSON (docs/json.md, "synthesise").
 */
#ifndef FT_FIT_COMMANDS_SYNTHESIS_NOTE_H
#define FT_FIT_COMMANDS_SYNTHESIS_NOTE_H

#include "formats/cli/json.h"
#include "formats/skeleton/sized_skeleton.h"

struct ft_synthesis_note {
    char *text;      /* lines */
    json_t *members; /* of the document; whoever takes them over sets NULL */
};
int ft_synthesis_note_make(const struct ft_sized_skeleton *sized, const char *parameter,
                           struct ft_synthesis_note *ret_note, struct ft_diag *diag);
void ft_synthesis_note_fini(struct ft_synthesis_note *note);

#endif
