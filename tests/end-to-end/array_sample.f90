! Loops over arrays that come with descriptors: assumed shape with any stride, allocatable, pointers
! to sections, whole-array statements, a procedure inside another, and a parallel region. The test
! `languages` has the marked loops by name.
module array_kernels
  implicit none
  private
  public :: scale, add_columns

contains

  subroutine scale(values, factor)
    real(8), intent(inout) :: values(:, :)
    real(8), intent(in) :: factor
    integer :: i, j
    do j = 1, size(values, 2) ! loop: scale_j
      do i = 1, size(values, 1) ! loop: scale_i
        values(i, j) = factor * values(i, j)
      end do
    end do
  end subroutine scale

  subroutine add_columns(sums, values)
    real(8), intent(out) :: sums(:)
    real(8), intent(in) :: values(:, :)
    integer :: j
    sums = 0 ! loop: add_clear
    do j = 1, size(values, 2) ! loop: add_j
      call add_one(values(:, j))
    end do
  contains
    subroutine add_one(column)
      real(8), intent(in) :: column(:)
      integer :: i
      do i = 1, size(column) ! loop: add_i
        sums(i) = sums(i) + column(i)
      end do
    end subroutine add_one
  end subroutine add_columns
end module array_kernels

program array_sample
  use array_kernels
  implicit none
  real(8), allocatable, target :: a(:, :)
  real(8), pointer :: even(:, :)
  real(8) :: sums(20)
  integer :: i, step
  allocate (a(20, 30))
  a = reshape([(real(i, 8), i=1, 600)], [20, 30])
  even => a(1:20:2, :)
  do step = 1, 4 ! loop: steps
    call scale(a, 1.5d0)
    call scale(even, 0.5d0)
    call add_columns(sums, a)
  end do
  !$omp parallel do ! loop: region
  do i = 1, 30
    a(:, i) = a(:, i) + sums ! loop: row
  end do
  print '(f0.3)', sum(a) ! loop: sum
end program array_sample
