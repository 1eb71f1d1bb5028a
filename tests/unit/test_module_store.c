/*
 * The store of modules: entries that are damaged, cut off, of another key or version, or that
 * others may write to are not there; nor is anything where the folder cannot be used. Writers side
 * by side leave whole entries. The largest store loses its oldest entries.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"
#include "trace-capture/modules/module_store.h"

#define CONTENTS_BYTES 5000U

static void require(bool done, const char *what)
{
    if (done)
        return;
    perror(what);
    exit(1);
}

static const struct ft_module_key key = {true, "one.module", {1, 2, 3}};

/* Bytes that begin with a number, so that versions of an entry can be told from each other. */
static struct ft_bytes contents_of(uint8_t number)
{
    struct ft_bytes contents = {0};
    for (unsigned i = 0; i < CONTENTS_BYTES; i++)
        ft_put_u8(&contents, (uint8_t)(number + i * 7));
    return contents;
}

static void put(struct ft_module_store *store, const struct ft_module_key *entry, uint8_t number)
{
    struct ft_bytes contents = contents_of(number);
    ft_module_store_write(store, entry, &contents);
    ft_bytes_fini(&contents);
}

/* The number of an entry, 256 where there is none, 257 where it is not what was written. */
static int get(const struct ft_module_store *store, const struct ft_module_key *entry)
{
    struct ft_bytes contents = {0};
    if (!ft_module_store_read(store, entry, &contents))
        return 256;
    int number = contents.length == CONTENTS_BYTES ? contents.data[0] : 257;
    struct ft_bytes expected = contents_of((uint8_t)number);
    if (number < 256 && memcmp(contents.data, expected.data, CONTENTS_BYTES) != 0)
        number = 257;
    ft_bytes_fini(&expected);
    ft_bytes_fini(&contents);
    return number;
}

static mode_t mode_of(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0 ? facts.st_mode & 07777 : 0;
}

static void check_entry(void)
{
    struct ft_module_key other = key, unusable = key;
    other.digest[31] = 1;
    unusable.is_usable = false;
    umask(0);
    struct ft_module_store *store = ft_module_store_open("store");
    umask(022);
    tap_ok(store && mode_of("store") == 0700, "the folder is made, for its owner alone");
    tap_ok(get(store, &key) == 256, "no entry at first");
    put(store, &key, 10);
    tap_ok(get(store, &key) == 10, "an entry is read as it was written");
    tap_ok(mode_of("store/one.module") == 0600, "its file is for its owner alone");
    put(store, &key, 20);
    tap_ok(get(store, &key) == 20, "the next one replaces it");
    tap_ok(get(store, &other) == 256, "another key of the same name has none");
    put(store, &unusable, 30);
    tap_ok(get(store, &unusable) == 256 && get(store, &key) == 20,
           "a key that is not usable has none, and writes none");
    ft_module_store_close(store);
}

/* ---- what is not believed ---- */

static void change_byte(off_t at)
{
    int file = open("store/one.module", O_RDWR);
    uint8_t byte;
    bool done = file >= 0 && pread(file, &byte, 1, at) == 1;
    byte ^= 0x10;
    done = done && pwrite(file, &byte, 1, at) == 1;
    close(file);
    require(done, "a byte of an entry");
}

static void check_damage(struct ft_module_store *store)
{
    struct stat facts;
    put(store, &key, 40);
    require(stat("store/one.module", &facts) == 0, "the entry");
    unsigned believed = 0;
    for (off_t at = 0; at < facts.st_size; at += at < 100 ? 1 : 97) {
        change_byte(at);
        believed += get(store, &key) != 256;
        change_byte(at);
    }
    tap_ok(believed == 0, "no entry with a changed byte is believed, in header or contents");
    tap_ok(get(store, &key) == 40, "it is when the bytes are back");
    for (off_t bytes = 0; bytes < facts.st_size; bytes += bytes < 100 ? 1 : 977) {
        put(store, &key, 40);
        believed += truncate("store/one.module", bytes) != 0 || get(store, &key) != 256;
    }
    tap_ok(believed == 0, "no entry that is cut off is believed");
    put(store, &key, 40);
    believed = truncate("store/one.module", facts.st_size + 1) != 0 || get(store, &key) != 256;
    tap_ok(!believed, "nor one that is longer");
    put(store, &key, 50);
    tap_ok(get(store, &key) == 50, "a new one takes its place");
}

