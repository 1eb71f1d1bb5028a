/*
 * Removes a folder with all that is in it, as far as it can be; links are removed, not followed.
 */
#ifndef FT_FORMATS_BASE_REMOVE_TREE_H
#define FT_FORMATS_BASE_REMOVE_TREE_H

void ft_remove_tree(const char *folder);

#endif
