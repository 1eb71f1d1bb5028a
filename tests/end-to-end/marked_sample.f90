! Sums an array three times; the second time is between markers.
program marked_sample
  implicit none
  include 'foretrace.inc'
  integer, parameter :: n = 1000
  double precision :: values(n), total
  integer :: i
  do i = 1, n
    values(i) = i
  end do
  total = summed(values)
  call foretrace_start()
  total = total + summed(values)
  call foretrace_stop()
  total = total + summed(values)
  print '(a,f10.1)', 'marked: ', total
contains
  function summed(array) result(total)
    double precision, intent(in) :: array(:)
    double precision :: total
    integer :: k
    total = 0
    do k = 1, size(array)
      total = total + array(k)
    end do
  end function
end program
