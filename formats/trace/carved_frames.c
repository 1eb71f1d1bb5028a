/*
 * The file is searched window by window; windows overlap by the longest possible frame. It is read,
 * not mapped: if it is truncated meanwhile, that is an error, not a SIGBUS.
 */
#include "formats/trace/carved_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/trace/chunk.h"

#define WINDOW_BYTES ((size_t)16 << 20)

/* Reads up to so many bytes, fewer at the end of the file. */
static int read_at(const struct ft_carved_frames *carved, uint64_t offset, uint8_t *data,
                   size_t bytes, size_t *ret_bytes, struct ft_diag *diag)
{
    size_t got = 0;
    while (got < bytes) {
        ssize_t more = pread(carved->descriptor, data + got, bytes - got, (off_t)(offset + got));
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return ft_fail(diag, FT_ERROR_IO, "%s: %s", carved->path, strerror(errno));
        if (more == 0)
            break;
        got += (size_t)more;
    }
    *ret_bytes = got;
    return FT_OK;
}

/* Notes the frames of chunks that start in the first `searched` bytes of a window; gives where the
 * search goes on, counted from the window's start. */
static int carve_window(struct ft_carved_frames *carved, uint64_t window, const uint8_t *data,
                        size_t bytes, size_t searched, size_t *ret_next, struct ft_diag *diag)
{
    static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    size_t at = 0;
    while (at < searched) {
        struct ft_chunk_description description;
        const uint8_t *found = memmem(data + at, bytes - at, magic, sizeof magic);
        at = found ? (size_t)(found - data) : searched;
        if (at >= searched)
            break;
        size_t frame = ft_chunk_frame_bytes(found, bytes - at);
        if (frame == 0 || ft_chunk_peek(found, frame, &description, NULL) != FT_OK) {
            at++;
            continue;
        }
        if (!FT_RESERVE(carved->frames, carved->capacity, carved->count + 1))
            return ft_fail_memory(diag, "the chunks of a cut-off trace");
        carved->frames[carved->count++] = (struct ft_carved_frame){window + at, frame};
        at += frame;
    }
    *ret_next = at;
    return FT_OK;
}

int ft_carved_frames_find(struct ft_carved_frames *carved, uint64_t file_bytes,
                          struct ft_diag *diag)
{
    const size_t window_bytes = file_bytes < WINDOW_BYTES ? file_bytes + 1 : WINDOW_BYTES;
    uint8_t *data = malloc(window_bytes);
    size_t got = 0, next = 0;
    bool at_end = false;
    int status = data ? FT_OK : ft_fail_memory(diag, "the bytes of a cut-off trace");
    carved->count = 0;
    for (uint64_t window = 0; status == FT_OK && !at_end; window += next) {
        status = read_at(carved, window, data, window_bytes, &got, diag);
        at_end = got < WINDOW_BYTES;
        size_t searched = at_end ? got : WINDOW_BYTES - ft_chunk_frame_bytes_max();
        if (status == FT_OK)
            status = carve_window(carved, window, data, got, searched, &next, diag);
    }
    free(data);
    return status;
}

int ft_carved_frames_read(const struct ft_carved_frames *carved, size_t index,
                          struct ft_bytes *frame, struct ft_diag *diag)
{
    const struct ft_carved_frame *found = &carved->frames[index];
    if (!FT_RESERVE(frame->data, frame->capacity, found->bytes))
        return ft_fail_memory(diag, "a chunk");
    FT_TRY(read_at(carved, found->offset, frame->data, found->bytes, &frame->length, diag));
    if (frame->length < found->bytes)
        return ft_fail(diag, FT_ERROR_DATA, "%s: was truncated while it was read", carved->path);
    return FT_OK;
}

void ft_carved_frames_fini(struct ft_carved_frames *carved)
{
    if (carved->descriptor >= 0)
        close(carved->descriptor);
    carved->descriptor = -1;
    free(carved->frames);
    carved->frames = NULL;
    carved->count = carved->capacity = 0;
}
