/*
 * A queue and a thread that empties it. If a module's file cannot be read, only its path and extent
 * are passed on. Those of which there are units left to read are kept until the end; and those
 * whose lines were read at once, where source files that they name are wanted.
 */
#include "trace-capture/modules/module_reader.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/base/array.h"
#include "formats/trace/private_parts.h"
#include "trace-capture/modules/elf_module.h"
#include "trace-capture/modules/module_cache.h"
#include "trace-capture/modules/named_sources.h"

/* A program that starts maps its modules one after the other. */
#define REST_MS 50

struct pending {
    char *path;
    uint64_t load_bias, start, end;
    uint8_t *image;
    size_t image_bytes;
};

/* A module with units, or one with lines that name source files, and its number. */
struct unfinished {
    struct ft_cached_module module;
    uint32_t number;
};

struct ft_module_reader {
    ft_module_reader_write *write;
    ft_module_reader_fail *fail;
    void *context;
    bool is_private, keeps_lines;
    pthread_mutex_t lock; /* of the queue */
    pthread_cond_t changed;
    struct pending *modules;
    size_t count, capacity, read;
    bool closing; /* the thread ends, or has ended */
    pthread_t thread;
    struct unfinished *unfinished; /* ascending by number; of the thread, while it runs */
    size_t unfinished_count, unfinished_capacity;
};

/* The module's tables; if its file cannot be read, only path and extent. */
static int read_module(const struct pending *pending, struct ft_cached_module *ret_module,
                       struct ft_diag *diag)
{
    struct ft_diag reason;
    struct ft_module *module = &ret_module->module;
    *ret_module = (struct ft_cached_module){0};
    int status = pending->image
                     ? ft_elf_module_read_image(pending->image, pending->image_bytes, pending->path,
                                                pending->load_bias, module, &reason)
                     : ft_module_cache_read(pending->path, pending->load_bias, ret_module, &reason);
    if (status == FT_OK)
        return FT_OK;
    *module = (struct ft_module){.path = strdup(pending->path),
                                 .load_bias = pending->load_bias,
                                 .start = pending->start,
                                 .end = pending->end,
                                 .strings = calloc(1, 1),
                                 .strings_bytes = 1};
    if (module->path && module->strings)
        return FT_OK;
    ft_module_fini(module);
    return ft_fail_memory(diag, "a module");
}

static bool is_waiting(const struct ft_module_reader *reader)
{
    return reader->read == reader->count && !reader->closing;
}

/* Locked: waits for a module for REST_MS at most. */
static void wait_shortly(struct ft_module_reader *reader)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += REST_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (is_waiting(reader) &&
           pthread_cond_timedwait(&reader->changed, &reader->lock, &until) == 0)
        ;
}

/* Waits for a module, and gives its number; false when there will be no more. */
static bool take(struct ft_module_reader *reader, struct pending *ret_pending, uint32_t *ret_number)
{
    struct ft_diag diag;
    pthread_mutex_lock(&reader->lock);
    if (reader->read > 0)
        wait_shortly(reader);
    if (reader->read > 0 && is_waiting(reader)) {
        pthread_mutex_unlock(&reader->lock);
        if (reader->write(reader->context, NULL, &diag) < 0)
            reader->fail(reader->context, &diag);
        pthread_mutex_lock(&reader->lock);
    }
    while (is_waiting(reader))
        pthread_cond_wait(&reader->changed, &reader->lock);
    bool any = reader->read < reader->count;
    if (any) {
        *ret_number = (uint32_t)reader->read;
        *ret_pending = reader->modules[reader->read++];
    }
    pthread_mutex_unlock(&reader->lock);
    return any;
}

/* Keeps a module that is not finished, or releases it. */
static int keep(struct ft_module_reader *reader, struct ft_cached_module *module, uint32_t number,
                struct ft_diag *diag)
{
    const bool wanted = module->units || (reader->keeps_lines && module->module.line_count > 0);
    bool room = !wanted || FT_RESERVE(reader->unfinished, reader->unfinished_capacity,
                                      reader->unfinished_count + 1);
    if (room && wanted)
        reader->unfinished[reader->unfinished_count++] = (struct unfinished){*module, number};
    else
        ft_module_cache_release(module);
    return room ? FT_OK : ft_fail_memory(diag, "a module");
}

static int write_module(struct ft_module_reader *reader, const struct ft_module *module,
                        struct ft_diag *diag)
{
    struct ft_module view;
    if (!reader->is_private)
        return reader->write(reader->context, module, diag);
    FT_TRY(ft_module_private_view(module, &view, diag));
    const int status = reader->write(reader->context, &view, diag);
    free(view.path);
    free(view.strings);
    return status;
}

static void *work(void *context)
{
    struct ft_module_reader *reader = context;
    struct pending pending;
    uint32_t number;
    while (take(reader, &pending, &number)) {
        struct ft_cached_module module;
        struct ft_diag diag = {0};
        int status = read_module(&pending, &module, &diag);
        if (status == FT_OK) {
            status = write_module(reader, &module.module, &diag);
            int kept = keep(reader, &module, number, &diag);
            status = status < 0 ? status : kept;
        }
        if (status < 0)
            reader->fail(reader->context, &diag);
        free(pending.path);
        free(pending.image);
    }
    return NULL;
}

