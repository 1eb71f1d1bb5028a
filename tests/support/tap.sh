# Sourced by tests in bash: the Test Anything Protocol, as tests/support/tap.h for C.
# shellcheck shell=bash

tap_checks=0
tap_failures=0

# tap_ok EXIT_CODE TEXT: passes where the code is 0, so `command; tap_ok $? "what holds"`.
tap_ok() {
    tap_checks=$((tap_checks + 1))
    if [ "$1" = 0 ]; then
        echo "ok $tap_checks - ${2//$'\n'/; }"
    else
        echo "not ok $tap_checks - ${2//$'\n'/; }"
        tap_failures=$((tap_failures + 1))
    fi
}

# tap_is ACTUAL EXPECTED TEXT
tap_is() {
    if [ "$1" != "$2" ]; then
        printf '# got:      %s\n# expected: %s\n' "${1//$'\n'/ | }" "${2//$'\n'/ | }"
    fi
    [ "$1" = "$2" ]
    tap_ok $? "$3"
}

# tap_empty TEXT < FOUND: passes where nothing was found, and shows what was. Behind a pipe, too, it
# counts in this shell.
shopt -s lastpipe
tap_empty() {
    local found
    found=$(cat)
    [ -z "$found" ] || printf '%s\n' "$found" | sed 's/^/# /'
    [ -z "$found" ]
    tap_ok $? "$1"
}

tap_skip() {
    tap_checks=$((tap_checks + 1))
    echo "ok $tap_checks - $1 # SKIP"
}

# What a run takes of what repeats itself is in $TEST_DEPTH, which the set-up of the tests sets:
# `all` of it (tests/run --all), `short` (the default), or least, for the `sanitizers`.

# repetitions ALL SHORT SANITIZERS: prints the number for this run.
repetitions() {
    case ${TEST_DEPTH:-short} in
    all) echo "$1" ;;
    sanitizers) echo "$3" ;;
    *) echo "$2" ;;
    esac
}

# runs_all, in_all COMMAND...: under tests/run --all alone. runs_short, in_short: there and in the short
# run, but not under its sanitizers, which take the main path of each command and each kind of refusal.
runs_all() {
    [ "${TEST_DEPTH:-short}" = all ]
}
in_all() {
    ! runs_all || "$@"
}
runs_short() {
    [ "${TEST_DEPTH:-short}" != sanitizers ]
}
in_short() {
    ! runs_short || "$@"
}

# The last command of a test: its exit code is the test's. A test that checked nothing fails.
tap_done() {
    echo "1..$tap_checks"
    [ $tap_failures = 0 ] && [ $tap_checks -gt 0 ]
}

# `runs_short || tap_end`, `runs_all || tap_end`: what follows is for longer runs.
tap_end() {
    tap_done
    exit
}
