! shallow [N [STEPS]]: the shallow-water equations on N x N points of a torus by Sadourny's scheme,
! in the manner of SPEC swim: fluxes and vorticity, new velocities and pressure, and a filter in
! time, each a pass over whole fields with borders that wrap round.
module shallow_water
  use sample, only: real64
  implicit none
  type fields
    real(real64), allocatable :: u(:, :), v(:, :), p(:, :)
  end type fields
contains
  subroutine create(these, n)
    type(fields), intent(out) :: these
    integer, intent(in) :: n
    allocate (these%u(n + 1, n + 1), these%v(n + 1, n + 1), these%p(n + 1, n + 1))
    these%u = 0
    these%v = 0
    these%p = 0
  end subroutine create

  ! A field's first line and column are those behind its last.
  subroutine wrap(field, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: field(n + 1, n + 1)
    integer :: i
    do i = 1, n + 1
      field(i, n + 1) = field(i, 1)
    end do
    do i = 1, n + 1
      field(n + 1, i) = field(1, i)
    end do
  end subroutine wrap

  ! Mass fluxes cu and cv, potential vorticity z, and height h.
  subroutine fluxes(u, v, p, cu, cv, z, h, n)
    integer, intent(in) :: n
    real(real64), dimension(n + 1, n + 1), intent(in) :: u, v, p
    real(real64), dimension(n + 1, n + 1), intent(inout) :: cu, cv, z, h
    integer :: i, j
    do j = 1, n
      do i = 1, n
        cu(i + 1, j) = 0.5d0 * (p(i + 1, j) + p(i, j)) * u(i + 1, j)
        cv(i, j + 1) = 0.5d0 * (p(i, j + 1) + p(i, j)) * v(i, j + 1)
        z(i + 1, j + 1) = (4.0d-5 * (v(i + 1, j + 1) - v(i, j + 1) - u(i + 1, j + 1) &
          + u(i + 1, j)) + 1.0d-4) / (p(i, j) + p(i + 1, j) + p(i + 1, j + 1) + p(i, j + 1))
        h(i, j) = p(i, j) + 0.25d0 * (u(i + 1, j)**2 + u(i, j)**2 + v(i, j + 1)**2 + v(i, j)**2)
      end do
    end do
    do i = 1, n
      cu(1, i) = cu(n + 1, i)
      cv(i, 1) = cv(i, n + 1)
      z(1, i + 1) = z(n + 1, i + 1)
      z(i + 1, 1) = z(i + 1, n + 1)
    end do
    z(1, 1) = z(n + 1, n + 1)
    call wrap(h, n)
  end subroutine fluxes

  subroutine advance(new, old, cu, cv, z, h, step_seconds, n)
    integer, intent(in) :: n
    type(fields), intent(inout) :: new
    type(fields), intent(in) :: old
    real(real64), dimension(n + 1, n + 1), intent(in) :: cu, cv, z, h
    real(real64), intent(in) :: step_seconds
    real(real64), parameter :: spacing = 1.0d5
    integer :: i, j
    do j = 1, n
      do i = 1, n
        new%u(i + 1, j) = old%u(i + 1, j) + step_seconds * ((z(i + 1, j + 1) + z(i + 1, j)) &
          * (cv(i + 1, j + 1) + cv(i, j + 1) + cv(i, j) + cv(i + 1, j)) / 8.0d0 &
          - (h(i + 1, j) - h(i, j)) / spacing)
        new%v(i, j + 1) = old%v(i, j + 1) - step_seconds * ((z(i + 1, j + 1) + z(i, j + 1)) &
          * (cu(i + 1, j + 1) + cu(i, j + 1) + cu(i, j) + cu(i + 1, j)) / 8.0d0 &
          + (h(i, j + 1) - h(i, j)) / spacing)
        new%p(i, j) = old%p(i, j) - step_seconds * (cu(i + 1, j) - cu(i, j) + cv(i, j + 1) &
          - cv(i, j)) / spacing
      end do
    end do
    do i = 1, n
      new%u(1, i) = new%u(n + 1, i)
      new%v(i, 1) = new%v(i, n + 1)
    end do
    new%u(:, n + 1) = new%u(:, 1)
    new%v(n + 1, :) = new%v(1, :)
    call wrap(new%p, n)
  end subroutine advance

  ! Robert's filter: the old fields take a little of the new, and time goes on.
  subroutine filter(new, now, old, n)
    integer, intent(in) :: n
    type(fields), intent(in) :: new
    type(fields), intent(inout) :: now, old
    integer :: i, j
    do j = 1, n + 1
      do i = 1, n + 1
        old%u(i, j) = now%u(i, j) + 0.001d0 * (new%u(i, j) - 2.0d0 * now%u(i, j) + old%u(i, j))
        old%v(i, j) = now%v(i, j) + 0.001d0 * (new%v(i, j) - 2.0d0 * now%v(i, j) + old%v(i, j))
        old%p(i, j) = now%p(i, j) + 0.001d0 * (new%p(i, j) - 2.0d0 * now%p(i, j) + old%p(i, j))
        now%u(i, j) = new%u(i, j)
        now%v(i, j) = new%v(i, j)
        now%p(i, j) = new%p(i, j)
      end do
    end do
  end subroutine filter
end module shallow_water

program shallow
  use sample, only: number_at, real64
  use shallow_water
  implicit none
  integer :: n, steps, step, i, j
  type(fields) :: now, old, new
  real(real64), allocatable, dimension(:, :) :: cu, cv, z, h
  n = number_at(1, 2, 256)
  steps = number_at(2, 1, 20)
  call create(now, n)
  call create(old, n)
  call create(new, n)
  allocate (cu(n + 1, n + 1), cv(n + 1, n + 1), z(n + 1, n + 1), h(n + 1, n + 1))
  do j = 1, n + 1
    do i = 1, n + 1
      now%p(i, j) = 5.0d4 + 100.0d0 * (modulo(i, 7) + modulo(j, 5))
      now%u(i, j) = 0.1d0 * modulo(j, 3)
    end do
  end do
  old = now
  do step = 1, steps
    call fluxes(now%u, now%v, now%p, cu, cv, z, h, n)
    call advance(new, old, cu, cv, z, h, 90.0d0, n)
    call filter(new, now, old, n)
  end do
  write (*, '(a, es13.6)') 'shallow: sum of p = ', sum(now%p)
end program shallow
