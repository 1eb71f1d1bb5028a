/*
 * Groups of references in terms that another build of the program has too (group_locations.h), made
 * of the histograms of a trace, without the trace: fit needs no more to see several builds as one
 * series. Of data is known what `replay --data` found.
 */
#ifndef FT_ENGINE_MATCH_ENTRY_GROUPS_H
#define FT_ENGINE_MATCH_ENTRY_GROUPS_H

#include "engine/match/group_locations.h"
#include "formats/histograms/histograms.h"

/* The data of the groups, by kind and name; with_data false: none is known. To be given to
 * ft_data_of_groups_fini. */
int ft_entry_data_of_groups(const struct ft_histograms *entry, bool with_data,
                            struct ft_data_of_groups *ret_data, struct ft_diag *diag);

/* scopes: locations of the entry's; they and the data must outlive the locations. Groups are
 * numbered as in the entry's scope tree; those of fetches have no accesses. */
int ft_entry_group_locations_make(const struct ft_scope_locations *scopes,
                                  const struct ft_histograms *entry,
                                  const struct ft_data_of_groups *data,
                                  struct ft_group_locations *ret_locations, struct ft_diag *diag);

#endif
