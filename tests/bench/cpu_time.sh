# Sourced by the benchmarks that measure CPU time.
# shellcheck shell=bash

# cpu_of COMMAND...: runs it without its output, prints the user + system seconds of it and of its
# children.
cpu_of() {
    local TIMEFORMAT='%U %S' times
    { times=$({ time "$@" >/dev/null 2>&3; } 2>&1); } 3>&2
    awk '{ print $1 + $2 }' <<<"$times"
}

# Of the numbers that come in, one a line.
median() {
    sort -n |
        awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}
