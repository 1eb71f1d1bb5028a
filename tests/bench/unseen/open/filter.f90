! filter [N [STEPS]]: a volume of (N + 1)^3 points, N even so that each plane is odd, smoothed by a
! stencil of 27 points between two arrays, and sharpened by what was lost.
module smoothing
  use sample, only: real64
  implicit none
contains
  subroutine smooth(to, from, m)
    integer, intent(in) :: m
    real(real64), dimension(m, m, m), intent(inout) :: to
    real(real64), dimension(m, m, m), intent(in) :: from
    real(real64) :: faces, edges, corners
    integer :: i, j, k
    do k = 2, m - 1
      do j = 2, m - 1
        do i = 2, m - 1
          faces = from(i - 1, j, k) + from(i + 1, j, k) + from(i, j - 1, k) + from(i, j + 1, k) &
            + from(i, j, k - 1) + from(i, j, k + 1)
          edges = from(i - 1, j - 1, k) + from(i + 1, j - 1, k) + from(i - 1, j + 1, k) &
            + from(i + 1, j + 1, k) + from(i - 1, j, k - 1) + from(i + 1, j, k - 1) &
            + from(i - 1, j, k + 1) + from(i + 1, j, k + 1) + from(i, j - 1, k - 1) &
            + from(i, j + 1, k - 1) + from(i, j - 1, k + 1) + from(i, j + 1, k + 1)
          corners = from(i - 1, j - 1, k - 1) + from(i + 1, j - 1, k - 1) &
            + from(i - 1, j + 1, k - 1) + from(i + 1, j + 1, k - 1) &
            + from(i - 1, j - 1, k + 1) + from(i + 1, j - 1, k + 1) &
            + from(i - 1, j + 1, k + 1) + from(i + 1, j + 1, k + 1)
          to(i, j, k) = 0.125d0 * from(i, j, k) + 0.0625d0 * faces + 0.03125d0 * edges &
            + 0.015625d0 * corners
        end do
      end do
    end do
  end subroutine smooth

  subroutine sharpen(a, smoothed, m)
    integer, intent(in) :: m
    real(real64), dimension(m, m, m), intent(inout) :: a
    real(real64), dimension(m, m, m), intent(in) :: smoothed
    integer :: i, j, k
    do k = 2, m - 1
      do j = 2, m - 1
        do i = 2, m - 1
          a(i, j, k) = smoothed(i, j, k) + 0.3d0 * (a(i, j, k) - smoothed(i, j, k))
        end do
      end do
    end do
  end subroutine sharpen
end module smoothing

program filter
  use sample, only: number_at, real64
  use smoothing
  implicit none
  integer :: n, m, steps, s, i, j, k
  real(real64), allocatable, dimension(:, :, :) :: a, smoothed
  n = number_at(1, 2, 48)
  steps = number_at(2, 1, 2)
  m = n + 1
  allocate (a(m, m, m), smoothed(m, m, m))
  do k = 1, m
    do j = 1, m
      do i = 1, m
        a(i, j, k) = modulo(i * j + 3 * k, 17)
        smoothed(i, j, k) = 0
      end do
    end do
  end do
  do s = 1, steps
    call smooth(smoothed, a, m)
    call sharpen(a, smoothed, m)
  end do
  write (*, '(a, es15.8)') 'filter: sum = ', sum(a)
end program filter
