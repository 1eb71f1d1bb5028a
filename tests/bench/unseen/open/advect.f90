! advect [N [STEPS]]: three tracers carried by a wind over N x N points of a channel, by upwind
! differences: an array has a tracer's points from west to east in a column, but sweeps go from south
! to north, across the columns, as the boundary's data come in.
module transport
  use sample, only: real64
  implicit none
  integer, parameter :: tracers = 3
contains
  subroutine blow(wind, n)
    integer, intent(in) :: n
    real(real64), intent(out) :: wind(n, n)
    integer :: i, j
    do i = 1, n
      do j = 1, n
        wind(i, j) = 0.3d0 + 0.1d0 * sin(0.1d0 * i) * cos(0.2d0 * j)
      end do
    end do
  end subroutine blow

  ! From the south border on, each line of points from its southern neighbour; the mean of what
  ! leaves at the north comes back.
  subroutine carry(c, wind, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: c(n, n, tracers)
    real(real64), intent(in) :: wind(n, n)
    real(real64) :: flux_in, flux_out
    integer :: i, j, t
    do t = 1, tracers
      do i = 1, n
        flux_in = wind(i, n) * c(i, n, t)
        do j = 1, n
          flux_out = wind(i, j) * c(i, j, t)
          c(i, j, t) = c(i, j, t) + flux_in - flux_out
          flux_in = flux_out
        end do
      end do
    end do
  end subroutine carry

  ! The first two make the third, point by point.
  subroutine react(c, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: c(n, n, tracers)
    real(real64) :: made
    integer :: i, j
    do i = 1, n
      do j = 1, n
        made = 0.01d0 * c(i, j, 1) * c(i, j, 2)
        c(i, j, 1) = c(i, j, 1) - made
        c(i, j, 2) = c(i, j, 2) - made
        c(i, j, 3) = c(i, j, 3) + made
      end do
    end do
  end subroutine react
end module transport

program advect
  use sample, only: number_at, real64
  use transport
  implicit none
  integer :: n, steps, s, i, j
  real(real64), allocatable :: c(:, :, :), wind(:, :)
  n = number_at(1, 2, 256)
  steps = number_at(2, 1, 3)
  allocate (c(n, n, tracers), wind(n, n))
  call blow(wind, n)
  do j = 1, n
    do i = 1, n
      c(i, j, 1) = modulo(i, 9)
      c(i, j, 2) = modulo(j, 7)
      c(i, j, 3) = 0
    end do
  end do
  do s = 1, steps
    call carry(c, wind, n)
    call react(c, n)
  end do
  write (*, '(a, es15.8)') 'advect: third tracer = ', sum(c(:, :, 3))
end program advect
