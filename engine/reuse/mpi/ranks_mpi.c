/*
 * Messages over MPI, in pieces whose sizes fit an int.
 */
#include <mpi.h>
#include <stddef.h>
#include <time.h>

#include "engine/reuse/mpi/ranks_module.h"

#define MESSAGE_BYTES ((size_t)1 << 30)
#define TESTS_AT_ONCE 1000U /* before the first sleep */
#define SLEEP_NS      500000L
#define TAG           0

static void begin(unsigned *ret_number, unsigned *ret_count)
{
    int number = 0, count = 1, given;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    *ret_number = (unsigned)number;
    *ret_count = (unsigned)count;
}

static void end(void)
{
    MPI_Finalize();
}

/* MPI_Wait by itself would keep its processor busy. */
static void sleep_until_done(MPI_Request request)
{
    const struct timespec pause = {.tv_nsec = SLEEP_NS};
    for (unsigned tests = 0;; tests++) {
        int done = 0;
        MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        if (tests >= TESTS_AT_ONCE)
            nanosleep(&pause, NULL);
    }
}

static int message_bytes(size_t left)
{
    return (int)(left < MESSAGE_BYTES ? left : MESSAGE_BYTES);
}

static void send_bytes(unsigned to, const void *bytes, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        int now = message_bytes(size - sent);
        MPI_Request request;
        MPI_Isend((const char *)bytes + sent, now, MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD,
                  &request);
        sleep_until_done(request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sent += (size_t)now;
    }
}

static void receive_bytes(unsigned from, void *bytes, size_t size)
{
    for (size_t received = 0; received < size;) {
        int now = message_bytes(size - received);
        MPI_Request request;
        MPI_Irecv((char *)bytes + received, now, MPI_BYTE, (int)from, TAG, MPI_COMM_WORLD,
                  &request);
        sleep_until_done(request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        received += (size_t)now;
    }
}

__attribute__((visibility("default"))) const struct ft_ranks_module ft_ranks_module = {
    .begin = begin,
    .end = end,
    .send = send_bytes,
    .receive = receive_bytes,
};
