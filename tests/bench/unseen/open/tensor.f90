! tensor [N]: contracts the last index of an N x N x N tensor with an N x N matrix, in place by
! a row of sums (doitgen of PolyBench), then contracts the first.
program tensor
    implicit none
    integer :: n, p, q, r, s
    character(len=32) :: word
    double precision, allocatable :: a(:, :, :), c(:, :), row(:)
    n = 24
    if (command_argument_count() >= 1) then
        call get_command_argument(1, word)
        read (word, *) n
    end if
    allocate (a(n, n, n), c(n, n), row(n))
    do r = 1, n
        do q = 1, n
            do p = 1, n
                a(p, q, r) = dble(mod(p*q + r, n))/n
            end do
            c(q, r) = dble(mod(q*r, n))/n
        end do
    end do
    do q = 1, n
        do p = 1, n
            do s = 1, n
                row(s) = 0
                do r = 1, n
                    row(s) = row(s) + a(p, q, r)*c(r, s)
                end do
            end do
            a(p, q, :) = row
        end do
    end do
    do r = 1, n
        do q = 1, n
            row = 0
            do s = 1, n
                do p = 1, n
                    row(s) = row(s) + a(p, q, r)*c(p, s)
                end do
            end do
            a(:, q, r) = row
        end do
    end do
    print '(a,es12.4)', 'tensor: ', a(n, n, n)
    deallocate (a, c, row)
end program
