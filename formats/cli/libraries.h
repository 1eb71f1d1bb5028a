/*
 * What `foretrace --version` tells: each layer names the libraries that it is built on, with the
 * versions that are loaded at run time.
 */
#ifndef FT_FORMATS_CLI_LIBRARIES_H
#define FT_FORMATS_CLI_LIBRARIES_H

/* Called once for each library; the texts live only during the call. */
typedef void ft_library_visitor(const char *name, const char *version);

#endif