static void check_permissions(struct ft_module_store *store)
{
    put(store, &key, 60);
    chmod("store/one.module", 0620);
    tap_ok(get(store, &key) == 256, "an entry that the group may write to is not believed");
    chmod("store/one.module", 0602);
    tap_ok(get(store, &key) == 256, "nor one that all may write to");
    chmod("store/one.module", 0644);
    tap_ok(get(store, &key) == 60, "one that others may read is");
    require(rename("store/one.module", "aside") == 0 &&
                symlink("../aside", "store/one.module") == 0,
            "a link");
    tap_ok(get(store, &key) == 256, "a symbolic link is no entry");
    require(unlink("store/one.module") == 0 && mkfifo("store/one.module", 0600) == 0, "a FIFO");
    tap_ok(get(store, &key) == 256, "a FIFO is none, and is not waited for");
    put(store, &key, 61);
    tap_ok(get(store, &key) == 61, "an entry replaces it");
    if (geteuid() == 0) { /* who alone can give files away */
        require(chown("store/one.module", 12345, 12345) == 0, "another owner");
        tap_ok(get(store, &key) == 256, "an entry of another user is not believed");
        unlink("store/one.module");
    }
}

static void check_folders(void)
{
    chmod("store", 0770);
    tap_ok(!ft_module_store_open("store"), "a folder that the group may write to is not used");
    chmod("store", 0703);
    tap_ok(!ft_module_store_open("store"), "nor one that all may write to");
    chmod("store", 0755);
    struct ft_module_store *store = ft_module_store_open("store");
    tap_ok(store != NULL, "one that others may read is");
    ft_module_store_close(store);
    tap_ok(!ft_module_store_open(NULL) && !ft_module_store_open("no/folder") &&
               !ft_module_store_open("aside") && !ft_module_store_open("/proc/self/store"),
           "none where it cannot be made, and none in a file");
    put(NULL, &key, 70);
    tap_ok(get(NULL, &key) == 256, "without a store there are no entries");
}

/* Files in a folder that is gone cannot be made, whoever asks; as in one that is read-only. */
static void check_removed_folder(void)
{
    struct ft_module_store *store = ft_module_store_open("gone");
    require(store && rmdir("gone") == 0, "a folder");
    put(store, &key, 80);
    tap_ok(get(store, &key) == 256, "nothing is written, and nothing fails");
    ft_module_store_close(store);
}

/* ---- many at once ---- */

#define WRITERS 8U
#define ROUNDS  50U

/* Whether each of many reads and writes finds a whole entry. */
static bool write_and_read(uint8_t number)
{
    struct ft_module_store *store = ft_module_store_open("store");
    bool is_whole = store != NULL;
    for (unsigned i = 0; i < ROUNDS; i++) {
        put(store, &key, number);
        is_whole &= get(store, &key) <= (int)WRITERS;
    }
    ft_module_store_close(store);
    return is_whole;
}

static unsigned files_in(const char *path)
{
    unsigned count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *item; folder && (item = readdir(folder));)
        count += item->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

static void check_writers(void)
{
    unsigned failed = 0;
    fflush(stdout);
    for (unsigned i = 0; i < WRITERS; i++)
        if (fork() == 0)
            _exit(write_and_read((uint8_t)i) ? 0 : 1);
    for (int status; wait(&status) > 0;)
        failed += status != 0;
    tap_ok(failed == 0, "%u processes that write and read one entry find it whole", WRITERS);
    tap_ok(files_in("store") == 1, "and leave one file");
}

static void make_old(const char *path, off_t bytes, time_t age)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    struct timespec times[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    bool done = file >= 0 && ftruncate(file, bytes) == 0 && futimens(file, times) == 0;
    close(file);
    require(done, path);
}

static void check_limit(void)
{
    const off_t quarter = FT_MODULE_STORE_BYTES_MAX / 4;
    struct ft_module_store *store = ft_module_store_open("store");
    make_old("store/a.module", quarter, 100000);
    make_old("store/b.module", quarter, 300000);
    make_old("store/c.module", quarter, 200000);
    make_old("store/x.module.new", 10, 100000);
    make_old("store/y.module.new", 10, 10);
    make_old("store/notes", 2 * quarter, 400000);
    put(store, &key, 90);
    ft_module_store_close(store);
    tap_ok(files_in("store") == 6, "up to the limit all stays but what a writer left long ago");
    make_old("store/d.module", quarter, 1000);
    store = ft_module_store_open("store");
    put(store, &key, 91);
    ft_module_store_close(store);
    store = ft_module_store_open("store");
    tap_ok(access("store/b.module", F_OK) != 0 && access("store/c.module", F_OK) != 0,
           "beyond the limit the entries of the longest time ago are removed");
    tap_ok(access("store/a.module", F_OK) == 0 && access("store/d.module", F_OK) == 0 &&
               get(store, &key) == 91,
           "those of later stay");
    tap_ok(access("store/notes", F_OK) == 0, "and what is no entry");
    ft_module_store_close(store);
}

int main(void)
{
    enter_temporary_folder();
    check_entry();
    struct ft_module_store *store = ft_module_store_open("store");
    check_damage(store);
    check_permissions(store);
    ft_module_store_close(store);
    check_folders();
    check_removed_folder();
    check_writers();
    check_limit();
    return tap_plan_done();
}
