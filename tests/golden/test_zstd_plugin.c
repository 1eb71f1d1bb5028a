/*
 * HDF5 alone, with nothing of foretrace but the filter plugin ($PLUGIN) on HDF5_PLUGIN_PATH, reads
 * chunks, index and attributes of the golden trace ($TRACE); so does its tool h5dump.
 */
#include <hdf5.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tap.h"

/* The plugin alone in a folder: beside it in the build stands a folder libh5zstd_foretrace.so.p,
 * and HDF5 1.10 leaks the names of folders that look like plugins. */
static void set_plugin_path(void)
{
    if (mkdir("plugins", 0777) != 0 || symlink(getenv("PLUGIN"), "plugins/libzstd_filter.so") != 0)
        tap_ok(false, "the plugin can be linked to");
    setenv("HDF5_PLUGIN_PATH", "plugins", 1);
}

static void test_h5dump(void)
{
    tap_ok(system("h5dump -d /chunks -s 0 -c 4 \"$TRACE\" | grep -q '(0): 70, 84, 67, 75'") == 0,
           "h5dump prints the first bytes of a chunk");
}

int main(void)
{
    set_plugin_path();
    hid_t file = H5Fopen(getenv("TRACE"), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (!tap_ok(file >= 0, "HDF5 opens the trace"))
        return tap_plan_done();
    uint64_t accesses = 0;
    hid_t attribute = H5Aopen(file, "accesses", H5P_DEFAULT);
    bool was_read = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_UINT64, &accesses) >= 0;
    tap_ok(was_read && accesses == 4480, "its attribute says %llu accesses",
           (unsigned long long)accesses);
    H5Aclose(attribute);

    hid_t index = H5Dopen2(file, "index", H5P_DEFAULT);
    hid_t index_space = H5Dget_space(index);
    hsize_t rows = 0, size = 0;
    H5Sget_simple_extent_dims(index_space, &rows, NULL);
    H5Sclose(index_space);
    H5Dclose(index);
    hid_t chunks = H5Dopen2(file, "chunks", H5P_DEFAULT);
    hid_t space = H5Dget_space(chunks);
    H5Sget_simple_extent_dims(space, &size, NULL);
    tap_ok(rows == 7 && size == rows << 22, "its index has %llu rows, as many as chunks",
           (unsigned long long)rows);

    hsize_t count = 4;
    for (hsize_t i = 0; i < rows; i++) {
        hsize_t start = i << 22;
        char magic[5] = "";
        hid_t memory = H5Screate_simple(1, &count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
        herr_t status = H5Dread(chunks, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, magic);
        tap_ok(status >= 0 && strcmp(magic, "FTCK") == 0, "chunk %llu comes through the plugin",
               (unsigned long long)i);
        H5Sclose(memory);
    }
    H5Sclose(space);
    H5Dclose(chunks);
    H5Fclose(file);
    test_h5dump();
    return tap_plan_done();
}
