! trsm [N]: B = L^-1 B by columns with a lower triangle of order N, then C = C + B B^T, lower half,
! as the reference BLAS has them (dtrsm, dsyrk).
program trsm
    implicit none
    integer :: n, i, j, k
    character(len=32) :: word
    double precision, allocatable :: l(:, :), b(:, :), c(:, :)
    double precision :: t
    n = 200
    if (command_argument_count() >= 1) then
        call get_command_argument(1, word)
        read (word, *) n
    end if
    allocate (l(n, n), b(n, n), c(n, n))
    do j = 1, n
        do i = 1, n
            l(i, j) = 1d0/dble(i + j)
            b(i, j) = dble(mod(i*j, 7))
            c(i, j) = 0
        end do
        l(j, j) = 2
    end do
    do j = 1, n
        do k = 1, n
            if (b(k, j) /= 0d0) then
                b(k, j) = b(k, j)/l(k, k)
                do i = k + 1, n
                    b(i, j) = b(i, j) - b(k, j)*l(i, k)
                end do
            end if
        end do
    end do
    do j = 1, n
        do k = 1, n
            t = b(j, k)
            do i = j, n
                c(i, j) = c(i, j) + t*b(i, k)
            end do
        end do
    end do
    print '(a,es12.4)', 'trsm: ', c(n, n)
    deallocate (l, b, c)
end program
