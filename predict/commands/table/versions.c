#include "predict/commands/table/versions.h"

#include <Zydis/Zydis.h>
#include <archive.h>
#include <capstone/capstone.h>
#include <cyaml/cyaml.h>
#include <elfutils/libdwfl.h>
#include <gsl/gsl_version.h>
#include <hdf5.h>
#include <jansson.h>
#include <lzma.h>
#include <nettle/version.h>
#include <stdio.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "predict/ranks/network_run.h"

static void print(const char *library, const char *version)
{
    printf("  %-10s %s\n", library, version);
}

/* "MAJOR.MINOR.PATCH"; without PATCH where the library does not say it (-1). */
static void print_numbers(const char *library, unsigned major, unsigned minor, int patch)
{
    char text[40];
    int length = snprintf(text, sizeof text, "%u.%u", major, minor);
    if (patch >= 0)
        snprintf(text + length, sizeof text - (size_t)length, ".%d", patch);
    print(library, text);
}

/* In the order of the stages that use them. */
void ft_versions_print(void)
{
    puts("foretrace " FT_VERSION "\n\nwith");
    unsigned major = 0, minor = 0, patch = 0;
    if (H5get_libversion(&major, &minor, &patch) >= 0)
        print_numbers("HDF5", major, minor, (int)patch);
    print("zstd", ZSTD_versionString());
    print("zlib", zlibVersion());
    print("liblzma", lzma_version_string());
    unsigned hash = XXH_versionNumber();
    print_numbers("xxHash", hash / 10000, hash / 100 % 100, (int)(hash % 100));
    print("jansson", jansson_version_str());
    print_numbers("Nettle", (unsigned)nettle_version_major(), (unsigned)nettle_version_minor(), -1);
    const int archive = archive_version_number();
    print_numbers("libarchive", (unsigned)archive / 1000000, (unsigned)archive / 1000 % 1000,
                  archive % 1000);
    ZyanU64 decoder = ZydisGetVersion();
    print_numbers("Zydis", ZYDIS_VERSION_MAJOR(decoder), ZYDIS_VERSION_MINOR(decoder),
                  ZYDIS_VERSION_PATCH(decoder));
    int disassembler_major = 0, disassembler_minor = 0;
    cs_version(&disassembler_major, &disassembler_minor);
    print_numbers("Capstone", (unsigned)disassembler_major, (unsigned)disassembler_minor, -1);
    print("libcyaml", cyaml_version_str);
    print("elfutils", dwfl_version(NULL));
    printf("  %-10s %d\n", "OpenMP", _OPENMP); /* year and month of the specification */
#ifdef FT_MPI_VERSION
    print("MPI", FT_MPI_VERSION); /* of replay --mpi alone */
#endif
    print("GSL", gsl_version);
    if (ft_network_simgrid_version())
        print("SimGrid", ft_network_simgrid_version()); /* of ranks alone */
}
