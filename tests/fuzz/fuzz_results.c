/*
 * Result files whose tables hold anything: good files (tests/fuzz/results, of a program of a few
 * instructions, the golden ones of the newest format versions, and the golden model with source
 * files and distances within sets, which the newest has not) in which bytes of rows are changed,
 * under checksums that are right. The first byte of the input chooses the file (base_of); then a
 * row of: u8 table, u8 row, u8 byte, u8 value, times each. Without an input the good files are
 * read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <hdf5.h>

#include "formats/histograms/histograms.h"
#include "formats/model/model.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temporary_folder.h"

#define TABLES_MAX  256
#define PATCH_BYTES 4
#define ROWS_BYTES  (1U << 20)

struct base {
    const char *name;
    uint8_t *data;
    size_t bytes;
    char *tables[TABLES_MAX];
    unsigned table_count;
};
#define BASES              6U
#define TEXT_OF(number)    #number
#define VERSION_OF(number) "golden/version-" TEXT_OF(number)
static struct base bases[BASES] = {{.name = "fuzz/results/base.histograms"},
                                   {.name = "fuzz/results/base.model"},
                                   {.name = VERSION_OF(FT_HISTOGRAMS_VERSION) ".histograms"},
                                   {.name = VERSION_OF(FT_MODEL_VERSION) ".model"},
                                   {.name = VERSION_OF(FT_MODEL_VERSION_SOURCES) ".model"},
                                   {.name = VERSION_OF(FT_MODEL_VERSION_COUNTED) ".model"}};

/* The lowest bit: a model, not histograms; the highest: a golden one; the next two: another golden
 * model. */
static struct base *base_of(uint8_t choice)
{
    const unsigned number = (choice >> 7) * 2U + (choice & 1U);
    const unsigned other = choice >> 6 & 1U ? 1 : choice >> 4 & 2U;
    return &bases[number == 3 ? number + other : number];
}

static herr_t note_table(hid_t file, const char *name, const H5O_info_t *info, void *context)
{
    struct base *base = context;
    (void)file;
    if (info->type == H5O_TYPE_DATASET && base->table_count < TABLES_MAX)
        base->tables[base->table_count++] = strdup(name);
    return 0;
}

static void load(struct base *base)
{
    const char *folder = getenv("TESTS_FOLDER");
    char name[4096];
    snprintf(name, sizeof name, "%s/%s", folder ? folder : "tests", base->name);
    FILE *file = fopen(name, "rb");
    FUZZ_EXPECT(file && fseek(file, 0, SEEK_END) == 0);
    base->bytes = (size_t)ftell(file);
    base->data = malloc(base->bytes);
    rewind(file);
    FUZZ_EXPECT(base->data && fread(base->data, 1, base->bytes, file) == base->bytes);
    fclose(file);
    hid_t opened = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    FUZZ_EXPECT(opened >= 0);
    H5Ovisit2(opened, H5_INDEX_NAME, H5_ITER_INC, note_table, base, H5O_INFO_BASIC);
    H5Fclose(opened);
    FUZZ_EXPECT(base->table_count > 0);
}

static char path[TEMPORARY_PATH_MAX + 16]; /* HDF5 wants a file with a name */

static void put_file(const struct base *base)
{
    static int descriptor = -1;
    if (descriptor < 0) {
        snprintf(path, sizeof path, "%s/results.h5", temporary_folder());
        descriptor = open(path, O_RDWR | O_CREAT, 0600);
    }
    FUZZ_EXPECT(descriptor >= 0 && ftruncate(descriptor, 0) == 0);
    FUZZ_EXPECT(pwrite(descriptor, base->data, base->bytes, 0) == (ssize_t)base->bytes);
}

/* Changes a byte of a row as it stands in the file. */
static void patch(hid_t file, const struct base *base, const uint8_t *change)
{
    static uint8_t rows[ROWS_BYTES];
    hid_t table = H5Dopen2(file, base->tables[change[0] % base->table_count], H5P_DEFAULT);
    hid_t type = H5Dget_type(table), space = H5Dget_space(table);
    size_t row_bytes = H5Tget_size(type);
    hssize_t row_count = H5Sget_simple_extent_npoints(space);
    if (row_count > 0 && (size_t)row_count * row_bytes <= sizeof rows &&
        H5Dread(table, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0) {
        rows[change[1] % (size_t)row_count * row_bytes + change[2] % row_bytes] = change[3];
        H5Dwrite(table, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct base *base = base_of(bytes ? data[0] : 0);
    struct ft_histogram_file histograms;
    struct ft_model_file models;
    for (size_t i = 0; i < BASES; i++)
        if (!bases[i].data)
            load(&bases[i]);
    put_file(base);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    FUZZ_EXPECT(file >= 0);
    for (size_t i = 1; i + PATCH_BYTES <= bytes && i < 64 * PATCH_BYTES; i += PATCH_BYTES)
        patch(file, base, data + i);
    FUZZ_EXPECT(H5Fclose(file) >= 0);
    bool is_model = bytes && data[0] & 1U;
    int status = is_model ? ft_model_file_read(path, &models, NULL)
                          : ft_histogram_file_read(path, &histograms, NULL);
    FUZZ_EXPECT(status == FT_OK || bytes > PATCH_BYTES);
    if (status == FT_OK && is_model)
        ft_model_file_fini(&models);
    else if (status == FT_OK)
        ft_histogram_file_fini(&histograms);
    return 0;
}
