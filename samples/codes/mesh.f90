! mesh [N [STEPS]]: a mesh of N x N points that fits itself to its border, in the manner of SPEC
! Tomcatv (Thompson's equations): residuals from all eight neighbours, tridiagonal lines solved for
! x and y at once, and the correction.
module mesh_solver
  use sample, only: real64
  implicit none
contains
  subroutine residuals(x, y, rx, ry, a, d, largest, n)
    integer, intent(in) :: n
    real(real64), dimension(n, n), intent(in) :: x, y
    real(real64), dimension(n, n), intent(inout) :: rx, ry, a, d
    real(real64), intent(out) :: largest
    real(real64) :: xx, yx, xy, yy, alpha, beta, gamma
    integer :: i, j
    largest = 0
    do j = 2, n - 1
      do i = 2, n - 1
        xx = x(i + 1, j) - x(i - 1, j)
        yx = y(i + 1, j) - y(i - 1, j)
        xy = x(i, j + 1) - x(i, j - 1)
        yy = y(i, j + 1) - y(i, j - 1)
        alpha = 0.25d0 * (xy * xy + yy * yy)
        beta = 0.25d0 * (xx * xx + yx * yx)
        gamma = 0.125d0 * (xx * xy + yx * yy)
        a(i, j) = -beta
        d(i, j) = 2.0d0 * (alpha + beta)
        rx(i, j) = alpha * (x(i + 1, j) - 2.0d0 * x(i, j) + x(i - 1, j)) &
          + beta * (x(i, j + 1) - 2.0d0 * x(i, j) + x(i, j - 1)) &
          - gamma * (x(i + 1, j + 1) - x(i + 1, j - 1) - x(i - 1, j + 1) + x(i - 1, j - 1))
        ry(i, j) = alpha * (y(i + 1, j) - 2.0d0 * y(i, j) + y(i - 1, j)) &
          + beta * (y(i, j + 1) - 2.0d0 * y(i, j) + y(i, j - 1)) &
          - gamma * (y(i + 1, j + 1) - y(i + 1, j - 1) - y(i - 1, j + 1) + y(i - 1, j - 1))
        largest = max(largest, abs(rx(i, j)), abs(ry(i, j)))
      end do
    end do
  end subroutine residuals

  ! Lines across the columns, all at once: each step takes the column before it.
  subroutine solve(rx, ry, a, d, n)
    integer, intent(in) :: n
    real(real64), dimension(n, n), intent(inout) :: rx, ry, a, d
    real(real64) :: ratio
    integer :: i, j
    do j = 3, n - 1
      do i = 2, n - 1
        ratio = a(i, j) / d(i, j - 1)
        d(i, j) = d(i, j) - ratio * a(i, j - 1)
        rx(i, j) = rx(i, j) - ratio * rx(i, j - 1)
        ry(i, j) = ry(i, j) - ratio * ry(i, j - 1)
      end do
    end do
    do i = 2, n - 1
      rx(i, n - 1) = rx(i, n - 1) / d(i, n - 1)
      ry(i, n - 1) = ry(i, n - 1) / d(i, n - 1)
    end do
    do j = n - 2, 2, -1
      do i = 2, n - 1
        rx(i, j) = (rx(i, j) - a(i, j) * rx(i, j + 1)) / d(i, j)
        ry(i, j) = (ry(i, j) - a(i, j) * ry(i, j + 1)) / d(i, j)
      end do
    end do
  end subroutine solve

  subroutine correct(x, y, rx, ry, n)
    integer, intent(in) :: n
    real(real64), dimension(n, n), intent(inout) :: x, y
    real(real64), dimension(n, n), intent(in) :: rx, ry
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        x(i, j) = x(i, j) + rx(i, j)
        y(i, j) = y(i, j) + ry(i, j)
      end do
    end do
  end subroutine correct
end module mesh_solver

program mesh
  use sample, only: number_at, real64
  use mesh_solver
  implicit none
  integer :: n, steps, step, i, j
  real(real64) :: largest
  real(real64), allocatable, dimension(:, :) :: x, y, rx, ry, a, d
  n = number_at(1, 4, 256)
  steps = number_at(2, 1, 20)
  allocate (x(n, n), y(n, n), rx(n, n), ry(n, n), a(n, n), d(n, n))
  do j = 1, n
    do i = 1, n
      x(i, j) = real(i, real64) + 0.2d0 * sin(0.3d0 * j)
      y(i, j) = real(j, real64) + 0.2d0 * sin(0.3d0 * i)
    end do
  end do
  do step = 1, steps
    call residuals(x, y, rx, ry, a, d, largest, n)
    call solve(rx, ry, a, d, n)
    call correct(x, y, rx, ry, n)
  end do
  write (*, '(a, es13.6)') 'mesh: largest residual = ', largest
end program mesh
