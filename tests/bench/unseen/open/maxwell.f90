! maxwell [N [STEPS]]: waves in a cavity of N^3 cells with conducting walls by Yee's scheme (1966): six
! fields on staggered points, the electric ones from the magnetic ones and back.
module fields
  use sample, only: real64
  implicit none
  real(real64), parameter :: courant = 0.5d0
contains
  subroutine update_magnetic(hx, hy, hz, ex, ey, ez, n)
    integer, intent(in) :: n
    real(real64), dimension(n + 1, n + 1, n + 1), intent(inout) :: hx, hy, hz
    real(real64), dimension(n + 1, n + 1, n + 1), intent(in) :: ex, ey, ez
    integer :: i, j, k
    do k = 1, n
      do j = 1, n
        do i = 1, n
          hx(i, j, k) = hx(i, j, k) + courant * (ey(i, j, k + 1) - ey(i, j, k) &
            - ez(i, j + 1, k) + ez(i, j, k))
          hy(i, j, k) = hy(i, j, k) + courant * (ez(i + 1, j, k) - ez(i, j, k) &
            - ex(i, j, k + 1) + ex(i, j, k))
          hz(i, j, k) = hz(i, j, k) + courant * (ex(i, j + 1, k) - ex(i, j, k) &
            - ey(i + 1, j, k) + ey(i, j, k))
        end do
      end do
    end do
  end subroutine update_magnetic

  subroutine update_electric(ex, ey, ez, hx, hy, hz, n)
    integer, intent(in) :: n
    real(real64), dimension(n + 1, n + 1, n + 1), intent(inout) :: ex, ey, ez
    real(real64), dimension(n + 1, n + 1, n + 1), intent(in) :: hx, hy, hz
    integer :: i, j, k
    do k = 2, n
      do j = 2, n
        do i = 1, n
          ex(i, j, k) = ex(i, j, k) + courant * (hz(i, j, k) - hz(i, j - 1, k) &
            - hy(i, j, k) + hy(i, j, k - 1))
        end do
      end do
      do j = 1, n
        do i = 2, n
          ey(i, j, k) = ey(i, j, k) + courant * (hx(i, j, k) - hx(i, j, k - 1) &
            - hz(i, j, k) + hz(i - 1, j, k))
        end do
      end do
    end do
    do k = 1, n
      do j = 2, n
        do i = 2, n
          ez(i, j, k) = ez(i, j, k) + courant * (hy(i, j, k) - hy(i - 1, j, k) &
            - hx(i, j, k) + hx(i, j - 1, k))
        end do
      end do
    end do
  end subroutine update_electric
end module fields

program maxwell
  use sample, only: number_at, real64
  use fields
  implicit none
  integer :: n, steps, s
  real(real64), allocatable, dimension(:, :, :) :: ex, ey, ez, hx, hy, hz
  n = number_at(1, 4, 32)
  steps = number_at(2, 1, 3)
  allocate (ex(n + 1, n + 1, n + 1), ey(n + 1, n + 1, n + 1), ez(n + 1, n + 1, n + 1))
  allocate (hx(n + 1, n + 1, n + 1), hy(n + 1, n + 1, n + 1), hz(n + 1, n + 1, n + 1))
  ex = 0
  ey = 0
  ez = 0
  hx = 0
  hy = 0
  hz = 0
  do s = 1, steps
    ez(n / 2, n / 2, n / 2) = sin(0.3d0 * s)
    call update_magnetic(hx, hy, hz, ex, ey, ez, n)
    call update_electric(ex, ey, ez, hx, hy, hz, n)
  end do
  write (*, '(a, es15.8)') 'maxwell: energy = ', sum(ez**2) + sum(hx**2)
end program maxwell
