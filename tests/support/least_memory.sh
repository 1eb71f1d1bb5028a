# Sourced by tests in bash, behind tests/support/tap.sh.
# shellcheck shell=bash

# The least memory with which a replay can be done. For tests that need several passes: what is too
# little for all block sizes together depends on the libraries that the process loads.

least_replay=(foretrace replay)

# least_memory OPTION...: sets `least` to the KiB, whole steps of $least_step, and leaves the histograms
# "least.hist" and the table "least.table" of the replay with these. A MiB is as little as the memory
# of a small trace's stacks: tests of those take smaller steps.
least_step=1024

least_memory() {
    local low middle
    # A sanitizer build does not know what the process holds before it reads a trace.
    low=$("${least_replay[@]}" --mem 1 -o least.hist "$@" 2>&1 | sed -n 's/.*takes \([0-9]*\)[0-9.]* MiB before.*/\1/p')
    low=$((${low:-0} * 1024))
    least=$((128 * 1024))
    "${least_replay[@]}" --mem ${least}K -o least.hist "$@" >least.table || return
    while [ $((least - low)) -gt $least_step ]; do
        middle=$(((low + least) / 2 / least_step * least_step))
        if "${least_replay[@]}" --mem ${middle}K -o tried.hist "$@" >tried.table 2>tried.stderr; then
            least=$middle
            mv tried.hist least.hist
            mv tried.table least.table
        else
            low=$middle
        fi
    done
}
