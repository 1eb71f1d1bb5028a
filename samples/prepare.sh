# Sourced by samples/demo, tests/run and .ci/run, with the source tree as the working folder: what
# has to be installed, and how foretrace is built. Everything that it does is said on stdout.
# shellcheck shell=bash

# Each of the three takes the lists that it needs.
# shellcheck disable=SC2034
{
# What the build needs. (Debian 12 names; --no-install-recommends, so libc6-dev is named.)
build_packages=(
    gcc libc6-dev gfortran meson ninja-build pkg-config
    libhdf5-dev libzstd-dev libxxhash-dev nettle-dev libjansson-dev # trace and result files
    libarchive-dev                                                  # archives
    zlib1g-dev liblzma-dev                                          # compressed traces of others
    libzydis-dev libzycore-dev libcapstone-dev                      # instructions
    libdw-dev libelf-dev libiberty-dev                              # symbols, lines, C++ names
    libcyaml-dev libyaml-dev libhwloc-dev libgsl-dev                # machine files, fitting
    node-d3                                                         # plots in reports
)
demo_packages=(sqlite3)
test_packages=(
    hdf5-tools valgrind binutils strace # to compare with
    sqlite3 python3 perl gawk packmol fasttree # programs under test
    python3-h5py                 # reads histograms without foretrace
    python3-pandas python3-matplotlib python3-nbclient python3-ipykernel # runs the notebook
    g++                          # for a sample in C++
    openmpi-bin libopenmpi-dev   # ranks of a job; with these the build has replay --mpi
    mpich libmpich-dev           # as another MPI; Open MPI's commands keep the plain names
    libsimgrid-dev               # ranks simulates networks; smpirun replays what export makes
    slurmctld slurmd slurm-client munge
    chromium chromium-driver python3-selenium # reports in a browser
    zsh fish environment-modules # installed files
)
package_packages=(dpkg-dev)       # samples/packages/deb
lint_packages=(clang-format clang-tidy cppcheck shellcheck git python3)
}

# is_missing PACKAGE
is_missing() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" != installed ]
}

# install_packages PACKAGE...: installs those that are missing, or says how and ends the script.
install_packages() {
    local package missing=()
    if ! command -v dpkg-query >/dev/null; then
        echo "== this is no Debian system; these packages must be there: $*"
        return
    fi
    for package; do
        is_missing "$package" && missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return
    if [ "$(id -u)" != 0 ]; then
        echo "These packages are missing; as root, run"
        echo
        echo "    apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
        echo
        echo "and start this command again."
        exit 1
    fi
    echo "== installing with apt: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    if ! { apt-get update -q && apt-get install -qy --no-install-recommends "${missing[@]}"; } \
        >"${TMPDIR:-/tmp}/foretrace-apt.log" 2>&1; then
        tail -n 20 "${TMPDIR:-/tmp}/foretrace-apt.log"
        echo "== apt failed; its whole output is in ${TMPDIR:-/tmp}/foretrace-apt.log"
        exit 1
    fi
}

# build FOLDER [MESON_OPTION...]: configures where that is not done yet, and compiles: all, or what
# the command $build_targets prints of the folder.
build_targets=true
build() {
    local folder=$1 started=$SECONDS targets=()
    shift
    echo "== building in $folder/"
    if ! { [ -e "$folder/build.ninja" ] || meson setup "$folder" "$@"; } >"$folder.log" 2>&1 ||
        ! mapfile -t targets < <($build_targets "$folder") ||
        ! ninja -C "$folder" "${targets[@]}" >>"$folder.log" 2>&1; then
        tail -n 40 "$folder.log"
        echo "== the build failed; its whole output is in $folder.log"
        exit 1
    fi
    mv "$folder.log" "$folder/build.log"
    echo "   done in $((SECONDS - started)) s"
}
