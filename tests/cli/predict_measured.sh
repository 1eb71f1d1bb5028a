# What other tools measured beside forecasts, by routine. The files are as the tools write them: perf
# stat and report of perf 6.1 (perf-stat(1), "CSV FORMAT"; perf-report(1), --field-separator), LIKWID 5
# (likwid-perfctr -m -O; printOutput of its likwid.lua), PAPI 6 and 7 (high-level API, papi_hl.c; wiki
# "PAPI-HL"), and a table.
cp "$SOURCE"/tests/cli/measured/* .
measured() { foretrace predict --at N=24 -m amd-zen5 "$@" "$SOURCE/tests/golden/version-7.model"; }
measured --measured perf-stat.csv --measured perf-report.csv
measured --measured likwid.csv --measured papi-6.json --measured papi-7.json
measured --measured table.csv
# Loads as perf mem samples them. Software events have no place of the data: that was put into
# perf.data, all else perf printed.
measured --measured perf-script.txt --measured perf-mem.csv
measured --measured perf-script.txt --csv | cut -d , -f 2,3,13-
measured --measured papi-7.json --json
# A machine without a second cache, and without times.
foretrace predict --at N=24 -m caches=L1:32K:64:8@4,memory@100 --measured papi-6.json --measured perf-stat.csv \
    "$SOURCE/tests/golden/version-7.model"
