#include "engine/reuse/work/log_cuts.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/trace/trace_reader.h"

#define UNCUT_CHUNKS_A_PART 4U /* chunks of less than a part / 4 are not cut */
#define WORK_A_BYTE         8U /* in accesses of a loop */

__extension__ typedef unsigned __int128 wide;

struct parts {
    struct ft_log_part *parts;
    size_t count, capacity;
    struct ft_log_place at; /* the end of the last one */
};

static uint64_t chunk_accesses(const struct ft_trace *trace, uint32_t thread, unsigned content,
                               size_t chunk)
{
    const struct ft_log_totals *totals = &ft_trace_log(trace, thread, chunk)->totals;
    return (content & FT_RUN_ACCESSES ? totals->accesses : 0) +
           (content & FT_RUN_FETCHES ? totals->instructions : 0);
}

uint64_t ft_log_accesses(const struct ft_trace *trace, uint32_t thread, unsigned content)
{
    uint64_t sum = 0;
    for (size_t c = 0; c < ft_trace_log_count(trace, thread); c++)
        sum += chunk_accesses(trace, thread, content, c);
    return sum;
}

/* Short chunks are left whole. */
static struct ft_log_place cut_in_chunk(size_t chunk, uint64_t accesses, uint64_t of,
                                        uint64_t length)
{
    bool is_short = of < length / UNCUT_CHUNKS_A_PART;
    return (struct ft_log_place){is_short ? chunk + 1 : chunk, is_short ? 0 : accesses};
}

static uint64_t offset_inside(uint64_t position, uint64_t first, uint64_t count)
{
    uint64_t offset = position > first ? position - first : 0;
    return offset < count ? offset : count;
}

struct ft_work_range ft_work_inside(struct ft_work_range range, uint64_t first, uint64_t count)
{
    return (struct ft_work_range){offset_inside(range.first, first, count),
                                  offset_inside(range.end, first, count)};
}

uint64_t ft_work_share(uint64_t work, uint64_t share, uint64_t of)
{
    return (uint64_t)((wide)work * share / of);
}

static uint64_t chunk_work(const struct ft_trace *trace, uint32_t thread, unsigned content,
                           size_t chunk)
{
    return chunk_accesses(trace, thread, content, chunk) +
           WORK_A_BYTE * ft_trace_log(trace, thread, chunk)->payload_bytes;
}

uint64_t ft_log_work(const struct ft_trace *trace, uint32_t thread, unsigned content)
{
    uint64_t sum = 0;
    for (size_t c = 0; c < ft_trace_log_count(trace, thread); c++)
        sum += chunk_work(trace, thread, content, c);
    return sum;
}

uint64_t ft_trace_work(const struct ft_trace *trace)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < ft_trace_thread_count(trace); t++)
        sum += ft_log_work(trace, t, FT_RUN_ACCESSES);
    return sum;
}

/* Inside of a chunk work is taken to be even. */
static uint64_t accesses_before(const struct ft_trace *trace, uint32_t thread, unsigned content,
                                uint64_t position)
{
    uint64_t accesses = 0;
    for (size_t c = 0; c < ft_trace_log_count(trace, thread); c++) {
        uint64_t here = chunk_accesses(trace, thread, content, c);
        uint64_t work = chunk_work(trace, thread, content, c);
        if (position < work)
            return accesses + ft_work_share(here, position, work);
        accesses += here;
        position -= work;
    }
    return accesses;
}

uint64_t ft_log_accesses_between(const struct ft_trace *trace, uint32_t thread, unsigned content,
                                 uint64_t first, uint64_t end)
{
    return accesses_before(trace, thread, content, end) -
           accesses_before(trace, thread, content, first);
}

struct ft_log_place ft_log_position_near(const struct ft_trace *trace, uint32_t thread,
                                         unsigned content, uint64_t position, uint64_t length)
{
    const size_t chunks = ft_trace_log_count(trace, thread);
    const struct ft_log_place end = {chunks, 0};
    if (position >= ft_log_work(trace, thread, content))
        return end;
    uint64_t accesses = accesses_before(trace, thread, content, position), before = 0;
    uint64_t below = accesses / length * length;
    uint64_t due = accesses - below < length - (accesses - below) ? below : below + length;
    for (size_t c = 0; due > 0 && c < chunks; c++) {
        uint64_t here = chunk_accesses(trace, thread, content, c);
        if (due < before + here)
            return cut_in_chunk(c, due - before, here, length);
        before += here;
    }
    return due > 0 ? end : (struct ft_log_place){0};
}

static bool is_before(struct ft_log_place a, struct ft_log_place b)
{
    return a.chunk < b.chunk || (a.chunk == b.chunk && a.accesses < b.accesses);
}

static bool add_part(struct parts *parts, struct ft_log_place to, size_t kept)
{
    if (!FT_RESERVE(parts->parts, parts->capacity, parts->count + 1))
        return false;
    parts->parts[parts->count++] = (struct ft_log_part){parts->at, to, kept};
    parts->at = to;
    return true;
}

/* Goes on to the next cut; kept pieces that begin before it come first, and it is dropped where it
 * lies in one. */
static int go_to(struct parts *parts, struct ft_log_place cut,
                 const struct ft_checkpoint_piece *kept, size_t kept_count, size_t *next_kept,
                 struct ft_diag *diag)
{
    bool done = true;
    while (done && *next_kept < kept_count && is_before(kept[*next_kept].from, cut)) {
        const struct ft_checkpoint_piece *piece = &kept[*next_kept];
        if (is_before(piece->from, parts->at) || !is_before(piece->from, piece->to))
            return ft_fail(diag, FT_ERROR_DATA, "saved parts of a log overlap");
        if (is_before(parts->at, piece->from))
            done = add_part(parts, piece->from, FT_NOT_KEPT);
        done = done && add_part(parts, piece->to, (*next_kept)++);
    }
    if (done && is_before(parts->at, cut))
        done = add_part(parts, cut, FT_NOT_KEPT);
    return done ? FT_OK : ft_fail_memory(diag, "segments");
}

int ft_log_cut(const struct ft_trace *trace, uint32_t thread, unsigned content,
               struct ft_log_place from, struct ft_log_place to, uint64_t length,
               const struct ft_checkpoint_piece *kept, size_t kept_count,
               struct ft_log_part **ret_parts, size_t *ret_count, struct ft_diag *diag)
{
    const size_t chunks = ft_trace_log_count(trace, thread);
    struct parts parts = {.at = from};
    uint64_t before = 0, due = length;
    size_t next_kept = 0;
    int status = FT_OK;
    for (size_t c = 0; !status && c < chunks; c++) {
        uint64_t here = chunk_accesses(trace, thread, content, c);
        for (; !status && due < before + here; due += length) {
            struct ft_log_place cut = cut_in_chunk(c, due - before, here, length);
            if (is_before(cut, to))
                status = go_to(&parts, cut, kept, kept_count, &next_kept, diag);
        }
        before += here;
    }
    if (!status)
        status = go_to(&parts, to, kept, kept_count, &next_kept, diag);
    if (!status && (next_kept < kept_count || is_before(to, parts.at)))
        status = ft_fail(diag, FT_ERROR_DATA, "saved parts lie beyond the end of the log");
    if (!status && parts.count == 0 && !add_part(&parts, to, FT_NOT_KEPT))
        status = ft_fail_memory(diag, "segments");
    if (status) {
        free(parts.parts);
        return status;
    }
    *ret_parts = parts.parts;
    *ret_count = parts.count;
    return FT_OK;
}
