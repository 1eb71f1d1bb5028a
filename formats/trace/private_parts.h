/*
 * What a trace tells of the person and place that made it, left out: folders of paths, name of the
 * host, environment, numbers of user and group. Results do not depend on any of it; the content
 * hash does, through the program's arguments and modules.
 *
 * Of a path the last component stays, and all of it in folders that every system has (/usr, /lib
 * ...). Nothing here gets longer: texts are changed where they are.
 */
#ifndef FT_FORMATS_TRACE_PRIVATE_PARTS_H
#define FT_FORMATS_TRACE_PRIVATE_PARTS_H

#include <stdbool.h>

#include "formats/base/source_files.h"
#include "formats/trace/metadata.h"
#include "formats/trace/modules.h"

/* A text that is a path as a whole; it may have blanks. */
void ft_path_make_private(char *path);
/* All paths in a text: "--input=/home/me/a.txt" becomes "--input=a.txt". A path ends at a blank or
 * quote, or at one of ,:;)>. Addresses of the web, http:// and https://, stay. */
void ft_text_make_private(char *text);

/* Adds the fact "private", by which it is known that this was done. */
int ft_metadata_make_private(struct ft_metadata *metadata, struct ft_diag *diag);
bool ft_metadata_is_private(const struct ft_metadata *metadata);
/* Copies source files under the paths that private modules have; of several that have one such path
 * none. Their texts are as they were. */
int ft_source_files_copy_private(const struct ft_source_files *from, struct ft_source_files *files,
                                 struct ft_diag *diag);
/* The module's path and strings, in place: each string keeps its index, and what is left over
 * becomes zeros. Other texts than paths stay. */
void ft_module_make_private(struct ft_module *module);
/* A module with path and strings of its own, which are private; the tables are those of `module`.
 * Only path and strings are to be freed. */
int ft_module_private_view(const struct ft_module *module, struct ft_module *ret_view,
                           struct ft_diag *diag);

#endif
