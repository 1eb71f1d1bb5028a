/*
 * The executable mappings of the process, and which translations they permit.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_MAPPINGS_H
#define FT_TRACE_CAPTURE_TRACER_MAPPINGS_H

#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/translate/translator.h"

int ft_mappings_refresh(struct ft_capture *capture, struct ft_diag *diag);
/* The program changed its mappings in [start, end) in a way that may affect code: refreshes, and
 * forgets translations there that are no longer valid. is_new_mapping: something else is mapped
 * there now, rather than the same with another protection. */
int ft_mappings_changed(struct ft_capture *capture, uint64_t start, uint64_t end,
                        bool is_new_mapping, struct ft_diag *diag);
/* Whether there is known code in [start, end). */
bool ft_mappings_overlap(const struct ft_capture *capture, uint64_t start, uint64_t end);
/* The version that was translated from the code as it is now; NULL if there is none. */
struct ft_translation *ft_mappings_version(const struct ft_capture *capture,
                                           struct ft_translation *first);
/* Whether the program's code is still what was translated. */
bool ft_mappings_holds(const struct ft_capture *capture, const struct ft_translation *translation);
/* Whether the translation may be entered: its code is still mapped, and unchanged. */
bool ft_mappings_allow(const struct ft_capture *capture, const struct ft_translation *translation);
const struct ft_code_mapping *ft_mappings_find(const struct ft_capture *capture, uint64_t pc);
ft_code_reader ft_mappings_read_code; /* context: struct ft_capture */
void ft_mappings_fini(struct ft_capture *capture);

#endif
