# What samples/slurm/submit studies; copy the folder and change this file for a study of your own.
# shellcheck shell=bash

# Sourced by submit and by the jobs.
# shellcheck disable=SC2034
{
parameter=N
sizes=(40 56 72 88 104) # one task of the capture array each
target=312              # the size to forecast
machine=amd-zen5
blocks=64,4K            # its cache lines and pages
mpi=pmix                # how srun starts ranks (srun --mpi=list); empty: without MPI
}

# program_at SIZE: the command line to capture, in ${program[@]}.
program_at() {
    program=("${SAMPLES:-${STUDY%/*}/../../build/samples}/matmul" "$1" 1)
}
