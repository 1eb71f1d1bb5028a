! Input of the differential suite: Fortran with modules, allocatable arrays, strings and files.
module waves
    implicit none
contains
    pure function step(field) result(next)
        real(8), intent(in) :: field(:, :)
        real(8) :: next(size(field, 1), size(field, 2))
        next = field
        next(2:size(field, 1) - 1, 2:size(field, 2) - 1) = 0.25d0 * &
            (field(1:size(field, 1) - 2, 2:size(field, 2) - 1) + field(3:, 2:size(field, 2) - 1) + &
             field(2:size(field, 1) - 1, 1:size(field, 2) - 2) + field(2:size(field, 1) - 1, 3:))
    end function
end module

program main
    use waves
    implicit none
    real(8), allocatable :: field(:, :)
    character(len=40) :: line
    integer :: i, unit
    allocate (field(60, 60), source=0.0d0)
    field(1, :) = [(sin(i*0.1d0), i=1, 60)]
    do i = 1, 40
        field = step(field)
    end do
    open (newunit=unit, file='waves.out', status='replace')
    write (unit, '(6f12.8)') field(1:60:7, 30)
    close (unit)
    write (line, '(a, es14.6)') 'sum', sum(field)
    print '(a)', trim(line)
end program
