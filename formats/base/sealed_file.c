/*
 * Writing: to memory, or to PATH.partial with a header whose length and checksum are filled in at
 * the end, synced and renamed. Reading: the whole file is checked against its header first; then
 * items are taken in the order in which they were put. The first error is kept, so that callers
 * check once.
 */
#include "formats/base/sealed_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/base/hdf5_output.h"
#include "formats/base/unfinished.h"

#define MAGIC      "FTSEALED"
#define KIND_BYTES 16
#define COPY_BYTES ((size_t)1 << 16)

struct header {
    char magic[8];
    char kind[KIND_BYTES]; /* padded with zeros */
    uint64_t version;
    uint64_t bytes; /* of the contents */
    uint64_t checksum;
};

struct ft_sealed_output {
    char *path, *partial; /* NULL in memory */
    char **bytes;         /* in memory: the caller's */
    size_t *size;
    FILE *file;
    struct header header;
    XXH3_state_t *hash;
    int error; /* errno of the first failure, or 0 */
};

struct ft_sealed_input {
    FILE *file;
    uint64_t left;
    bool failed;
};

/* ---- writing ---- */

static void note_error(struct ft_sealed_output *output)
{
    if (output->error == 0)
        output->error = errno ? errno : EIO;
}

/* NULL without memory. */
static struct ft_sealed_output *new_output(const char *kind, uint32_t version)
{
    struct ft_sealed_output *output = calloc(1, sizeof *output);
    if (!output)
        return NULL;
    output->hash = XXH3_createState();
    if (!output->hash) {
        free(output);
        return NULL;
    }
    XXH3_64bits_reset(output->hash);
    memcpy(output->header.magic, MAGIC, sizeof output->header.magic);
    snprintf(output->header.kind, KIND_BYTES, "%s", kind);
    output->header.version = version;
    return output;
}

/* Leaves room for the header, which the end of the contents completes. */
static void begin(struct ft_sealed_output *output)
{
    if (fwrite(&output->header, sizeof output->header, 1, output->file) != 1)
        note_error(output);
}

int ft_sealed_output_create(const char *path, const char *kind, uint32_t version,
                            struct ft_sealed_output **ret_output, struct ft_diag *diag)
{
    int status = ft_output_check(path, diag);
    if (status)
        return status;
    struct ft_sealed_output *output = new_output(kind, version);
    if (!output)
        return ft_fail_memory(diag, path);
    output->path = strdup(path);
    if (!output->path || asprintf(&output->partial, "%s.partial", path) < 0) {
        output->partial = NULL;
        ft_sealed_output_destroy(output);
        return ft_fail_memory(diag, path);
    }
    output->file = fopen(output->partial, "we");
    if (!output->file) {
        status = ft_output_fail(path, errno, diag);
        ft_sealed_output_destroy(output);
        return status;
    }
    ft_unfinished_add(output->partial);
    begin(output);
    *ret_output = output;
    return FT_OK;
}

int ft_sealed_output_create_memory(const char *kind, uint32_t version, char **bytes, size_t *size,
                                   struct ft_sealed_output **ret_output, struct ft_diag *diag)
{
    struct ft_sealed_output *output = new_output(kind, version);
    *bytes = NULL;
    *size = 0;
    if (!output || !(output->file = open_memstream(bytes, size))) {
        ft_sealed_output_destroy(output);
        return ft_fail_memory(diag, kind);
    }
    output->bytes = bytes;
    output->size = size;
    begin(output);
    *ret_output = output;
    return FT_OK;
}

void ft_sealed_put(struct ft_sealed_output *output, const void *data, size_t bytes)
{
    if (output->error || bytes == 0)
        return;
    if (fwrite(data, 1, bytes, output->file) != bytes)
        note_error(output);
    XXH3_64bits_update(output->hash, data, bytes);
    output->header.bytes += bytes;
}

void ft_sealed_put_u64(struct ft_sealed_output *output, uint64_t value)
{
    ft_sealed_put(output, &value, sizeof value);
}

void ft_sealed_put_text(struct ft_sealed_output *output, const char *text)
{
    ft_sealed_put_u64(output, strlen(text));
    ft_sealed_put(output, text, strlen(text));
}

/* The stream must not seek back: it would end there. */
static int finish_memory(struct ft_sealed_output *output, struct ft_diag *diag)
{
    if (fclose(output->file) != 0)
        note_error(output);
    output->file = NULL;
    if (output->error)
        return ft_fail_memory(diag, output->header.kind);
    memcpy(*output->bytes, &output->header, sizeof output->header);
    output->bytes = NULL;
    return FT_OK;
}

int ft_sealed_output_finish(struct ft_sealed_output *output, struct ft_diag *diag)
{
    output->header.checksum = XXH3_64bits_digest(output->hash);
    if (output->bytes)
        return finish_memory(output, diag);
    if (!output->error && (fseek(output->file, 0, SEEK_SET) != 0 ||
                           fwrite(&output->header, sizeof output->header, 1, output->file) != 1 ||
                           fflush(output->file) != 0 || fsync(fileno(output->file)) != 0))
        note_error(output);
    if (fclose(output->file) != 0)
        note_error(output);
    output->file = NULL;
    if (!output->error && rename(output->partial, output->path) != 0)
        note_error(output);
    if (output->error)
        return ft_output_fail(output->path, output->error, diag);
    ft_unfinished_drop(output->partial);
    ft_output_sync_folder(output->path);
    free(output->partial);
    output->partial = NULL;
    return FT_OK;
}

