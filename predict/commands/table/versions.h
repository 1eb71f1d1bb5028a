/* What `foretrace --version` prints. */
#ifndef FT_PREDICT_COMMANDS_TABLE_VERSIONS_H
#define FT_PREDICT_COMMANDS_TABLE_VERSIONS_H

/* Prints to stdout the version of foretrace and of each library that it runs with. */
void ft_versions_print(void);

#endif
