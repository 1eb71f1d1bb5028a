/*
 * foretrace-network EVENTS PLATFORM DEPLOYMENT TIMES [--cfg=...]: makes the MPI calls of a job, as
 * job_events.h has them, in SimGrid's MPI, each rank an actor; computation is time that passes.
 * TIMES gets a line for each call: rank, call, start and end in seconds of the simulation, and what
 * accesses of files took since the call before.
 *
 * A program of its own, because SimGrid ends its process where something is wrong.
 *
 * In order: words of a line; messages; collectives; a rank; files.
 */
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/disk.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <smpi/smpi.h>

#define WORD_BYTES 32

struct rank {
    const char *at; /* in the text of its events */
    MPI_Comm world;
    MPI_Comm *communicators;
    size_t communicator_count;
    MPI_Request *requests; /* by the message's number */
    size_t request_count;
    long call;    /* under way; -1: none */
    double start; /* of it */
    double files; /* seconds of accesses of files since the call before it */
    bool is_done;
};

static struct rank *ranks;
static long rank_count;
static char *sent, *received; /* what messages contain does not matter: all ranks share both */
static FILE *times;
static sg_bar_t all_have_begun;
static double begin; /* when they have: what times are counted from */

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void *room(void *items, size_t *count, size_t index, size_t item_bytes)
{
    if (index < *count)
        return items;
    const size_t more = 2 * index + 16;
    char *grown = realloc(items, more * item_bytes);
    if (!grown)
        fail("out of memory");
    memset(grown + *count * item_bytes, 0, (more - *count) * item_bytes);
    *count = more;
    return grown;
}

/* ---- words of a line ---- */

static void read_word(struct rank *rank, char word[WORD_BYTES])
{
    size_t length = 0;
    while (*rank->at == ' ')
        rank->at++;
    while (*rank->at && *rank->at != ' ' && *rank->at != '\n' && length + 1 < WORD_BYTES)
        word[length++] = *rank->at++;
    word[length] = 0;
}

static long read_number(struct rank *rank)
{
    char *end;
    const long number = strtol(rank->at, &end, 10);
    rank->at = end;
    return number;
}

static int read_int(struct rank *rank)
{
    return (int)read_number(rank);
}

static void skip_line(struct rank *rank)
{
    rank->at += strcspn(rank->at, "\n");
    rank->at += *rank->at == '\n';
}

static MPI_Comm read_communicator(struct rank *rank)
{
    const long number = read_number(rank);
    if (number == 1)
        return rank->world;
    if (number == 2)
        return MPI_COMM_SELF;
    if (number < 0 || (size_t)number >= rank->communicator_count || !rank->communicators[number])
        fail("unknown communicator");
    return rank->communicators[number];
}

/* ---- messages ---- */

struct message {
    MPI_Comm communicator;
    int peer, tag, bytes;
};

static struct message read_message(struct rank *rank)
{
    struct message message = {.communicator = read_communicator(rank)};
    message.peer = read_int(rank);
    message.tag = read_int(rank);
    message.bytes = read_int(rank);
    message.peer = message.peer < 0 ? MPI_ANY_SOURCE : message.peer;
    message.tag = message.tag < 0 ? MPI_ANY_TAG : message.tag;
    return message;
}

static void make_message(struct rank *rank, const char *word)
{
    const struct message m = read_message(rank);
    if (strcmp(word, "recv") == 0)
        MPI_Recv(received, m.bytes, MPI_BYTE, m.peer, m.tag, m.communicator, MPI_STATUS_IGNORE);
    else if (strcmp(word, "send") == 0)
        MPI_Send(sent, m.bytes, MPI_BYTE, m.peer, m.tag, m.communicator);
    else
        MPI_Ssend(sent, m.bytes, MPI_BYTE, m.peer, m.tag, m.communicator);
}

static void start_message(struct rank *rank, const char *word)
{
    const size_t number = (size_t)read_number(rank);
    rank->requests = room(rank->requests, &rank->request_count, number, sizeof *rank->requests);
    MPI_Request *request = &rank->requests[number];
    const struct message m = read_message(rank);
    if (strcmp(word, "irecv") == 0)
        MPI_Irecv(received, m.bytes, MPI_BYTE, m.peer, m.tag, m.communicator, request);
    else if (strcmp(word, "isend") == 0)
        MPI_Isend(sent, m.bytes, MPI_BYTE, m.peer, m.tag, m.communicator, request);
    else
        MPI_Issend(sent, m.bytes, MPI_BYTE, m.peer, m.tag, m.communicator, request);
}

