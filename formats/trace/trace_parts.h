/*
 * The small tables of a trace as bytes, for writer and reader: metadata, events, summary, and the
 * content hash (docs/trace-format.md).
 */
#ifndef FT_FORMATS_TRACE_TRACE_PARTS_H
#define FT_FORMATS_TRACE_TRACE_PARTS_H

#include "formats/trace/chunk.h"
#include "formats/trace/event.h"
#include "formats/trace/metadata.h"

void ft_metadata_write(const struct ft_metadata *metadata, struct ft_bytes *bytes);
int ft_metadata_read(struct ft_cursor *cursor, struct ft_metadata *ret_metadata,
                     struct ft_diag *diag);
/* What the metadata and the definition of each unit add to the content hash. Host and date add
 * nothing, as results do not depend on them. */
uint64_t ft_metadata_hash(const uint8_t *payload, size_t bytes);
uint64_t ft_definition_hash(const uint8_t *definition, size_t bytes);

void ft_event_write(const struct ft_event *event, struct ft_bytes *bytes);
/* False at the end of the cursor's data; the text is the caller's. */
bool ft_event_read(struct ft_cursor *cursor, struct ft_event *ret_event);

void ft_summary_write(const struct ft_metadata *metadata, struct ft_bytes *bytes);
int ft_summary_read(struct ft_cursor *cursor, struct ft_metadata *metadata, struct ft_diag *diag);

/* Takes in checksum and place (thread, sequence) of the module, lines and log chunks as well. In
 * which order chunks stand in the file, and how units are spread over code chunks, does not matter:
 * both depend on how busy the capturing machine was. */
uint64_t ft_content_hash(uint64_t definitions_sum, const struct ft_chunk_description *chunks,
                         size_t count);

#endif
