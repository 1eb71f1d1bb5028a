! What every sample in Fortran needs: sizes from the command line (see sample.h).
module sample
  implicit none
  integer, parameter :: real64 = kind(1.0d0)
contains
  ! The index-th word of the command line as an integer of at least `low`, or the fallback.
  integer function number_at(index, low, fallback)
    integer, intent(in) :: index, low, fallback
    character(len=256) :: name, word
    integer :: status
    number_at = fallback
    if (command_argument_count() < index) return
    call get_command_argument(0, name)
    call get_command_argument(index, word)
    read (word, *, iostat=status) number_at
    if (status /= 0 .or. number_at < low) then
      write (0, '(5a, i0, a)') trim(name), ': ''', trim(word), ''': ', &
        'an integer of at least ', low, ' is needed'
      stop 2
    end if
  end function number_at
end module sample
