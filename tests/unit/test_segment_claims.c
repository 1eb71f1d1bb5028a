/*
 * Who replays which pieces of a log: threads that begin, go on and end in any order take every
 * piece once, in segments that lie side by side, of which there are few.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/segments/claims.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define PIECES_MAX  60U
#define THREADS_MAX 6U

struct segment_of {
    bool is_begun;
    size_t first, last;
};

struct round {
    struct ft_segment_piece pieces[PIECES_MAX];
    struct ft_replay_pass pass;
    struct ft_stack_log log;
    struct ft_segment_work work;
    struct segment_of threads[THREADS_MAX];
    unsigned owners[PIECES_MAX]; /* how often each piece was taken */
};

static void init(struct round *round, size_t pieces, unsigned threads, size_t window)
{
    memset(round, 0, sizeof *round);
    round->pass.segments_at_once = threads;
    round->log.pass = &round->pass;
    round->work.log = &round->log;
    round->work.pieces = round->pieces;
    round->work.count = round->work.round_end = pieces;
    round->work.window = window;
    round->work.segments_go_on = true;
    for (size_t i = 0; i < pieces; i++) {
        round->pieces[i].from.chunk = i;
        round->pieces[i].to.chunk = i + 1;
    }
}

/* A thread begins a segment, or goes on with it by a piece; false where there is nothing to do. */
static bool move(struct round *round, struct segment_of *thread)
{
    if (!thread->is_begun) {
        thread->is_begun = ft_segment_claim_start(&round->work, &thread->first);
        if (!thread->is_begun)
            return false;
        thread->last = thread->first;
        round->owners[thread->last]++;
    } else if (ft_segment_claim_next(&round->work, thread->first, thread->last)) {
        round->owners[++thread->last]++;
    } else {
        thread->is_begun = false;
    }
    return true;
}

static void run(struct round *round, uint64_t *seed)
{
    const unsigned threads = round->pass.segments_at_once;
    unsigned idle = 0; /* moves without effect in a row, of any threads */
    while (idle < 50 * threads)
        idle = move(round, &round->threads[random_below(seed, threads)]) ? 0 : idle + 1;
}

/* Every piece has one owner, and what begins a segment ends where the next one begins. */
static bool is_shared(const struct round *round)
{
    for (size_t i = 0; i < round->work.count;) {
        const struct ft_segment_piece *head = &round->pieces[i];
        if (round->owners[i] != !head->is_kept || head->is_inside || !head->is_taken)
            return false;
        for (i++; i < head->to.chunk; i++)
            if (round->owners[i] != 1 || !round->pieces[i].is_inside || round->pieces[i].is_kept)
                return false;
        if (i != head->to.chunk)
            return false;
    }
    return true;
}

static void check_random(void)
{
    uint64_t seed = 1;
    unsigned bad = 0, many = 0;
    static struct round round;
    for (unsigned i = 0; i < 3000; i++) {
        const unsigned threads = 1 + (unsigned)random_below(&seed, THREADS_MAX);
        init(&round, 1 + random_below(&seed, PIECES_MAX), threads, PIECES_MAX);
        for (size_t p = 0; i % 2 && p < round.work.count; p++)
            round.pieces[p].is_kept = round.pieces[p].is_taken = random_below(&seed, 9) == 0;
        run(&round, &seed);
        bad += !is_shared(&round);
        init(&round, PIECES_MAX, threads, threads + 2);
        run(&round, &seed);
        bad += !is_shared(&round);
        many += round.work.begun > threads + 2;
    }
    tap_ok(bad == 0, "every piece is in one segment, whatever the order of the threads");
    tap_ok(many == 0, "no more segments are begun than memory has room for");
}

/* Segments that end without another question, as those do whose last batch goes past the end, and
 * that a round has no room for: each round has its first piece, and so rounds come to an end. */
static void check_sudden_ends(void)
{
    uint64_t seed = 2;
    unsigned stuck = 0;
    for (unsigned i = 0; i < 1000; i++) {
        static struct round round;
        const unsigned threads = 1 + (unsigned)random_below(&seed, THREADS_MAX);
        init(&round, 1 + random_below(&seed, PIECES_MAX), threads, threads + 2);
        for (size_t left = round.work.count; left; left--) {
            struct segment_of *last = NULL;
            for (unsigned moves = 0; moves < 100; moves++) {
                last = &round.threads[random_below(&seed, threads)];
                if (last->is_begun && random_below(&seed, 3) > 0) {
                    ft_segment_claim_end(&round.work, last->last);
                    last->is_begun = false;
                }
                move(&round, last);
            }
            for (unsigned t = 0; t < threads; t++)
                if (round.threads[t].is_begun)
                    ft_segment_claim_end(&round.work, round.threads[t].last);
            memset(round.threads, 0, sizeof round.threads);
            size_t first = round.work.round_begin;
            stuck += !round.pieces[first].is_taken;
            while (first < round.work.count && round.pieces[first].is_taken)
                first++;
            round.work.round_begin = first;
            round.work.begun = 0;
            if (first == round.work.count)
                break;
        }
        stuck += !is_shared(&round);
    }
    tap_ok(stuck == 0, "segments that end early: every round comes further");
}

/* Threads that are equally fast. */
static void check_even(void)
{
    for (unsigned threads = 1; threads <= THREADS_MAX; threads++) {
        static struct round round;
        init(&round, 60, threads, threads + 2);
        for (unsigned moves = 0; moves < 61; moves++)
            for (unsigned t = 0; t < threads; t++)
                move(&round, &round.threads[t]);
        tap_ok(is_shared(&round) && round.work.begun == threads,
               "%u threads of one speed: as many segments (%zu)", threads, round.work.begun);
    }
}

/* With a length that was asked for. */
static void check_one_by_one(void)
{
    static struct round round;
    bool in_order = true;
    init(&round, 9, 2, 4);
    round.work.segments_go_on = false;
    for (size_t i = 0; i < 4; i++) {
        size_t index = 0;
        in_order = in_order && ft_segment_claim_start(&round.work, &index) && index == i &&
                   !ft_segment_claim_next(&round.work, i, i);
    }
    size_t index;
    tap_ok(in_order && !ft_segment_claim_start(&round.work, &index),
           "segments of a length are one piece each, in their order, and as many as fit");
}

int main(void)
{
    check_random();
    check_sudden_ends();
    check_even();
    check_one_by_one();
    return tap_plan_done();
}
