! A ring of ranks in Fortran (mpif.h): each sends to the next one and receives from any, by
! persistent requests and by one call; parts of different lengths are gathered.
! usage: ring ELEMENTS STEPS
program ring
    implicit none
    include 'mpif.h'
    integer :: ierror, rank, ranks, next, before, step, elements, steps, i, column, requests(2)
    integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
    integer, allocatable :: counts(:), places(:)
    double precision, allocatable :: sent(:), received(:), all(:)
    double precision :: total
    character(len=32) :: text

    call mpi_init(ierror)
    call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
    call mpi_comm_size(MPI_COMM_WORLD, ranks, ierror)
    call get_command_argument(1, text)
    read (text, *) elements
    call get_command_argument(2, text)
    read (text, *) steps
    next = mod(rank + 1, ranks)
    before = mod(rank + ranks - 1, ranks)
    allocate (sent(2 * elements), received(2 * elements), counts(ranks), places(ranks))
    sent = rank
    ! every other element
    call mpi_type_vector(elements, 1, 2, MPI_DOUBLE_PRECISION, column, ierror)
    call mpi_type_commit(column, ierror)
    call mpi_recv_init(received, 1, column, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, requests(1), ierror)
    call mpi_send_init(sent, 1, column, next, 5, MPI_COMM_WORLD, requests(2), ierror)
    do step = 1, steps
        call mpi_startall(2, requests, ierror)
        call mpi_waitall(2, requests, statuses, ierror)
        sent = received + 1
        call mpi_sendrecv(sent, 2 * elements, MPI_DOUBLE_PRECISION, next, 7, &
            received, 2 * elements, MPI_DOUBLE_PRECISION, before, 7, MPI_COMM_WORLD, status, ierror)
    end do
    counts = [(i, i = 1, ranks)]
    places = [(i * (i - 1) / 2, i = 1, ranks)]
    allocate (all(ranks * (ranks + 1) / 2))
    sent = rank
    call mpi_allgatherv(sent, rank + 1, MPI_DOUBLE_PRECISION, all, counts, places, &
        MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
    total = sum(all)
    ! what is received counts at the root alone
    if (rank == 0) then
        call mpi_gather(total, 1, MPI_DOUBLE_PRECISION, all, 1, MPI_DOUBLE_PRECISION, 0, &
            MPI_COMM_WORLD, ierror)
    else
        call mpi_gather(total, 1, MPI_DOUBLE_PRECISION, all, 0, MPI_DATATYPE_NULL, 0, &
            MPI_COMM_WORLD, ierror)
    end if
    if (rank == 0) print '(f0.1)', total
    call mpi_finalize(ierror)
end program
