/*
 * A file: magic, version, the key's digest, the length of the contents and their checksum; then
 * they. All functions work in the folder as it was when it was checked, by its descriptor.
 *
 * In order: reading; writing; removing the oldest; the folder.
 */
#include "trace-capture/modules/module_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/base/array.h"
#include "formats/base/clock.h"

#define STORE_VERSION   1U
#define ENTRY_BYTES_MAX ((off_t)64 << 20)
#define UNFINISHED_END  FT_MODULE_STORE_NAME_END ".new"
#define UNFINISHED_AGE  3600  /* seconds after which a file is none that is being written */
#define USED_AGE        86400 /* seconds after which a use is noted */

static const char magic[8] = "ftmodule";

struct header {
    char magic[8];
    uint32_t version, header_bytes;
    uint8_t digest[32];
    uint64_t contents_bytes;
    XXH128_canonical_t checksum;
};

struct ft_module_store {
    int folder;
    bool was_written;
};

/* Ours, and nobody else may write to it. */
static bool is_private(const struct stat *file)
{
    return file->st_uid == geteuid() && (file->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* ---- reading ---- */

static bool read_all(int file, void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t got = read(file, (uint8_t *)data + at, bytes - at);
        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

static void find_checksum(const void *contents, size_t bytes, XXH128_canonical_t *ret_checksum)
{
    XXH128_canonicalFromHash(ret_checksum, XXH3_128bits(contents, bytes));
}

static bool read_contents(int file, const struct ft_module_key *key, struct ft_bytes *ret_contents)
{
    struct stat facts;
    struct header header;
    XXH128_canonical_t checksum;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) || !is_private(&facts) ||
        facts.st_size > ENTRY_BYTES_MAX || !read_all(file, &header, sizeof header) ||
        memcmp(header.magic, magic, sizeof magic) != 0 || header.version != STORE_VERSION ||
        header.header_bytes != sizeof header ||
        memcmp(header.digest, key->digest, sizeof key->digest) != 0 ||
        header.contents_bytes != (uint64_t)facts.st_size - sizeof header)
        return false;
    struct ft_bytes contents = {.data = malloc(header.contents_bytes + 1)};
    contents.length = contents.capacity = header.contents_bytes;
    bool is_read = contents.data && read_all(file, contents.data, contents.length);
    if (is_read)
        find_checksum(contents.data, contents.length, &checksum);
    if (!is_read || memcmp(&checksum, &header.checksum, sizeof checksum) != 0) {
        free(contents.data);
        return false;
    }
    if (time(NULL) - facts.st_mtime > USED_AGE)
        futimens(file, NULL);
    *ret_contents = contents;
    return true;
}

bool ft_module_store_read(const struct ft_module_store *store, const struct ft_module_key *key,
                          struct ft_bytes *ret_contents)
{
    if (!store || !key->is_usable)
        return false;
    /* A FIFO of that name is not waited for. */
    int file = openat(store->folder, key->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    bool is_read = read_contents(file, key, ret_contents);
    close(file);
    return is_read;
}

/* ---- writing ---- */

static bool write_all(int file, const void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        ssize_t done = write(file, (const uint8_t *)data + at, bytes - at);
        if (done <= 0)
            return false;
        at += (size_t)done;
    }
    return true;
}

void ft_module_store_write(struct ft_module_store *store, const struct ft_module_key *key,
                           const struct ft_bytes *contents)
{
    struct header header = {.version = STORE_VERSION,
                            .header_bytes = sizeof header,
                            .contents_bytes = contents->length};
    if (!store || !key->is_usable || contents->failed ||
        contents->length > (size_t)ENTRY_BYTES_MAX - sizeof header)
        return;
    memcpy(header.magic, magic, sizeof magic);
    memcpy(header.digest, key->digest, sizeof header.digest);
    find_checksum(contents->data, contents->length, &header.checksum);
    char name[64];
    snprintf(name, sizeof name, "%x-%llx" UNFINISHED_END, (unsigned)getpid(),
             (unsigned long long)ft_clock_ns());
    int file = openat(store->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                      S_IRUSR | S_IWUSR);
    if (file < 0)
        return;
    bool is_whole = write_all(file, &header, sizeof header) &&
                    write_all(file, contents->data, contents->length);
    is_whole &= close(file) == 0;
    if (!is_whole || renameat(store->folder, name, store->folder, key->name) != 0)
        unlinkat(store->folder, name, 0);
    else
        store->was_written = true;
}

/* ---- removing the oldest ---- */

struct old_file {
    char *name;
    uint64_t bytes;
    time_t used;
};

struct old_files {
    struct old_file *items;
    size_t count, capacity;
    uint64_t bytes;
};

static int compare_use(const void *left, const void *right)
{
    const struct old_file *a = left, *b = right;
    return (a->used > b->used) - (a->used < b->used);
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), end_length = strlen(end);
    return length > end_length && strcmp(name + length - end_length, end) == 0;
}

/* Notes an entry; removes what a capture that was killed left of one. */
static void note_file(const struct ft_module_store *store, const char *name,
                      struct old_files *files)
{
    struct stat facts;
    bool is_unfinished = ends_with(name, UNFINISHED_END);
    if ((!is_unfinished && !ends_with(name, FT_MODULE_STORE_NAME_END)) ||
        fstatat(store->folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode))
        return;
    if (is_unfinished) {
        if (time(NULL) - facts.st_mtime > UNFINISHED_AGE)
            unlinkat(store->folder, name, 0);
        return;
    }
    if (!FT_RESERVE(files->items, files->capacity, files->count + 1))
        return;
    struct old_file file = {strdup(name), (uint64_t)facts.st_size, facts.st_mtime};
    if (!file.name)
        return;
    files->items[files->count++] = file;
    files->bytes += file.bytes;
}

static void remove_oldest(const struct ft_module_store *store)
{
    struct old_files files = {0};
    int descriptor = openat(store->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (!folder) {
        if (descriptor >= 0)
            close(descriptor);
        return;
    }
    for (struct dirent *item; (item = readdir(folder));)
        note_file(store, item->d_name, &files);
    closedir(folder);
    /* Below the limit, so that the next entries need not remove any. */
    uint64_t limit = files.bytes;
    if (files.bytes > FT_MODULE_STORE_BYTES_MAX) {
        limit = FT_MODULE_STORE_BYTES_MAX / 4 * 3;
        qsort(files.items, files.count, sizeof *files.items, compare_use);
    }
    for (size_t i = 0; i < files.count; i++) {
        if (files.bytes > limit && unlinkat(store->folder, files.items[i].name, 0) == 0)
            files.bytes -= files.items[i].bytes;
        free(files.items[i].name);
    }
    free(files.items);
}

/* ---- the folder ---- */

struct ft_module_store *ft_module_store_open(const char *path)
{
    struct stat folder;
    if (!path)
        return NULL;
    mkdir(path, S_IRWXU);
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct ft_module_store *store = malloc(sizeof *store);
    if (descriptor < 0 || !store || fstat(descriptor, &folder) != 0 || !is_private(&folder)) {
        if (descriptor >= 0)
            close(descriptor);
        free(store);
        return NULL;
    }
    *store = (struct ft_module_store){.folder = descriptor};
    return store;
}

void ft_module_store_close(struct ft_module_store *store)
{
    if (!store)
        return;
    if (store->was_written)
        remove_oldest(store);
    close(store->folder);
    free(store);
}