void ft_sealed_output_destroy(struct ft_sealed_output *output)
{
    if (!output)
        return;
    if (output->file)
        (void)fclose(output->file); /* it is removed */
    if (output->partial)
        (void)unlink(output->partial);
    ft_unfinished_drop(output->partial);
    if (output->bytes) {
        free(*output->bytes);
        *output->bytes = NULL;
    }
    XXH3_freeState(output->hash);
    free(output->partial);
    free(output->path);
    free(output);
}

/* ---- reading ---- */

/* Whether the contents are as long as the header says, and have its checksum. */
static bool is_whole(FILE *file, const struct header *header)
{
    XXH3_state_t *hash = XXH3_createState();
    char *copy = malloc(COPY_BYTES);
    uint64_t bytes = 0;
    bool whole = false;
    if (hash && copy) {
        size_t got;
        XXH3_64bits_reset(hash);
        while ((got = fread(copy, 1, COPY_BYTES, file)) > 0) {
            XXH3_64bits_update(hash, copy, got);
            bytes += got;
        }
        whole = bytes == header->bytes && XXH3_64bits_digest(hash) == header->checksum;
    }
    free(copy);
    XXH3_freeState(hash);
    return whole;
}

struct versions {
    uint32_t oldest, newest;
};

static int check(const char *path, FILE *file, const char *kind, struct versions versions,
                 struct header *header, struct ft_diag *diag)
{
    if (fread(header, sizeof *header, 1, file) != 1 ||
        memcmp(header->magic, MAGIC, sizeof header->magic) != 0 ||
        strncmp(header->kind, kind, KIND_BYTES) != 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: not a %s file of foretrace", path, kind);
    if (header->version < versions.oldest || header->version > versions.newest)
        return ft_fail(diag, FT_ERROR_DATA, "%s: %s format %llu; this foretrace reads %u", path,
                       kind, (unsigned long long)header->version, versions.newest);
    if (!is_whole(file, header) || fseek(file, sizeof *header, SEEK_SET) != 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: damaged", path);
    return FT_OK;
}

/* file: NULL if it could not be opened. */
static int open_input(FILE *file, const char *name, const char *kind, struct versions versions,
                      struct ft_sealed_input **ret_input, uint32_t *ret_version,
                      struct ft_diag *diag)
{
    struct header header;
    if (!file)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", name, strerror(errno));
    int status = check(name, file, kind, versions, &header, diag);
    struct ft_sealed_input *input = status ? NULL : calloc(1, sizeof *input);
    if (!status && !input)
        status = ft_fail_memory(diag, name);
    if (status) {
        (void)fclose(file); /* it was only read */
        return status;
    }
    input->file = file;
    input->left = header.bytes;
    *ret_input = input;
    *ret_version = (uint32_t)header.version;
    return FT_OK;
}

int ft_sealed_input_open(const char *path, const char *kind, uint32_t version,
                         struct ft_sealed_input **ret_input, struct ft_diag *diag)
{
    uint32_t found;
    return ft_sealed_input_open_any(path, kind, version, version, ret_input, &found, diag);
}

int ft_sealed_input_open_any(const char *path, const char *kind, uint32_t oldest, uint32_t newest,
                             struct ft_sealed_input **ret_input, uint32_t *ret_version,
                             struct ft_diag *diag)
{
    return open_input(fopen(path, "re"), path, kind, (struct versions){oldest, newest}, ret_input,
                      ret_version, diag);
}

int ft_sealed_input_open_memory(const void *bytes, size_t size, const char *name, const char *kind,
                                uint32_t version, struct ft_sealed_input **ret_input,
                                struct ft_diag *diag)
{
    uint32_t found;
    /* fmemopen writes nothing in mode r */
    return open_input(fmemopen((void *)(uintptr_t)bytes, size, "r"), name, kind,
                      (struct versions){version, version}, ret_input, &found, diag);
}

void ft_sealed_get(struct ft_sealed_input *input, void *data, size_t bytes)
{
    if (bytes == 0)
        return;
    if (input->failed || bytes > input->left || fread(data, 1, bytes, input->file) != bytes) {
        input->failed = true;
        memset(data, 0, bytes);
        return;
    }
    input->left -= bytes;
}

uint64_t ft_sealed_get_u64(struct ft_sealed_input *input)
{
    uint64_t value;
    ft_sealed_get(input, &value, sizeof value);
    return value;
}

char *ft_sealed_get_text(struct ft_sealed_input *input)
{
    uint64_t length = ft_sealed_get_u64(input);
    char *text = length > input->left ? NULL : malloc(length + 1);
    if (!text) {
        input->failed = true;
        return NULL;
    }
    ft_sealed_get(input, text, length);
    text[length] = 0;
    return text;
}

void *ft_sealed_get_array(struct ft_sealed_input *input, uint64_t count, size_t item_bytes)
{
    void *array = count > input->left / item_bytes ? NULL : malloc(count * item_bytes + 1);
    if (!array)
        input->failed = true;
    else
        ft_sealed_get(input, array, count * item_bytes);
    return array;
}

bool ft_sealed_failed(const struct ft_sealed_input *input)
{
    return input->failed;
}

void ft_sealed_input_close(struct ft_sealed_input *input)
{
    if (!input)
        return;
    (void)fclose(input->file); /* it was only read */
    free(input);
}