static MPI_Request *read_request(struct rank *rank)
{
    const size_t number = (size_t)read_number(rank);
    if (number >= rank->request_count)
        fail("a wait for nothing");
    return &rank->requests[number];
}

/* What was sent without being waited for may be under way still: SMPI would lose it. Numbers that
 * started nothing are 0, which is MPI_REQUEST_NULL. */
static void finalize(struct rank *rank)
{
    for (size_t i = 0; i < rank->request_count; i++)
        if (rank->requests[i] != MPI_REQUEST_NULL)
            MPI_Wait(&rank->requests[i], MPI_STATUS_IGNORE);
    MPI_Finalize();
}

/* ---- collectives ---- */

/* As many numbers as the communicator has ranks, and where these parts begin. */
static void read_parts(struct rank *rank, int size, int **ret_counts, int **ret_places)
{
    int *counts = calloc((size_t)size + 1, sizeof *counts);
    int *places = calloc((size_t)size + 1, sizeof *places);
    if (!counts || !places)
        fail("out of memory");
    for (int i = 0; i < size; i++) {
        counts[i] = read_int(rank);
        places[i + 1] = places[i] + counts[i];
    }
    *ret_counts = counts;
    *ret_places = places;
}

/* With arrays of counts, which for those with a root the root's line alone has. */
static void make_counted(struct rank *rank, const char *word, MPI_Comm communicator, int root)
{
    int *counts[2] = {NULL, NULL}, *places[2] = {NULL, NULL};
    int size, own;
    MPI_Comm_size(communicator, &size);
    MPI_Comm_rank(communicator, &own);
    const bool exchanges = strcmp(word, "alltoallv") == 0;
    const int bytes = exchanges ? 0 : read_int(rank);
    if (root < 0 || own == root)
        read_parts(rank, size, &counts[0], &places[0]);
    if (exchanges)
        read_parts(rank, size, &counts[1], &places[1]);
    if (exchanges)
        MPI_Alltoallv(sent, counts[0], places[0], MPI_BYTE, received, counts[1], places[1],
                      MPI_BYTE, communicator);
    else if (strcmp(word, "gatherv") == 0)
        MPI_Gatherv(sent, bytes, MPI_BYTE, received, counts[0], places[0], MPI_BYTE, root,
                    communicator);
    else if (strcmp(word, "scatterv") == 0)
        MPI_Scatterv(sent, counts[0], places[0], MPI_BYTE, received, bytes, MPI_BYTE, root,
                     communicator);
    else
        MPI_Allgatherv(sent, bytes, MPI_BYTE, received, counts[0], places[0], MPI_BYTE,
                       communicator);
    for (int i = 0; i < 2; i++) {
        free(counts[i]);
        free(places[i]);
    }
}

static bool make_rooted(struct rank *rank, const char *word, MPI_Comm communicator)
{
    static const char *const names[] = {"bcast",   "reduce",  "gather",
                                        "scatter", "gatherv", "scatterv"};
    size_t which = 0;
    while (which < sizeof names / sizeof *names && strcmp(word, names[which]) != 0)
        which++;
    if (which == sizeof names / sizeof *names)
        return false;
    const int root = read_int(rank);
    if (which >= 4) {
        make_counted(rank, word, communicator, root);
        return true;
    }
    const int bytes = read_int(rank);
    if (which == 0)
        MPI_Bcast(received, bytes, MPI_BYTE, root, communicator);
    else if (which == 1)
        MPI_Reduce(sent, received, bytes, MPI_BYTE, MPI_BOR, root, communicator);
    else if (which == 2)
        MPI_Gather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, root, communicator);
    else
        MPI_Scatter(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, root, communicator);
    return true;
}

