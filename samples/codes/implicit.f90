! implicit [N [STEPS]]: an implicit solver on N x N x N points with five unknowns each, in the
! manner of NAS BT and SP: a right-hand side from the neighbours in all three directions, then lines
! of unknowns that depend on each other, solved along x, along y and along z, and the update.
!
! BT and SP solve block and pentadiagonal lines; here they are tridiagonal, the same for all five
! unknowns: what memory sees of the three directions is the same.
module implicit_solver
  use sample, only: real64
  implicit none
  integer, parameter :: unknowns = 5
  real(real64), parameter :: coupling = 0.2d0
contains
  subroutine right_hand_side(rhs, u, forcing, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: rhs(unknowns, n, n, n)
    real(real64), intent(in) :: u(unknowns, n, n, n), forcing(unknowns, n, n, n)
    integer :: i, j, k, m
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          do m = 1, unknowns
            rhs(m, i, j, k) = forcing(m, i, j, k) - 6.0d0 * u(m, i, j, k) &
              + u(m, i - 1, j, k) + u(m, i + 1, j, k) + u(m, i, j - 1, k) + u(m, i, j + 1, k) &
              + u(m, i, j, k - 1) + u(m, i, j, k + 1)
          end do
        end do
      end do
    end do
  end subroutine right_hand_side

  ! Lines along x: forward elimination with the coefficients in `upper`, then back substitution.
  subroutine solve_x(rhs, upper, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: rhs(unknowns, n, n, n), upper(n)
    real(real64) :: pivot
    integer :: i, j, k
    do k = 2, n - 1
      do j = 2, n - 1
        upper(1) = 0
        do i = 2, n - 1
          pivot = 1.0d0 / (1.0d0 + 2.0d0 * coupling - coupling * upper(i - 1))
          upper(i) = coupling * pivot
          rhs(:, i, j, k) = (rhs(:, i, j, k) + coupling * rhs(:, i - 1, j, k)) * pivot
        end do
        do i = n - 2, 2, -1
          rhs(:, i, j, k) = rhs(:, i, j, k) + upper(i) * rhs(:, i + 1, j, k)
        end do
      end do
    end do
  end subroutine solve_x

  ! Lines along y, all of a plane at once: the inner loop runs along x, as in SP.
  subroutine solve_y(rhs, upper, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: rhs(unknowns, n, n, n), upper(n)
    real(real64) :: pivot
    integer :: i, j, k
    do k = 2, n - 1
      upper(1) = 0
      do j = 2, n - 1
        pivot = 1.0d0 / (1.0d0 + 2.0d0 * coupling - coupling * upper(j - 1))
        upper(j) = coupling * pivot
        do i = 2, n - 1
          rhs(:, i, j, k) = (rhs(:, i, j, k) + coupling * rhs(:, i, j - 1, k)) * pivot
        end do
      end do
      do j = n - 2, 2, -1
        do i = 2, n - 1
          rhs(:, i, j, k) = rhs(:, i, j, k) + upper(j) * rhs(:, i, j + 1, k)
        end do
      end do
    end do
  end subroutine solve_y

  ! Lines along z, one at a time: each step is a plane away from the last, as in BT.
  subroutine solve_z(rhs, upper, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: rhs(unknowns, n, n, n), upper(n)
    real(real64) :: pivot
    integer :: i, j, k
    do j = 2, n - 1
      do i = 2, n - 1
        upper(1) = 0
        do k = 2, n - 1
          pivot = 1.0d0 / (1.0d0 + 2.0d0 * coupling - coupling * upper(k - 1))
          upper(k) = coupling * pivot
          rhs(:, i, j, k) = (rhs(:, i, j, k) + coupling * rhs(:, i, j, k - 1)) * pivot
        end do
        do k = n - 2, 2, -1
          rhs(:, i, j, k) = rhs(:, i, j, k) + upper(k) * rhs(:, i, j, k + 1)
        end do
      end do
    end do
  end subroutine solve_z

  subroutine update(u, rhs, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: u(unknowns, n, n, n)
    real(real64), intent(in) :: rhs(unknowns, n, n, n)
    integer :: i, j, k
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          u(:, i, j, k) = u(:, i, j, k) + 0.1d0 * rhs(:, i, j, k)
        end do
      end do
    end do
  end subroutine update
end module implicit_solver

program implicit
  use sample, only: number_at, real64
  use implicit_solver
  implicit none
  integer :: n, steps, step
  real(real64), allocatable :: u(:, :, :, :), rhs(:, :, :, :), forcing(:, :, :, :), upper(:)
  n = number_at(1, 4, 64)
  steps = number_at(2, 1, 20)
  allocate (u(unknowns, n, n, n), rhs(unknowns, n, n, n), forcing(unknowns, n, n, n), upper(n))
  u = 1.0d0
  rhs = 0.0d0
  forcing = 0.01d0
  do step = 1, steps
    call right_hand_side(rhs, u, forcing, n)
    call solve_x(rhs, upper, n)
    call solve_y(rhs, upper, n)
    call solve_z(rhs, upper, n)
    call update(u, rhs, n)
  end do
  write (*, '(a, es13.6)') 'implicit: sum = ', sum(u)
end program implicit
