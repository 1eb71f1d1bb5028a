/*
 * The regimes that a model does not describe: functions that left out the smallest training sizes,
 * because another law holds there (fit/functions/counts.h). A program that changed its law once may
 * do so again.
 */
#ifndef FT_PREDICT_INTERVALS_REGIMES_H
#define FT_PREDICT_INTERVALS_REGIMES_H

#include "formats/model/model.h"
#include "machines/machine.h"

#define FT_REGIMES_MAX 8U

/* Functions that left out so many of the smallest sizes. */
struct ft_regime {
    size_t left_out; /* training sizes, the smallest ones */
    double share;    /* what they count, as a share of the accesses at the largest training size;
                        of each group at the block size where it is most */
    uint32_t scope;  /* of the group that counts most */
};

/* By sizes left out; those of a hundredth of the accesses or more. Histograms of the machine's
 * block sizes alone are looked at. Gives how many there are. */
size_t ft_regimes_dropped(const struct ft_model *model, const struct ft_machine *machine,
                          struct ft_regime ret_regimes[FT_REGIMES_MAX]);

#endif
