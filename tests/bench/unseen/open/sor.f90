! sor [N [SWEEPS]]: the potential in a box of N^3 points with charges, by successive over-relaxation
! in red-black order.
module potential
  use sample, only: real64
  implicit none
contains
  subroutine sweep(u, charge, n, colour, omega)
    integer, intent(in) :: n, colour
    real(real64), dimension(n, n, n), intent(inout) :: u
    real(real64), dimension(n, n, n), intent(in) :: charge
    real(real64), intent(in) :: omega
    real(real64) :: change
    integer :: i, j, k
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2 + modulo(j + k + colour, 2), n - 1, 2
          change = (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) &
            + u(i, j, k - 1) + u(i, j, k + 1) + charge(i, j, k)) / 6.0d0 - u(i, j, k)
          u(i, j, k) = u(i, j, k) + omega * change
        end do
      end do
    end do
  end subroutine sweep

  real(real64) function residual(u, charge, n)
    integer, intent(in) :: n
    real(real64), dimension(n, n, n), intent(in) :: u, charge
    integer :: i, j, k
    residual = 0
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          residual = max(residual, abs(u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) &
            + u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1) - 6.0d0 * u(i, j, k) &
            + charge(i, j, k)))
        end do
      end do
    end do
  end function residual
end module potential

program sor
  use sample, only: number_at, real64
  use potential
  implicit none
  integer :: n, sweeps, s
  real(real64), allocatable, dimension(:, :, :) :: u, charge
  n = number_at(1, 3, 64)
  sweeps = number_at(2, 1, 3)
  allocate (u(n, n, n), charge(n, n, n))
  u = 0
  charge = 0
  charge(n / 2, n / 2, n / 2) = 1
  charge(n / 3 + 1, n / 2, n / 2) = -1
  do s = 1, sweeps
    call sweep(u, charge, n, 0, 1.5d0)
    call sweep(u, charge, n, 1, 1.5d0)
  end do
  write (*, '(a, es15.8)') 'sor: residual = ', residual(u, charge, n)
end program sor
