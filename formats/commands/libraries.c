#include <Zydis/Zydis.h>
#include <capstone/capstone.h>
#include <hdf5.h>
#include <jansson.h>
#include <nettle/version.h>
#include <stdio.h>
#include <xxhash.h>
#include <zstd.h>

#include "formats/commands/commands.h"

/* "MAJOR.MINOR.PATCH"; without PATCH where the library does not tell it (-1). */
static void visit_numbers(ft_library_visitor *visit, const char *name, unsigned major,
                          unsigned minor, int patch)
{
    char text[40];
    int length = snprintf(text, sizeof text, "%u.%u", major, minor);
    if (patch >= 0)
        snprintf(text + length, sizeof text - (size_t)length, ".%d", patch);
    visit(name, text);
}

void ft_formats_libraries(ft_library_visitor *visit)
{
    unsigned major = 0, minor = 0, patch = 0;
    if (H5get_libversion(&major, &minor, &patch) >= 0)
        visit_numbers(visit, "HDF5", major, minor, (int)patch);
    visit("zstd", ZSTD_versionString());
    unsigned hash = XXH_versionNumber();
    visit_numbers(visit, "xxHash", hash / 10000, hash / 100 % 100, (int)(hash % 100));
    visit("jansson", jansson_version_str());
    visit_numbers(visit, "Nettle", (unsigned)nettle_version_major(),
                  (unsigned)nettle_version_minor(), -1);
    ZyanU64 decoder = ZydisGetVersion();
    visit_numbers(visit, "Zydis", ZYDIS_VERSION_MAJOR(decoder), ZYDIS_VERSION_MINOR(decoder),
                  ZYDIS_VERSION_PATCH(decoder));
    int disassembler_major = 0, disassembler_minor = 0;
    cs_version(&disassembler_major, &disassembler_minor);
    visit_numbers(visit, "Capstone", (unsigned)disassembler_major, (unsigned)disassembler_minor,
                  -1);
}
