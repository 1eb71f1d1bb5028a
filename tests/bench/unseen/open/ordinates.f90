! ordinates [N [SWEEPS]]: neutrons in N^3 cells by discrete ordinates: for each octant and each of its
! three directions a sweep along the flight with diamond differences, from corner to corner, and the
! source that the scattered ones make.
module transport
  use sample, only: real64
  implicit none
  integer, parameter :: directions = 3
  real(real64), parameter :: cosine(directions) = [0.35d0, 0.35d0, 0.87d0]
contains
  subroutine sweep(flux, source, total, n, sx, sy, sz, d)
    integer, intent(in) :: n, sx, sy, sz, d
    real(real64), dimension(n, n, n), intent(inout) :: flux
    real(real64), dimension(n, n, n), intent(in) :: source, total
    real(real64) :: into_x, into_y(n), into_z(n, n), mean, mu, eta, xi
    integer :: i, j, k
    mu = 2 * cosine(d)
    eta = 2 * cosine(1 + modulo(d, directions))
    xi = 2 * cosine(1 + modulo(d + 1, directions))
    into_z = 0
    do k = merge(1, n, sz > 0), merge(n, 1, sz > 0), sz
      into_y = 0
      do j = merge(1, n, sy > 0), merge(n, 1, sy > 0), sy
        into_x = 0
        do i = merge(1, n, sx > 0), merge(n, 1, sx > 0), sx
          mean = (source(i, j, k) + mu * into_x + eta * into_y(i) + xi * into_z(i, j)) &
            / (total(i, j, k) + mu + eta + xi)
          into_x = 2 * mean - into_x
          into_y(i) = 2 * mean - into_y(i)
          into_z(i, j) = 2 * mean - into_z(i, j)
          flux(i, j, k) = flux(i, j, k) + mean / (8 * directions)
        end do
      end do
    end do
  end subroutine sweep
end module transport

program ordinates
  use sample, only: number_at, real64
  use transport
  implicit none
  integer :: n, sweeps, s, d, octant, i, j, k
  real(real64), allocatable, dimension(:, :, :) :: flux, source, total
  n = number_at(1, 2, 32)
  sweeps = number_at(2, 1, 1)
  allocate (flux(n, n, n), source(n, n, n), total(n, n, n))
  do k = 1, n
    do j = 1, n
      do i = 1, n
        total(i, j, k) = merge(2d0, 0.5d0, i + j + k < n)
        source(i, j, k) = merge(1d0, 0d0, max(i, j, k) <= n / 4 + 1)
      end do
    end do
  end do
  do s = 1, sweeps
    flux = 0
    do octant = 0, 7
      do d = 1, directions
        call sweep(flux, source, total, n, 1 - 2 * ibits(octant, 0, 1), &
          1 - 2 * ibits(octant, 1, 1), 1 - 2 * ibits(octant, 2, 1), d)
      end do
    end do
    source = source + 0.2d0 * flux
  end do
  write (*, '(a, es15.8)') 'ordinates: sum = ', sum(flux)
end program ordinates
