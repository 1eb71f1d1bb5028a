! ssor [STEPS]: symmetric successive over-relaxation on N x N x N points with five unknowns each, in
! the manner of NAS LU: a lower sweep along the planes i + j + k = constant, on which no point needs
! another, then an upper sweep back, and the update.
!
! As in the NAS benchmarks N is fixed when the program is compiled (-DSSOR_SIZE=N), so that each
! size is a build of its own.
module ssor_solver
  use sample, only: real64
  implicit none
  integer, parameter :: n = SSOR_SIZE, unknowns = 5
  real(real64), parameter :: relaxation = 1.2d0, neighbour = 0.1d0
  real(real64) :: u(unknowns, n, n, n), rhs(unknowns, n, n, n)
contains
  subroutine right_hand_side()
    integer :: i, j, k
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          rhs(:, i, j, k) = 0.01d0 - 6.0d0 * u(:, i, j, k) &
            + u(:, i - 1, j, k) + u(:, i + 1, j, k) + u(:, i, j - 1, k) + u(:, i, j + 1, k) &
            + u(:, i, j, k - 1) + u(:, i, j, k + 1)
        end do
      end do
    end do
  end subroutine right_hand_side

  subroutine lower_sweep()
    integer :: i, j, k, plane
    do plane = 6, 3 * (n - 1)
      do k = max(2, plane - 2 * (n - 1)), min(n - 1, plane - 4)
        do j = max(2, plane - k - n + 1), min(n - 1, plane - k - 2)
          i = plane - j - k
          rhs(:, i, j, k) = relaxation * (rhs(:, i, j, k) + neighbour &
            * (rhs(:, i - 1, j, k) + rhs(:, i, j - 1, k) + rhs(:, i, j, k - 1)))
        end do
      end do
    end do
  end subroutine lower_sweep

  subroutine upper_sweep()
    integer :: i, j, k, plane
    do plane = 3 * (n - 1), 6, -1
      do k = min(n - 1, plane - 4), max(2, plane - 2 * (n - 1)), -1
        do j = min(n - 1, plane - k - 2), max(2, plane - k - n + 1), -1
          i = plane - j - k
          rhs(:, i, j, k) = rhs(:, i, j, k) + neighbour &
            * (rhs(:, i + 1, j, k) + rhs(:, i, j + 1, k) + rhs(:, i, j, k + 1))
        end do
      end do
    end do
  end subroutine upper_sweep

  subroutine update()
    integer :: i, j, k
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          u(:, i, j, k) = u(:, i, j, k) + 0.02d0 * rhs(:, i, j, k)
        end do
      end do
    end do
  end subroutine update
end module ssor_solver

program ssor
  use sample, only: number_at
  use ssor_solver
  implicit none
  integer :: steps, step
  steps = number_at(1, 1, 20)
  u = 1.0d0
  rhs = 0.0d0
  do step = 1, steps
    call right_hand_side()
    call lower_sweep()
    call upper_sweep()
    call update()
  end do
  write (*, '(a, i0, a, es13.6)') 'ssor of ', n, ' points a side: sum = ', sum(u)
end program ssor
