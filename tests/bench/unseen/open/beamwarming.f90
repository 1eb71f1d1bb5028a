! beamwarming [N [STEPS]]: five coupled unknowns in N^3 points by alternating directions, as the
! benchmark SP of NAS: a right side by central differences, then pentadiagonal lines in x, y and z,
! whose coefficients are made line by line.
module lines
  use sample, only: real64
  implicit none
  integer, parameter :: unknowns = 5
contains
  subroutine right_side(r, u, n)
    integer, intent(in) :: n
    real(real64), dimension(unknowns, n, n, n), intent(out) :: r
    real(real64), dimension(unknowns, n, n, n), intent(in) :: u
    integer :: i, j, k, m
    r = 0
    do k = 3, n - 2
      do j = 3, n - 2
        do i = 3, n - 2
          do m = 1, unknowns
            r(m, i, j, k) = 0.1d0 * (u(m, i + 1, j, k) + u(m, i - 1, j, k) + u(m, i, j + 1, k) &
              + u(m, i, j - 1, k) + u(m, i, j, k + 1) + u(m, i, j, k - 1) - 6 * u(m, i, j, k)) &
              - 0.01d0 * (u(m, i + 2, j, k) + u(m, i - 2, j, k) + u(m, i, j + 2, k) &
              + u(m, i, j - 2, k) + u(m, i, j, k + 2) + u(m, i, j, k - 2) - 6 * u(m, i, j, k))
          end do
        end do
      end do
    end do
  end subroutine right_side

  subroutine coefficients(l, n)
    integer, intent(in) :: n
    real(real64), dimension(5, n), intent(out) :: l
    integer :: i
    do i = 1, n
      l(:, i) = [0.01d0, -0.2d0, 1.6d0, -0.2d0, 0.01d0]
    end do
  end subroutine coefficients

  subroutine eliminate(l, here, next, after, i, n)
    integer, intent(in) :: i, n
    real(real64), dimension(5, n), intent(inout) :: l
    real(real64), dimension(unknowns), intent(inout) :: here, next, after
    real(real64) :: f
    f = 1 / l(3, i)
    l(4:5, i) = f * l(4:5, i)
    here = f * here
    l(3:4, i + 1) = l(3:4, i + 1) - l(2, i + 1) * l(4:5, i)
    next = next - l(2, i + 1) * here
    l(2:3, i + 2) = l(2:3, i + 2) - l(1, i + 2) * l(4:5, i)
    after = after - l(1, i + 2) * here
  end subroutine eliminate

  subroutine solve_x(r, l, n)
    integer, intent(in) :: n
    real(real64), dimension(unknowns, n, n, n), intent(inout) :: r
    real(real64), dimension(5, n), intent(inout) :: l
    integer :: i, j, k
    do k = 3, n - 2
      do j = 3, n - 2
        call coefficients(l, n)
        do i = 1, n - 2
          call eliminate(l, r(:, i, j, k), r(:, i + 1, j, k), r(:, i + 2, j, k), i, n)
        end do
        do i = n - 2, 1, -1
          r(:, i, j, k) = r(:, i, j, k) - l(4, i) * r(:, i + 1, j, k) - l(5, i) * r(:, i + 2, j, k)
        end do
      end do
    end do
  end subroutine solve_x

  subroutine solve_y(r, l, n)
    integer, intent(in) :: n
    real(real64), dimension(unknowns, n, n, n), intent(inout) :: r
    real(real64), dimension(5, n), intent(inout) :: l
    integer :: i, j, k
    do k = 3, n - 2
      do i = 3, n - 2
        call coefficients(l, n)
        do j = 1, n - 2
          call eliminate(l, r(:, i, j, k), r(:, i, j + 1, k), r(:, i, j + 2, k), j, n)
        end do
        do j = n - 2, 1, -1
          r(:, i, j, k) = r(:, i, j, k) - l(4, j) * r(:, i, j + 1, k) - l(5, j) * r(:, i, j + 2, k)
        end do
      end do
    end do
  end subroutine solve_y

  subroutine solve_z(r, l, n)
    integer, intent(in) :: n
    real(real64), dimension(unknowns, n, n, n), intent(inout) :: r
    real(real64), dimension(5, n), intent(inout) :: l
    integer :: i, j, k
    do j = 3, n - 2
      do i = 3, n - 2
        call coefficients(l, n)
        do k = 1, n - 2
          call eliminate(l, r(:, i, j, k), r(:, i, j, k + 1), r(:, i, j, k + 2), k, n)
        end do
        do k = n - 2, 1, -1
          r(:, i, j, k) = r(:, i, j, k) - l(4, k) * r(:, i, j, k + 1) - l(5, k) * r(:, i, j, k + 2)
        end do
      end do
    end do
  end subroutine solve_z
end module lines

program beamwarming
  use sample, only: number_at, real64
  use lines
  implicit none
  integer :: n, steps, s, i, j, k, m
  real(real64), allocatable :: u(:, :, :, :), r(:, :, :, :), l(:, :)
  n = number_at(1, 6, 24)
  steps = number_at(2, 1, 2)
  allocate (u(unknowns, n, n, n), r(unknowns, n, n, n), l(5, n))
  do k = 1, n
    do j = 1, n
      do i = 1, n
        do m = 1, unknowns
          u(m, i, j, k) = modulo(m * i + 3 * j + 7 * k, 11)
        end do
      end do
    end do
  end do
  do s = 1, steps
    call right_side(r, u, n)
    call solve_x(r, l, n)
    call solve_y(r, l, n)
    call solve_z(r, l, n)
    u = u + r
  end do
  write (*, '(a, es15.8)') 'beamwarming: sum = ', sum(u)
end program beamwarming
