/*
 * What the log's encoder and decoder share: the memory of values and the layout of a payload, so
 * that the two cannot disagree (docs/trace-format.md, "log chunks").
 *
 * A record is one item (the count of a loop and its entry slots, or all slots of a plain unit) and,
 * in loops with other slots, one more item per iteration and one of the last iteration that left it
 * early, if that logged any. An item is a row of words: a register or a mask is one word, a vector
 * one for each 8 bytes.
 */
#ifndef FT_FORMATS_CODEC_LOG_CODEC_H
#define FT_FORMATS_CODEC_LOG_CODEC_H

#include <string.h>

#include "formats/codec/log.h"

/* How a word that was not predicted is coded: a code byte, then a literal of this many bits. */
enum ft_log_code {
    FT_LOG_LAST, /* another predictor was right, and is the word's from now on */
    FT_LOG_STRIDE,
    FT_LOG_OFFSET,
    FT_LOG_LAST_8, /* signed difference to the word's last value */
    FT_LOG_LAST_16,
    FT_LOG_LAST_32,
    FT_LOG_LATEST_8, /* signed difference to the register's latest value */
    FT_LOG_LATEST_16,
    FT_LOG_LATEST_32,
    FT_LOG_ABSOLUTE, /* the value, 4 or 8 bytes as the word's size is */
    FT_LOG_CODE_COUNT
};

enum ft_log_stream {
    FT_LOG_SHAPES, /* a byte or more for each item: bit 0: another unit than predicted; then a
                      bit for each word that was not predicted */
    FT_LOG_CODES,
    FT_LOG_UNITS, /* varint: units that were not predicted */
    FT_LOG_LITERALS_1,
    FT_LOG_LITERALS_2,
    FT_LOG_LITERALS_4,
    FT_LOG_LITERALS_8,
    FT_LOG_ESCAPES, /* varint kind, varint fields */
    FT_LOG_STREAM_COUNT
};

/* Sources of values whose latest value is remembered: the registers, everything else, counts. */
#define FT_LOG_SOURCE_OTHER (FT_REGISTER_COUNT)
#define FT_LOG_SOURCE_COUNT (FT_REGISTER_COUNT + 1)
#define FT_LOG_SOURCES      (FT_REGISTER_COUNT + 2)

#define FT_LOG_RECORD_VALUES_MAX (4U << 20)
#define FT_LOG_UNIT_WORDS_MAX    4096U /* above 8 times FT_UNIT_SLOTS_MAX */
#define FT_LOG_SHAPE_WORDS       7     /* in an item's first shape byte; 8 in each further one */

/* The memory of one word of one unit. */
struct ft_log_word {
    uint64_t last;
    uint64_t stride; /* last - the value before */
    uint64_t offset; /* last - the latest value of its source then */
    uint8_t code;    /* FT_LOG_LAST, _STRIDE or _OFFSET: its predictor */
    uint8_t size_bytes;
    uint8_t source;
};

struct ft_log_unit {
    uint32_t epoch;       /* the chunk that its memory belongs to */
    uint32_t successor;   /* the unit that followed last time */
    uint32_t first_word;  /* in ft_log_memory.words: a path's beginning has those of the path */
    uint32_t words_epoch; /* the chunk that its words belong to, unless they are a path's */
    uint16_t head_words;
    uint16_t iteration_words;
    uint16_t last_iteration_words; /* logged by the iteration that leaves a loop path: the first of
                                      iteration_words */
    bool is_loop;
    bool is_laid_out;
    /* For the encoder, in the same cache line: */
    bool is_fixed;        /* a plain unit of few words that always counts each_* */
    uint16_t head_bytes;  /* raw bytes after the id: end word and entry slots */
    uint32_t fixed_epoch; /* epoch of a fixed unit, else 0 */
    int32_t each_rsp;
    uint16_t each_instructions;
    uint16_t each_accesses, each_prefetches;
};

#define FT_LOG_FIXED_WORDS_MAX 63

#define FT_LOG_HISTORY_BITS 16

struct ft_log_memory {
    struct ft_log_unit *units; /* by id */
    size_t unit_capacity, unit_count;
    struct ft_log_word *words;
    size_t word_capacity, word_count;
    uint64_t latest[FT_LOG_SOURCES];
    uint32_t epoch;
    uint32_t previous;    /* unit of the last record */
    uint32_t history;     /* hash of the last units */
    uint32_t *successors; /* by hash of the last units */
};

int ft_log_memory_init(struct ft_log_memory *memory, struct ft_diag *diag);
void ft_log_memory_fini(struct ft_log_memory *memory);
/* Forgets everything: the start of a chunk. */
void ft_log_memory_reset(struct ft_log_memory *memory);
/* Prepares a unit at its first record in a chunk. */
int ft_log_memory_learn_unit(struct ft_log_memory *memory, const struct ft_unit_table *units,
                             uint32_t id, struct ft_diag *diag);

/* The unit's memory if it is ready for this chunk, which that of unit 0 always is; else NULL:
 * ft_log_memory_learn_unit first. */
static inline struct ft_log_unit *ft_log_unit_ready(struct ft_log_memory *memory, uint32_t id)
{
    if (id >= memory->unit_count || memory->units[id].epoch != memory->epoch)
        return NULL;
    return &memory->units[id];
}

static inline uint64_t ft_log_predict(const struct ft_log_word *word, uint64_t latest)
{
    uint64_t base = word->code == FT_LOG_OFFSET ? latest : word->last;
    uint64_t change = word->code == FT_LOG_OFFSET ? word->offset : word->stride;
    return word->code == FT_LOG_LAST ? word->last : base + change;
}

static inline void ft_log_learn(struct ft_log_word *word, uint64_t *latest, uint64_t value)
{
    word->stride = value - word->last;
    word->offset = value - *latest;
    word->last = value;
    *latest = value;
}

static inline uint32_t *ft_log_successor(struct ft_log_memory *memory)
{
    return &memory->successors[memory->history >> (32 - FT_LOG_HISTORY_BITS)];
}

/* A hash of about the last eight units; older ones are shifted out. */
static inline uint32_t ft_log_history(uint32_t history, uint32_t id)
{
    return (history << 4) ^ (id * 0x9e3779b1U);
}

/* Moves the memory on to the next unit. */
static inline void ft_log_follow(struct ft_log_memory *memory, uint32_t *successor, uint32_t id)
{
    *successor = id;
    memory->history = ft_log_history(memory->history, id);
    memory->previous = id;
}

#endif
