/*
 * What followed the same 16 bytes before will probably follow them again. Only one position in 16
 * is entered and looked up, chosen by the hash of those bytes, so that the same ones are chosen the
 * next time: a repetition is found some items late, and items that never repeat cost little. After
 * a mismatch the previous distance is tried first.
 */
#include "formats/codec/span_finder.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define CONTEXT_BYTES 16U
#define POSITION_BITS 16U
#define CHOSEN_MASK   15U
#define READ_SLACK    32U
/* Repetitions worth coding: this long, or shorter if they reach the end of the record. */
#define WHOLE_BYTES 16U
#define FINAL_BYTES 8U

bool ft_span_finder_init(struct ft_span_finder *finder)
{
    *finder = (struct ft_span_finder){0};
    finder->positions = calloc((size_t)1 << POSITION_BITS, sizeof *finder->positions);
    return finder->positions;
}

void ft_span_finder_fini(struct ft_span_finder *finder)
{
    ft_bytes_fini(&finder->history);
    free(finder->positions);
    *finder = (struct ft_span_finder){0};
}

void ft_span_finder_reset(struct ft_span_finder *finder)
{
    if (finder->history.length)
        memset(finder->positions, 0, sizeof *finder->positions << POSITION_BITS);
    finder->history.length = 0;
    finder->distance = 0;
}

bool ft_span_finder_append(struct ft_span_finder *finder, const uint8_t *bytes, size_t count)
{
    struct ft_bytes *history = &finder->history;
    if (!FT_RESERVE(history->data, history->capacity, history->length + count + READ_SLACK))
        return false;
    memcpy(history->data + history->length, bytes, count);
    history->length += count;
    return true;
}

static inline uint64_t load(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

size_t ft_span_finder_repeats(const struct ft_span_finder *finder, size_t at, size_t end,
                              size_t distance)
{
    if (distance == 0 || distance > at)
        return 0;
    const uint8_t *data = finder->history.data + at, *before = data - distance;
    size_t count = end - at, same = 0;
    while (same + 32 <= count && ((load(data + same) ^ load(before + same)) |
                                  (load(data + same + 8) ^ load(before + same + 8)) |
                                  (load(data + same + 16) ^ load(before + same + 16)) |
                                  (load(data + same + 24) ^ load(before + same + 24))) == 0)
        same += 32;
    for (; same < count; same += 8) {
        uint64_t differing = load(data + same) ^ load(before + same);
        if (differing) {
            same += (unsigned)__builtin_ctzll(differing) / 8;
            break;
        }
    }
    return same < count ? same : count;
}

static bool pays(const struct ft_span_finder *finder, size_t at, size_t end, size_t item_bytes,
                 size_t distance)
{
    size_t bytes = ft_span_finder_repeats(finder, at, end, distance);
    return bytes >= item_bytes &&
           (bytes >= WHOLE_BYTES || (bytes >= FINAL_BYTES && bytes == end - at));
}

/* Enters the position and returns the one entered before with the same hash; 0 if there is none, or
 * if the position is not among those chosen. */
static inline size_t look_up(struct ft_span_finder *finder, size_t at)
{
    const uint8_t *data = finder->history.data + at;
    uint64_t hash = load(data - 16) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash >> 32 ^ load(data - 8)) * UINT64_C(0xd6e8feb86659fd93);
    if (hash >> 32 & CHOSEN_MASK)
        return 0;
    uint32_t *entry = &finder->positions[hash >> (64 - POSITION_BITS)];
    size_t earlier = *entry;
    *entry = (uint32_t)at;
    return earlier;
}

size_t ft_span_finder_find(struct ft_span_finder *finder, size_t at, size_t limit, size_t end,
                           size_t item_bytes)
{
    const uint8_t *history = finder->history.data;
    for (; at < limit; at += item_bytes) {
        size_t distance = finder->distance;
        if (distance && load(history + at) == load(history + at - distance) &&
            pays(finder, at, end, item_bytes, distance))
            return at;
        size_t earlier = at < CONTEXT_BYTES ? 0 : look_up(finder, at);
        if (earlier && earlier < at &&
            memcmp(history + earlier - CONTEXT_BYTES, history + at - CONTEXT_BYTES,
                   CONTEXT_BYTES) == 0 &&
            pays(finder, at, end, item_bytes, at - earlier)) {
            finder->distance = at - earlier;
            return at;
        }
    }
    return limit;
}
