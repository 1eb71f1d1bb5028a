! vcycle [N [CYCLES]]: a boundary value problem on N^2 cells, N a power of two, by multigrid with
! values at cell centres: damped Jacobi before and after the coarser grid, means of four cells down,
! their correction to all four up. All grids lie in one array, one behind the other.
module cells
  use sample, only: real64
  implicit none
contains
  ! u has a frame of ghost cells, which is opposite to the border's neighbours: zero between them.
  subroutine close_frame(u, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: u(0:n + 1, 0:n + 1)
    u(0, :) = -u(1, :)
    u(n + 1, :) = -u(n, :)
    u(:, 0) = -u(:, 1)
    u(:, n + 1) = -u(:, n)
  end subroutine close_frame

  subroutine find_residual(r, u, f, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: r(0:n + 1, 0:n + 1)
    real(real64), intent(in), dimension(0:n + 1, 0:n + 1) :: u, f
    integer :: i, j
    do j = 1, n
      do i = 1, n
        r(i, j) = f(i, j) - (4.0d0 * u(i, j) - u(i - 1, j) - u(i + 1, j) - u(i, j - 1) &
          - u(i, j + 1)) * real(n, real64)**2
      end do
    end do
  end subroutine find_residual

  subroutine smooth(r, u, f, n, sweeps)
    integer, intent(in) :: n, sweeps
    real(real64), intent(inout), dimension(0:n + 1, 0:n + 1) :: r, u
    real(real64), intent(in) :: f(0:n + 1, 0:n + 1)
    integer :: s, i, j
    do s = 1, sweeps
      call close_frame(u, n)
      call find_residual(r, u, f, n)
      do j = 1, n
        do i = 1, n
          u(i, j) = u(i, j) + 0.2d0 * r(i, j) / real(n, real64)**2
        end do
      end do
    end do
  end subroutine smooth

  subroutine descend(r, f, u, n)
    integer, intent(in) :: n
    real(real64), intent(in) :: r(0:2 * n + 1, 0:2 * n + 1)
    real(real64), intent(inout), dimension(0:n + 1, 0:n + 1) :: f, u
    integer :: i, j
    do j = 1, n
      do i = 1, n
        f(i, j) = 0.25d0 * (r(2 * i - 1, 2 * j - 1) + r(2 * i, 2 * j - 1) + r(2 * i - 1, 2 * j) &
          + r(2 * i, 2 * j))
        u(i, j) = 0
      end do
    end do
  end subroutine descend

  subroutine ascend(u, coarse, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: u(0:2 * n + 1, 0:2 * n + 1)
    real(real64), intent(in) :: coarse(0:n + 1, 0:n + 1)
    integer :: i, j
    do j = 1, 2 * n
      do i = 1, 2 * n
        u(i, j) = u(i, j) + coarse((i + 1) / 2, (j + 1) / 2)
      end do
    end do
  end subroutine ascend

  recursive subroutine cycle_from(u, f, r, n, at)
    integer, intent(in) :: n, at
    real(real64), intent(inout), dimension(*) :: u, f, r
    integer :: below
    below = at + (n + 2)**2
    if (n == 2) then
      call smooth(r(at), u(at), f(at), n, 20)
      return
    end if
    call smooth(r(at), u(at), f(at), n, 2)
    call close_frame(u(at), n)
    call find_residual(r(at), u(at), f(at), n)
    call descend(r(at), f(below), u(below), n / 2)
    call cycle_from(u, f, r, n / 2, below)
    call ascend(u(at), u(below), n / 2)
    call smooth(r(at), u(at), f(at), n, 2)
  end subroutine cycle_from
end module cells

program vcycle
  use sample, only: number_at, real64
  use cells
  implicit none
  integer :: n, cycles, c, i, j, side, total
  real(real64), allocatable, dimension(:) :: u, f, r
  n = number_at(1, 2, 128)
  cycles = number_at(2, 1, 2)
  if (iand(n, n - 1) /= 0) then
    write (0, '(a, i0, a)') 'vcycle: ', n, ' cells per side: a power of two is needed'
    stop 2
  end if
  total = 0
  side = n
  do while (side >= 2)
    total = total + (side + 2)**2
    side = side / 2
  end do
  allocate (u(total), f(total), r(total))
  u = 0
  f = 0
  r = 0
  do j = 1, n
    do i = 1, n
      f(1 + i + j * (n + 2)) = modulo(3 * i + 7 * j, 11) - 5.0d0
    end do
  end do
  do c = 1, cycles
    call cycle_from(u, f, r, n, 1)
  end do
  write (*, '(a, es15.8)') 'vcycle: norm of the last residual = ', sqrt(sum(r(1:(n + 2)**2)**2))
end program vcycle
