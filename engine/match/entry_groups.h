/*
 * Groups of references in terms that another build shares (group_locations.h), made from the
 * histograms of a trace without the trace: this lets fit treat several builds as one series. Data
 * is known if `replay --data` recorded it.
 */
#ifndef FT_ENGINE_MATCH_ENTRY_GROUPS_H
#define FT_ENGINE_MATCH_ENTRY_GROUPS_H

#include "engine/match/group_locations.h"
#include "formats/histograms/histograms.h"

/* The data of the groups, by kind and name; with_data false: leaves it unknown. End with
 * ft_data_of_groups_fini. */
int ft_entry_data_of_groups(const struct ft_histograms *entry, bool with_data,
                            struct ft_data_of_groups *ret_data, struct ft_diag *diag);

/* scopes: the locations of the entry's scopes; they and the data must outlive the result. Groups
 * are numbered as in the entry's scope tree; those of fetches have no accesses. */
int ft_entry_group_locations_make(const struct ft_scope_locations *scopes,
                                  const struct ft_histograms *entry,
                                  const struct ft_data_of_groups *data,
                                  struct ft_group_locations *ret_locations, struct ft_diag *diag);

#endif
