/*
 * Output that is longer than the terminal goes through a pager: $FORETRACE_PAGER, $PAGER, or less,
 * which shows what fits one screen as if it were not there. An empty one, or cat, is none. As git,
 * foretrace waits for the pager before it ends, also where ctrl-C ends it. Not thread safe.
 */
#ifndef FT_FORMATS_CLI_PAGER_H
#define FT_FORMATS_CLI_PAGER_H

/* Where input and output are a terminal and there is a pager, what is printed from here on goes
 * through it. */
void ft_pager_start(void);
/* Ends the output and waits until the user leaves the pager. */
void ft_pager_finish(void);

#endif
