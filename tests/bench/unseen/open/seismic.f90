! seismic [N [STEPS]]: waves in a medium of N x N x N / 2 points, of eighth order in space: a star
! of 25 points between two arrays, which change places, and a velocity of its own for each point.
module waves
  use sample, only: real64
  implicit none
  integer, parameter :: reach = 4
  real(real64), parameter :: weight(0:reach) = [-2.847d0, 1.6d0, -0.2d0, 0.0254d0, -0.00179d0]
contains
  subroutine advance(next, now, speed, nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    real(real64), intent(inout) :: next(nx, ny, nz)
    real(real64), intent(in) :: now(nx, ny, nz), speed(nx, ny, nz)
    real(real64) :: sum
    integer :: i, j, k, r
    do k = reach + 1, nz - reach
      do j = reach + 1, ny - reach
        do i = reach + 1, nx - reach
          sum = 3 * weight(0) * now(i, j, k)
          do r = 1, reach
            sum = sum + weight(r) * (now(i - r, j, k) + now(i + r, j, k) + now(i, j - r, k) &
              + now(i, j + r, k) + now(i, j, k - r) + now(i, j, k + r))
          end do
          next(i, j, k) = 2 * now(i, j, k) - next(i, j, k) + speed(i, j, k) * sum
        end do
      end do
    end do
  end subroutine advance
end module waves

program seismic
  use sample, only: number_at, real64
  use waves
  implicit none
  integer :: n, steps, s, i, j, k
  real(real64), allocatable, dimension(:, :, :) :: a, b, speed
  n = number_at(1, 20, 32)
  steps = number_at(2, 1, 2)
  allocate (a(n, n, n / 2), b(n, n, n / 2), speed(n, n, n / 2))
  do k = 1, n / 2
    do j = 1, n
      do i = 1, n
        a(i, j, k) = 0
        b(i, j, k) = 0
        speed(i, j, k) = 0.01d0 + 0.001d0 * modulo(i + j * k, 7)
      end do
    end do
  end do
  a(n / 2, n / 2, n / 4) = 1
  do s = 1, steps
    call advance(b, a, speed, n, n, n / 2)
    call advance(a, b, speed, n, n, n / 2)
  end do
  write (*, '(a, es15.8)') 'seismic: energy = ', sum(a**2)
end program seismic
