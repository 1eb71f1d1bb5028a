/*
 * Finds where a thread's raw log repeats itself, as that of a solver does with every time step, and
 * keeps what repeats from being encoded again. It stands between the log buffers and the encoder:
 * what comes is given on as it is, until it has been the same, byte by byte, for two periods. From
 * then on it is only compared; at the end one period is given on for all, with how often it came.
 *
 * Cheap where nothing repeats: a part of the log is searched for a few bytes of it, and copied only
 * once these have recurred.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_LOG_PERIODS_H
#define FT_TRACE_CAPTURE_TRACER_LOG_PERIODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/expand/record.h"

/* Whole records, to be encoded: of period number `period`, from 1 on, or of none (0). Chunks have
 * records of one number only. */
typedef void ft_log_records_taker(void *context, uint32_t period, const uint8_t *records,
                                  size_t bytes, const struct ft_log_state *state);
/* The period given last comes so many times more. */
typedef void ft_log_repeats_taker(void *context, uint32_t period, uint64_t times);
/* Advances the state from before records to after them; false unless they are whole records. */
typedef bool ft_log_follower(void *context, const uint8_t *records, size_t bytes,
                             struct ft_log_state *state);

struct ft_log_receiver {
    void *context;
    ft_log_records_taker *take_records;
    ft_log_repeats_taker *take_repeats;
    ft_log_follower *follow;
};

struct ft_log_periods;
/* NULL when out of memory. */
struct ft_log_periods *ft_log_periods_create(const struct ft_log_receiver *receiver);
void ft_log_periods_destroy(struct ft_log_periods *periods);

/* The next whole records, from 4-aligned memory, and the thread's state before them. */
void ft_log_periods_take(struct ft_log_periods *periods, const uint8_t *records, size_t bytes,
                         const struct ft_log_state *state);
/* Gives on what is held back. */
void ft_log_periods_flush(struct ft_log_periods *periods);

#endif
