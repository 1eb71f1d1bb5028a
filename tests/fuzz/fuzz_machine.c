/*
 * Machine files, and machines in one line where the input starts with "caches=".
 */
#include <string.h>

#include "machines/machine.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char caption[] = "caches=";
    struct ft_machine machine;
    struct ft_diag diag;
    int status;
    if (bytes >= sizeof caption && memcmp(data, caption, sizeof caption - 1) == 0) {
        char *text = strndup((const char *)data, bytes);
        status = ft_machine_load(text, &machine, &diag);
        free(text);
    } else {
        status = ft_machine_load(fuzz_file(data, bytes), &machine, &diag);
    }
    if (status == FT_OK)
        ft_machine_fini(&machine);
    return 0;
}
