! columns [N [STEPS]]: diffusion on N x N points by a five-point stencil whose loops are nested as
! they would be in C: the inner one goes from column to column.
module diffusion
  use sample, only: real64
  implicit none
contains
  subroutine initialise(u, k, n)
    integer, intent(in) :: n
    real(real64), dimension(n, n), intent(out) :: u, k
    integer :: i, j
    do j = 1, n
      do i = 1, n
        u(i, j) = modulo(3 * i + 5 * j, 11)
        k(i, j) = 0.1d0 + 0.01d0 * modulo(i + j, 4)
      end do
    end do
  end subroutine initialise

  subroutine step(new, u, k, n)
    integer, intent(in) :: n
    real(real64), dimension(n, n), intent(inout) :: new
    real(real64), dimension(n, n), intent(in) :: u, k
    integer :: i, j
    do i = 2, n - 1
      do j = 2, n - 1
        new(i, j) = u(i, j) + k(i, j) * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) &
          - 4.0d0 * u(i, j))
      end do
    end do
  end subroutine step

  ! Nothing flows across the border.
  subroutine close_border(u, n)
    integer, intent(in) :: n
    real(real64), dimension(n, n), intent(inout) :: u
    integer :: i
    do i = 1, n
      u(i, 1) = u(i, 2)
      u(i, n) = u(i, n - 1)
    end do
    do i = 1, n
      u(1, i) = u(2, i)
      u(n, i) = u(n - 1, i)
    end do
  end subroutine close_border

  real(real64) function heat(u, n)
    integer, intent(in) :: n
    real(real64), dimension(n, n), intent(in) :: u
    integer :: i, j
    heat = 0
    do j = 1, n
      do i = 1, n
        heat = heat + u(i, j)
      end do
    end do
  end function heat
end module diffusion

program columns
  use sample, only: number_at, real64
  use diffusion
  implicit none
  integer :: n, steps, s
  real(real64), allocatable, dimension(:, :) :: u, new, k
  n = number_at(1, 3, 256)
  steps = number_at(2, 1, 4)
  allocate (u(n, n), new(n, n), k(n, n))
  call initialise(u, k, n)
  new = u
  do s = 1, steps, 2
    call step(new, u, k, n)
    call close_border(new, n)
    call step(u, new, k, n)
    call close_border(u, n)
  end do
  write (*, '(a, es15.8)') 'columns: heat = ', heat(u, n)
end program columns
