/*
 * Gives a harness each file of a folder, for compilers without libFuzzer: the corpus of the normal
 * tests. A crash, a sanitizer's report or a contradiction ends the process with the file's name on
 * the line before.
 */
#include <dirent.h>
#include <limits.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/support/tap.h"

#define SECONDS_MAX 60 /* a file that takes so long does not end */

static bool run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return false;
    size_t bytes = (size_t)ftell(file);
    uint8_t *data = malloc(bytes + 1);
    rewind(file);
    bool is_read = data && fread(data, 1, bytes, file) == bytes;
    fclose(file);
    printf("# %s\n", path);
    fflush(stdout);
    alarm(SECONDS_MAX);
    if (is_read)
        LLVMFuzzerTestOneInput(data, bytes);
    alarm(0);
    free(data);
    return is_read;
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX];
    unsigned run = 0;
    int count = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1;
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
            run += run_file(path);
        }
        free(entries[i]);
    }
    free(entries);
    tap_ok(run > 0, "%u files of the corpus are read or refused", run);
    return tap_plan_done();
}