static bool make_collective(struct rank *rank, const char *word)
{
    MPI_Comm communicator = read_communicator(rank);
    if (make_rooted(rank, word, communicator))
        return true;
    if (strcmp(word, "barrier") == 0) {
        MPI_Barrier(communicator);
        return true;
    }
    if (strcmp(word, "allgatherv") == 0 || strcmp(word, "alltoallv") == 0) {
        make_counted(rank, word, communicator, -1);
        return true;
    }
    const int bytes = read_int(rank);
    if (strcmp(word, "allreduce") == 0)
        MPI_Allreduce(sent, received, bytes, MPI_BYTE, MPI_BOR, communicator);
    else if (strcmp(word, "scan") == 0)
        MPI_Scan(sent, received, bytes, MPI_BYTE, MPI_BOR, communicator);
    else if (strcmp(word, "exscan") == 0)
        MPI_Exscan(sent, received, bytes, MPI_BYTE, MPI_BOR, communicator);
    else if (strcmp(word, "reduce_scatter_block") == 0)
        MPI_Reduce_scatter_block(sent, received, bytes, MPI_BYTE, MPI_BOR, communicator);
    else if (strcmp(word, "allgather") == 0)
        MPI_Allgather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, communicator);
    else if (strcmp(word, "alltoall") == 0)
        MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, communicator);
    else
        return false;
    return true;
}

/* ---- a rank ---- */

/* SMPI (3.32) crashes where it matches a receive from any source in MPI_COMM_WORLD, which is only a
 * name for the communicator of the rank that runs. So the ranks have a copy of it, which they make
 * before the time begins. */
static void begin_rank(struct rank *rank)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &rank->world);
    MPI_Comm_set_errhandler(rank->world, MPI_ERRORS_ARE_FATAL); /* as those made of it */
    sg_barrier_wait(all_have_begun);                            /* takes no time */
    begin = simgrid_get_clock();
    rank->start = begin;
}

static void keep_communicator(struct rank *rank, size_t number, MPI_Comm made)
{
    MPI_Comm_set_errhandler(made, MPI_ERRORS_ARE_FATAL);
    rank->communicators =
        room(rank->communicators, &rank->communicator_count, number, sizeof *rank->communicators);
    rank->communicators[number] = made;
}

static void split(struct rank *rank)
{
    MPI_Comm communicator = read_communicator(rank), made = MPI_COMM_NULL;
    const size_t number = (size_t)read_number(rank);
    const int colour = read_int(rank), key = read_int(rank);
    MPI_Comm_split(communicator, colour < 0 ? MPI_UNDEFINED : colour, key, &made);
    if (number > 0)
        keep_communicator(rank, number, made);
}

/* Its members' ranks are those in the world. */
static void make_of_group(struct rank *rank)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group world, group;
    (void)read_communicator(rank); /* whose context does not matter here */
    const size_t number = (size_t)read_number(rank);
    const int count = read_int(rank);
    int *members = calloc((size_t)count + 1, sizeof *members);
    if (!members)
        fail("out of memory");
    for (int i = 0; i < count; i++)
        members[i] = read_int(rank);
    MPI_Comm_group(rank->world, &world);
    MPI_Group_incl(world, count, members, &group);
    MPI_Comm_create_group(rank->world, group, 0, &made);
    free(members);
    if (made == MPI_COMM_NULL)
        fail("a group without its rank");
    keep_communicator(rank, number, made);
}

static void end_call(struct rank *rank)
{
    fprintf(times, "%td %ld %.17g %.17g %.17g\n", rank - ranks, rank->call, rank->start - begin,
            simgrid_get_clock() - begin, rank->files);
    rank->call = -1;
    rank->files = 0;
}

/* Of the file system: the disk of a host that is there where the platform has one. */
static void access_files(struct rank *rank, bool writes)
{
    const double start = simgrid_get_clock();
    const long bytes = read_number(rank);
    const sg_host_t host = sg_host_by_name("storage");
    unsigned count = 0;
    sg_disk_t *disks = NULL;
    sg_actor_sleep_for(strtod(rank->at, NULL));
    if (host)
        sg_host_get_disks(host, &count, &disks);
    if (count == 0)
        fail("no file system");
    if (bytes > 0 && writes)
        sg_disk_write(disks[0], (sg_size_t)bytes);
    else if (bytes > 0)
        sg_disk_read(disks[0], (sg_size_t)bytes);
    free(disks);
    rank->files += simgrid_get_clock() - start;
}

