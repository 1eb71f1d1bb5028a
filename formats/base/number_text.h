/*
 * Numbers formatted for reading: "1.23 G", "12.3 %", "32 KiB". Each function writes into `text` and
 * returns it.
 */
#ifndef FT_FORMATS_BASE_NUMBER_TEXT_H
#define FT_FORMATS_BASE_NUMBER_TEXT_H

#define FT_NUMBER_TEXT 40 /* bytes that the texts below fit in */

/* Three significant digits and a power of 1000: "0", "999", "1.23 k", "45.6 M", "7.89 G"; from 1e15
 * on a power of ten: "2.00e+27". */
char *ft_text_count(char text[FT_NUMBER_TEXT], double value);
/* A share of a whole: "12.3 %", never above "100.0 %". */
char *ft_text_share(char text[FT_NUMBER_TEXT], double share);
/* A ratio without an upper bound, such as a relative error: "12.3 %", "250.0 %". */
char *ft_text_percent(char text[FT_NUMBER_TEXT], double ratio);
/* Powers of 1024: "512 B", "32 KiB", "1.5 MiB". */
char *ft_text_bytes(char text[FT_NUMBER_TEXT], double bytes);
/* "12.3 ns", "4.56 ms", "7.89 s"; above a year "3.17 years". */
char *ft_text_seconds(char text[FT_NUMBER_TEXT], double seconds);

/* How a number is written: ft_text_count, ft_text_seconds. */
typedef char *ft_number_writer(char text[FT_NUMBER_TEXT], double value);

#define FT_RANGE_TEXT (3U * FT_NUMBER_TEXT + 16U)
/* A number that lies between low and high: "1.23 M +-4.0 %", where the percentage is the distance
 * to the farther bound; "1.23 M (0.90 M to 2.10 M)" if that is above 30 %, or above 5 % and twice
 * as far as the other one, or the number is printed as 0. */
char *ft_text_range(char text[FT_RANGE_TEXT], double value, double low, double high,
                    ft_number_writer *write);

#endif
