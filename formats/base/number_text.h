/*
 * Numbers formatted for reading: "1.23 G", "12.3 %", "32 KiB". Each function writes into `text` and
 * returns it.
 */
#ifndef FT_FORMATS_BASE_NUMBER_TEXT_H
#define FT_FORMATS_BASE_NUMBER_TEXT_H

#define FT_NUMBER_TEXT 40 /* bytes that the texts below fit in */

/* Three significant digits and a power of 1000: "0", "999", "1.23 k", "45.6 M", "7.89 G". */
char *ft_text_count(char text[FT_NUMBER_TEXT], double value);
/* A share of 1 as "12.3 %". */
char *ft_text_share(char text[FT_NUMBER_TEXT], double share);
/* Powers of 1024: "512 B", "32 KiB", "1.5 MiB". */
char *ft_text_bytes(char text[FT_NUMBER_TEXT], double bytes);
/* "12.3 ns", "4.56 ms", "7.89 s". */
char *ft_text_seconds(char text[FT_NUMBER_TEXT], double seconds);

#endif
