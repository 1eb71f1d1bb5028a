#include "trace-capture/commands/host_share.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/parse.h"

#define NICENESS_MAX 19

/* "0-3,8" */
static bool read_cpus(const char *text, cpu_set_t *ret_cpus)
{
    const char *at = text;
    CPU_ZERO(ret_cpus);
    for (;; at++) {
        uint64_t first, last;
        if (!ft_read_range(&at, &first, &last) || (*at && *at != ',') || last < first ||
            last >= CPU_SETSIZE)
            return false;
        for (; first <= last; first++)
            CPU_SET(first, ret_cpus);
        if (!*at)
            return true;
    }
}

int ft_host_share_parse(const struct ft_arguments *arguments, struct ft_host_share *ret_share,
                        struct ft_diag *diag)
{
    struct ft_host_share share = {.cpus_text = ft_option_last(arguments, "host-cpus")};
    uint64_t niceness;
    FT_TRY(ft_option_u64(arguments, "nice", 0, 0, NICENESS_MAX, &niceness, diag));
    if (share.cpus_text && !read_cpus(share.cpus_text, &share.cpus))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--host-cpus %s: expected processors such as 3 or 0-3,8", share.cpus_text);
    share.niceness = (int)niceness;
    *ret_share = share;
    return FT_OK;
}

int ft_host_share_apply(const struct ft_host_share *share, struct ft_diag *diag)
{
    if (share->cpus_text && sched_setaffinity(0, sizeof share->cpus, &share->cpus) != 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       errno == EINVAL ? "--host-cpus %s: foretrace may run on none of them"
                                       : "--host-cpus %s: cannot be set",
                       share->cpus_text);
    errno = 0;
    if (share->niceness && nice(share->niceness) == -1 && errno)
        return ft_fail(diag, FT_ERROR_FAILURE, "--nice %d: %s", share->niceness, strerror(errno));
    return FT_OK;
}
