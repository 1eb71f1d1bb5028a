/*
 * What happens to a file that HDF5 does not survive: the child process goes, and says so.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/hdf5_input.h"
#include "tests/tap.h"

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

int main(void)
{
    ft_hdf5_lock();
    tap_ok(ft_hdf5_input_try("some.h5", come_back, NULL, NULL) == FT_OK, "it comes back");
    tap_ok(calls == 0, "and has changed nothing here");
    crash_with(SIGSEGV, "a read outside its memory");
    crash_with(SIGABRT, "an assertion");
    crash_with(SIGXCPU, "no end");
    ft_hdf5_unlock();
    tap_ok(ft_hdf5_input_open("absent.h5") < 0, "a file that is not there");
    return tap_plan_done();
}