/* What a line says. */
static void act(struct rank *rank, const char *word)
{
    if (strcmp(word, "compute") == 0) {
        sg_actor_sleep_for(strtod(rank->at, NULL));
    } else if (strcmp(word, "read") == 0 || strcmp(word, "write") == 0) {
        access_files(rank, word[0] == 'w');
    } else if (strcmp(word, "begin") == 0) {
        rank->call = read_number(rank);
        rank->start = simgrid_get_clock();
    } else if (strcmp(word, "end") == 0) {
        end_call(rank);
    } else if (strcmp(word, "wait") == 0) {
        MPI_Wait(read_request(rank), MPI_STATUS_IGNORE);
    } else if (strcmp(word, "drop") == 0) {
        MPI_Request_free(read_request(rank));
    } else if (strcmp(word, "init") == 0) {
        begin_rank(rank);
    } else if (strcmp(word, "finalize") == 0) {
        finalize(rank);
    } else if (strcmp(word, "split") == 0) {
        split(rank);
    } else if (strcmp(word, "group") == 0) {
        make_of_group(rank);
    } else if (strstr(word, "send") || strstr(word, "recv")) {
        if (word[0] == 'i')
            start_message(rank, word);
        else
            make_message(rank, word);
    } else if (!make_collective(rank, word)) {
        fail("an unknown event");
    }
}

static void run_rank(int count, char **arguments)
{
    const long number = count > 1 ? strtol(arguments[1], NULL, 10) : -1;
    if (number < 0 || number >= rank_count)
        fail("an unknown rank");
    struct rank *rank = &ranks[number];
    char word[WORD_BYTES];
    while (*rank->at && strncmp(rank->at, "rank ", 5) != 0) {
        read_word(rank, word);
        act(rank, word);
        skip_line(rank);
    }
    rank->is_done = true;
}

/* ---- files ---- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long bytes = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        bytes = ftell(file);
    if (bytes >= 0)
        text = malloc((size_t)bytes + 1);
    if (!text || fseek(file, 0, SEEK_SET) != 0 ||
        fread(text, 1, (size_t)bytes, file) != (size_t)bytes)
        fail("cannot read the events");
    fclose(file);
    text[bytes] = 0;
    return text;
}

static void read_events(const char *text)
{
    char *end;
    if (strncmp(text, "ranks ", 6) != 0)
        fail("no events");
    rank_count = strtol(text + 6, &end, 10);
    const size_t bytes = strtoul(end, NULL, 10);
    if (rank_count < 1 || bytes < 1)
        fail("no events");
    ranks = calloc((size_t)rank_count, sizeof *ranks);
    sent = calloc(bytes, 1);
    received = calloc(bytes, 1);
    if (!ranks || !sent || !received)
        fail("out of memory");
    const char *at = text;
    for (long i = 0; i < rank_count; i++) {
        at = strstr(at, "\nrank ");
        if (!at)
            fail("events of a rank are missing");
        at += 6;
        at += strcspn(at, "\n");
        ranks[i] = (struct rank){.at = at + 1, .call = -1};
    }
}

/* Of a rank that did not get to its end: "rank R waits in call C". */
static bool check_done(void)
{
    for (long i = 0; i < rank_count; i++)
        if (!ranks[i].is_done) {
            fprintf(stderr, "\nrank %ld waits in call %ld\n", i, ranks[i].call);
            return false;
        }
    return true;
}

int main(int count, char **arguments)
{
    smpi_init_options(); /* which of --cfg are there */
    simgrid_init(&count, arguments);
    if (count < 5)
        fail("usage: foretrace-network EVENTS PLATFORM DEPLOYMENT TIMES [--cfg=...]");
    char *text = read_file(arguments[1]);
    read_events(text);
    times = fopen(arguments[4], "w");
    if (!times)
        fail("cannot write the times");
    simgrid_load_platform(arguments[2]);
    SMPI_init();
    all_have_begun = sg_barrier_init((unsigned)rank_count);
    SMPI_app_instance_register("ranks", run_rank, (int)rank_count);
    simgrid_load_deployment(arguments[3]);
    simgrid_run();
    const bool is_done = check_done();
    const bool has_failed = ferror(times) != 0;
    if (fclose(times) != 0 || has_failed)
        fail("cannot write the times");
    if (is_done)
        SMPI_finalize();
    sg_barrier_destroy(all_have_begun);
    free(text);
    free(ranks);
    free(sent);
    free(received);
    return is_done ? 0 : 3;
}
