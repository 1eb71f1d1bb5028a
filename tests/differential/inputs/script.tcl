# Input of the differential suite.
proc fibonacci n { expr {$n < 2 ? $n : [fibonacci [expr {$n - 1}]] + [fibonacci [expr {$n - 2}]]} }
puts [fibonacci 15]
set file [open text]
array set lengths {}
while {[gets $file line] >= 0} { incr lengths([string length $line]) }
foreach length [lsort -integer [array names lengths]] { puts "$length $lengths($length)" }
puts [regexp -inline {(\d+) line} "12 line"]
puts [catch {error wrong} message]$message
