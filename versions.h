/* What `foretrace --version` prints. */
#ifndef FT_VERSIONS_H
#define FT_VERSIONS_H

/* Prints to stdout the version of foretrace and of each library that it runs with. */
void ft_versions_print(void);

#endif
