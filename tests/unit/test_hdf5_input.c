/*
 * What happens to a file that HDF5 does not survive: the child process goes, and says so. A file
 * that does not change is tried once.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/hdf5_input.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static int calls;

static void come_back(void *context)
{
    (void)context;
    calls++;
}

static void crash(void *context)
{
    raise(*(const int *)context);
}

static void crash_with(int number, const char *name)
{
    struct ft_diag diag = {0};
    int status = ft_hdf5_input_try("some.h5", crash, &number, &diag);
    tap_ok(status == FT_ERROR_DATA && strstr(diag.message, "some.h5: damaged: HDF5"), "%s: %s",
           name, diag.message);
}

static void count_in_file(void *context)
{
    FILE *file = fopen(context, "a");
    if (!file || fputc('x', file) == EOF || fclose(file) != 0)
        _exit(1);
}

static long bytes_of(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (long)file.st_size : -1;
}

static void test_once(const char *path, char *tally)
{
    FILE *file = fopen(path, "w");
    tap_ok(file && fclose(file) == 0, "there is a file");
    for (int i = 0; i < 2; i++)
        tap_ok(ft_hdf5_input_try_once(path, count_in_file, tally, NULL) == FT_OK, "it comes back");
    tap_ok(bytes_of(tally) == 1, "a file that stays as it was is tried once");
    int number = SIGSEGV;
    struct ft_diag diag = {0};
    tap_ok(ft_hdf5_input_try_once(path, crash, &number, NULL) == FT_ERROR_DATA,
           "in another way it is tried by itself");
    tap_ok(ft_hdf5_input_try_once(path, crash, NULL, &diag) == FT_ERROR_DATA &&
               strstr(diag.message, "crashes"),
           "and what became of it is told again: %s", diag.message);
    file = fopen(path, "a");
    tap_ok(file && fputc('x', file) != EOF && fclose(file) == 0, "it grows");
    tap_ok(ft_hdf5_input_try_once(path, count_in_file, tally, NULL) == FT_OK &&
               bytes_of(tally) == 2,
           "and is tried again");
    tap_ok(ft_hdf5_input_try_once("absent.h5", count_in_file, tally, NULL) == FT_ERROR_IO,
           "a missing filter is not tried");
}

int main(void)
{
    ft_hdf5_lock();
    tap_ok(ft_hdf5_input_try("some.h5", come_back, NULL, NULL) == FT_OK, "it comes back");
    tap_ok(calls == 0, "and has changed nothing here");
    crash_with(SIGSEGV, "a read outside its memory");
    crash_with(SIGABRT, "an assertion");
    crash_with(SIGXCPU, "no end");
    char tally[] = "tally";
    enter_temporary_folder();
    test_once("tried.h5", tally);
    ft_hdf5_unlock();
    tap_ok(ft_hdf5_input_open("absent.h5") < 0, "a file that is not there");
    return tap_plan_done();
}
