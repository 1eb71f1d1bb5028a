! Shallow water on a staggered grid, allocatable arrays; one of its loops runs along rows (strided).
program shallow
  implicit none
  integer :: n, reps, i, j, r
  character(len=32) :: word
  real(8), allocatable :: h(:,:), u(:,:), v(:,:), hn(:,:), un(:,:), vn(:,:), zonal(:)
  real(8), parameter :: g = 9.81d0, dt = 1d-3, dx = 1d0
  n = 32
  reps = 3
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) n
  end if
  if (command_argument_count() > 1) then
    call get_command_argument(2, word)
    read (word, *) reps
  end if
  allocate (h(n, n), u(n + 1, n), v(n, n + 1), hn(n, n), un(n + 1, n), vn(n, n + 1), zonal(n))
  u = 0
  v = 0
  un = 0
  vn = 0
  do j = 1, n
    do i = 1, n
      h(i, j) = 10 + exp(-((i - n / 2d0)**2 + (j - n / 2d0)**2) / n)
    end do
  end do
  do r = 1, reps
    do j = 1, n
      do i = 2, n
        un(i, j) = u(i, j) - g * dt / dx * (h(i, j) - h(i - 1, j))
      end do
    end do
    do j = 2, n
      do i = 1, n
        vn(i, j) = v(i, j) - g * dt / dx * (h(i, j) - h(i, j - 1))
      end do
    end do
    do j = 1, n
      do i = 1, n
        hn(i, j) = h(i, j) - dt / dx * h(i, j) * (un(i + 1, j) - un(i, j) + vn(i, j + 1) - vn(i, j))
      end do
    end do
    do i = 1, n
      zonal(i) = 0
      do j = 1, n
        zonal(i) = zonal(i) + hn(i, j)
      end do
    end do
    h = hn
    u = un
    v = vn
  end do
  print '(g0)', sum(zonal) / n
end program