int ft_module_reader_create(ft_module_reader_write *write, ft_module_reader_fail *fail,
                            void *context, bool is_private, struct ft_module_reader **ret_reader,
                            struct ft_diag *diag)
{
    struct ft_module_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return ft_fail_memory(diag, "the modules");
    reader->write = write;
    reader->fail = fail;
    reader->context = context;
    reader->is_private = is_private;
    pthread_mutex_init(&reader->lock, NULL);
    pthread_cond_init(&reader->changed, NULL);
    if (pthread_create(&reader->thread, NULL, work, reader) != 0) {
        pthread_mutex_destroy(&reader->lock);
        pthread_cond_destroy(&reader->changed);
        free(reader);
        return ft_fail(diag, FT_ERROR_FAILURE, "no thread could be started to read modules");
    }
    *ret_reader = reader;
    return FT_OK;
}

void ft_module_reader_keep_lines(struct ft_module_reader *reader)
{
    pthread_mutex_lock(&reader->lock);
    reader->keeps_lines = true;
    pthread_mutex_unlock(&reader->lock);
}

int ft_module_reader_add(struct ft_module_reader *reader, const char *path, uint64_t load_bias,
                         uint64_t start, uint64_t end, uint8_t *image, size_t image_bytes,
                         struct ft_diag *diag)
{
    char *copy = strdup(path);
    pthread_mutex_lock(&reader->lock);
    bool room = copy && FT_RESERVE(reader->modules, reader->capacity, reader->count + 1);
    if (room)
        reader->modules[reader->count++] =
            (struct pending){copy, load_bias, start, end, image, image_bytes};
    pthread_cond_signal(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
    if (room)
        return FT_OK;
    free(copy);
    free(image);
    return ft_fail_memory(diag, "a module");
}

void ft_module_reader_finish(struct ft_module_reader *reader)
{
    if (!reader || reader->closing)
        return;
    pthread_mutex_lock(&reader->lock);
    reader->closing = true;
    pthread_cond_signal(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
    pthread_join(reader->thread, NULL);
}

/* Reads and appends the lines of a module with units. named: NULL: source files are not wanted. */
static int add_lines_of(const struct ft_module_reader *reader, const struct unfinished *item,
                        const struct ft_module_code *code, struct ft_bytes *lines,
                        struct ft_named_sources *named, struct ft_diag *diag)
{
    struct ft_module whole;
    FT_TRY(ft_module_cache_read_lines(&item->module, code, &whole, diag));
    const int status =
        named ? ft_named_sources_add(named, &whole, item->module.module.path, code, diag) : FT_OK;
    if (reader->is_private)
        ft_module_make_private(&whole);
    ft_put_varint(lines, item->number);
    ft_module_write_lines(&whole, item->module.module.strings_bytes, lines);
    ft_module_fini(&whole);
    return status;
}

static int add_lines(const struct ft_module_reader *reader, const struct ft_executed_code *code,
                     struct ft_bytes *lines, struct ft_named_sources *named, struct ft_diag *diag)
{
    for (size_t i = 0; i < reader->unfinished_count; i++) {
        const struct unfinished *item = &reader->unfinished[i];
        const struct ft_module *module = &item->module.module;
        const struct ft_module_code part =
            ft_executed_code_of(code, item->number, module->load_bias);
        if (part.count > 0 && item->module.units)
            FT_TRY(add_lines_of(reader, item, &part, lines, named, diag));
        else if (part.count > 0 && named)
            FT_TRY(ft_named_sources_add(named, module, module->path, &part, diag));
    }
    return FT_OK;
}

/* Those that a private copy left out. */
static void note_namesakes(const struct ft_source_files *read,
                           const struct ft_source_files *renamed, struct ft_source_outcome *outcome)
{
    for (size_t i = 0; i < read->count; i++) {
        char *path = strdup(read->items[i].path);
        if (path)
            ft_path_make_private(path);
        if (path && !ft_source_files_find(renamed, path))
            ft_source_outcome_add(outcome, FT_SOURCE_NAMESAKE, read->items[i].path, 0);
        free(path);
    }
}

static int write_sources(const struct ft_module_reader *reader, struct ft_named_sources *named,
                         struct ft_source_outcome *outcome, struct ft_trace_writer *writer,
                         struct ft_diag *diag)
{
    struct ft_source_files read = {0}, renamed = {0};
    const struct ft_source_files *kept = reader->is_private ? &renamed : &read;
    int status = ft_named_sources_read(named, &read, outcome, diag);
    if (status == FT_OK && reader->is_private)
        status = ft_source_files_copy_private(&read, &renamed, diag);
    if (status == FT_OK && reader->is_private)
        note_namesakes(&read, &renamed, outcome);
    if (status == FT_OK)
        status = ft_trace_writer_sources(writer, kept, diag);
    outcome->kept = kept->count;
    outcome->traces = 1;
    ft_source_files_fini(&read);
    ft_source_files_fini(&renamed);
    return status;
}

int ft_module_reader_write_lines(const struct ft_module_reader *reader,
                                 const struct ft_executed_code *code,
                                 struct ft_source_outcome *sources, struct ft_trace_writer *writer,
                                 struct ft_diag *diag)
{
    struct ft_bytes lines = {0};
    struct ft_named_sources named = {0};
    int status = add_lines(reader, code, &lines, sources ? &named : NULL, diag);
    if (status == FT_OK)
        status = ft_trace_writer_lines(writer, &lines, diag);
    if (status == FT_OK && sources)
        status = write_sources(reader, &named, sources, writer, diag);
    ft_named_sources_fini(&named);
    ft_bytes_fini(&lines);
    return status;
}

void ft_module_reader_destroy(struct ft_module_reader *reader)
{
    if (!reader)
        return;
    ft_module_reader_finish(reader);
    for (size_t i = 0; i < reader->unfinished_count; i++)
        ft_module_cache_release(&reader->unfinished[i].module);
    pthread_mutex_destroy(&reader->lock);
    pthread_cond_destroy(&reader->changed);
    free(reader->unfinished);
    free(reader->modules);
    free(reader);
}
