/*
 * Schedules stand under their paths' code as bytes, and that of their entries: of each instruction
 * its address, whether it is a taken branch, and its code. The lock is held while the table is read
 * or grows, not while a path is scheduled; of two threads that schedule the same path the second
 * keeps what it found to itself.
 */
#include "engine/schedule/path_schedules.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "engine/schedule/body_making.h"
#include "formats/base/array.h"
#include "formats/base/bytes.h"
#include "formats/base/hash_table.h"

struct path {
    struct ft_bytes key;
    struct ft_schedule schedule;
};

struct ft_path_schedules {
    struct ft_core core;
    pthread_mutex_t lock;
    struct path *paths;
    size_t count, capacity;
    struct ft_hash_table table; /* of paths, by their keys */
};

int ft_path_schedules_create(const struct ft_machine *machine,
                             struct ft_path_schedules **ret_schedules, struct ft_diag *diag)
{
    struct ft_path_schedules *schedules = calloc(1, sizeof *schedules);
    if (!schedules)
        return ft_fail_memory(diag, "the schedules of paths");
    int status = ft_core_of_machine(machine, &schedules->core, diag);
    if (status != FT_OK) {
        free(schedules);
        return status;
    }
    pthread_mutex_init(&schedules->lock, NULL);
    *ret_schedules = schedules;
    return FT_OK;
}

void ft_path_schedules_destroy(struct ft_path_schedules *schedules)
{
    if (!schedules)
        return;
    for (size_t i = 0; i < schedules->count; i++)
        ft_bytes_fini(&schedules->paths[i].key);
    free(schedules->paths);
    ft_hash_table_fini(&schedules->table);
    pthread_mutex_destroy(&schedules->lock);
    ft_core_fini(&schedules->core);
    free(schedules);
}

const struct ft_core *ft_path_schedules_core(const struct ft_path_schedules *schedules)
{
    return &schedules->core;
}

static void put_code(const struct ft_body_code *code, uint32_t count, struct ft_bytes *key)
{
    for (uint32_t i = 0; i < count; i++) {
        ft_put_u64(key, code[i].pc);
        ft_put_u8(key, code[i].taken);
        ft_put_u8(key, (uint8_t)code[i].length); /* at most 15 */
        ft_put(key, code[i].code, code[i].length);
    }
}

static void put_key(const struct ft_body_path *path, struct ft_bytes *key)
{
    ft_put_u8(key, path->repeats);
    ft_put_u32(key, path->count);
    put_code(path->code, path->count, key);
    put_code(path->entry, path->entry_count, key);
}

/* With the lock held. */
static const struct path *find(const struct ft_path_schedules *schedules,
                               const struct ft_bytes *key, uint64_t hash)
{
    uint32_t i;
    for (size_t probe = hash; ft_hash_next(&schedules->table, hash, &probe, &i);) {
        const struct ft_bytes *other = &schedules->paths[i].key;
        if (other->length == key->length && memcmp(other->data, key->data, key->length) == 0)
            return &schedules->paths[i];
    }
    return NULL;
}

static bool look_up(struct ft_path_schedules *schedules, const struct ft_bytes *key, uint64_t hash,
                    struct ft_schedule *ret_schedule)
{
    pthread_mutex_lock(&schedules->lock);
    const struct path *path = find(schedules, key, hash);
    if (path)
        *ret_schedule = path->schedule;
    pthread_mutex_unlock(&schedules->lock);
    return path != NULL;
}

/* Takes the key, or leaves it where another thread was faster; false without memory. */
static bool keep(struct ft_path_schedules *schedules, struct ft_bytes *key, uint64_t hash,
                 const struct ft_schedule *schedule)
{
    pthread_mutex_lock(&schedules->lock);
    bool done = true;
    if (!find(schedules, key, hash)) {
        done = FT_RESERVE(schedules->paths, schedules->capacity, schedules->count + 1) &&
               ft_hash_table_add(&schedules->table, hash, (uint32_t)schedules->count);
        if (done) {
            schedules->paths[schedules->count++] = (struct path){*key, *schedule};
            *key = (struct ft_bytes){0};
        }
    }
    pthread_mutex_unlock(&schedules->lock);
    return done;
}

static int schedule_path(const struct ft_core *core, const struct ft_body_path *path,
                         struct ft_schedule *ret_schedule, struct ft_diag *diag)
{
    struct ft_body body;
    FT_TRY(ft_body_make(core, path, &body, diag));
    int status = ft_schedule_find(&body, path->repeats, ret_schedule, diag);
    ft_body_fini(&body);
    return status;
}

int ft_path_schedule_find(struct ft_path_schedules *schedules, const struct ft_body_path *path,
                          struct ft_schedule *ret_schedule, struct ft_diag *diag)
{
    struct ft_bytes key = {0};
    put_key(path, &key);
    int status = key.failed ? ft_fail_memory(diag, "the schedules of paths") : FT_OK;
    const uint64_t hash = status == FT_OK ? XXH3_64bits(key.data, key.length) : 0;
    if (status == FT_OK && !look_up(schedules, &key, hash, ret_schedule)) {
        status = schedule_path(&schedules->core, path, ret_schedule, diag);
        if (status == FT_OK && !keep(schedules, &key, hash, ret_schedule))
            status = ft_fail_memory(diag, "the schedules of paths");
    }
    ft_bytes_fini(&key);
    return status;
}
