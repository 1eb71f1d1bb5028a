/*
 * What only the encoder needs to know of a unit, beside what it shares with the decoder
 * (log_codec.h): how raw records are laid out. Made at a unit's first record; its program only
 * where records do not all count the same, which most units' do.
 */
#ifndef FT_FORMATS_CODEC_ENCODED_UNITS_H
#define FT_FORMATS_CODEC_ENCODED_UNITS_H

#include "formats/codec/log_codec.h"
#include "formats/expand/expand.h"

/* Raw records, as the captured program left them. */
struct ft_raw_log {
    const uint8_t *data;
    size_t length;
    size_t position;
};

/* Fails with the position in the raw records. */
int ft_raw_log_fail(const struct ft_raw_log *raw, uint32_t unit, const char *what,
                    struct ft_diag *diag);

struct ft_encoded_unit {
    const struct ft_unit *unit;
    struct ft_unit_program *program; /* NULL: not made (ft_encoded_unit_program) */
    uint32_t iteration_bytes, last_iteration_bytes;
    uint32_t induction_value; /* FT_COUNT_INDUCTION: index of the register's entry value */
};

struct ft_encoded_units {
    struct ft_encoded_unit *items; /* by id */
    size_t count, capacity;
    uint32_t *met; /* units made since the caller last emptied this */
    size_t met_count, met_capacity;
};

/* Makes the unit's item unless it exists, and completes the unit's entry in the memory. */
int ft_encoded_units_make(struct ft_encoded_units *encoded, struct ft_log_memory *memory,
                          const struct ft_unit_table *units, uint32_t id,
                          const struct ft_raw_log *raw, struct ft_diag *diag);
void ft_encoded_units_fini(struct ft_encoded_units *encoded);

/* Makes the program of a unit whose item exists, unless it is there. */
int ft_encoded_unit_program(struct ft_encoded_unit *encoded, struct ft_diag *diag);

/* How often a loop's body ran. end_word starts its record; head_bytes: of the record up to its
 * values. */
uint64_t ft_encoded_unit_iterations(const struct ft_encoded_unit *encoded, uint64_t end_word,
                                    const uint64_t *entry_values, size_t head_bytes);

#endif
