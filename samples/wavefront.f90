! wavefront [N [STEPS]]: a sweep from one corner of N x N x N points to the other; each point needs
! its three neighbours before it, as in Sweep3D.
!
! Accesses of the kernel: (4 (N-1) + 1) (N-1)^2 * STEPS: a point loads its source and the neighbours
! of the lines before, and is stored; the neighbour before it on the line stays in a register and is
! loaded once per line.
module wavefront_kernel
  use sample, only: real64
  implicit none
contains
  subroutine sweep(flux, source, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: flux(n, n, n)
    real(real64), intent(in) :: source(n, n, n)
    real(real64) :: before
    integer :: i, j, k
    do k = 2, n        ! loop: wavefront_k
      do j = 2, n      ! loop: wavefront_j
        before = flux(1, j, k)
        do i = 2, n    ! loop: wavefront_i
          before = source(i, j, k) + 0.3d0 * (before + flux(i, j - 1, k) + flux(i, j, k - 1))
          flux(i, j, k) = before
        end do
      end do
    end do
  end subroutine sweep
end module wavefront_kernel

program wavefront
  use sample, only: number_at, real64
  use wavefront_kernel
  implicit none
  integer :: n, steps, step
  real(real64), allocatable :: flux(:, :, :), source(:, :, :)
  n = number_at(1, 2, 64)
  steps = number_at(2, 1, 5000)
  allocate (flux(n, n, n), source(n, n, n))
  flux = 1.0d0
  source = 0.1d0
  do step = 1, steps
    call sweep(flux, source, n)
  end do
  write (*, '(a, es13.6)') 'wavefront: sum = ', sum(flux)
end program wavefront
