# A Slurm cluster of two nodes on this machine, for tests: munged, slurmctld and two slurmd on
# loopback, without systemd and cgroups, all files in ./cluster. Sourced; needs root.
# shellcheck shell=bash

# free_ports COUNT: the first of so many consecutive ports that nobody listens at.
free_ports() {
    local first=17000 port
    while [ $first -lt 32000 ]; do
        for ((port = first; port < first + $1; port++)); do
            if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
                break
            fi
        done
        [ $port = $((first + $1)) ] && break
        first=$((port + 1))
    done
    echo "$first"
}

# start_cluster: leaves SLURM_CONF set. Fails where a daemon did not come up.
start_cluster() {
    local folder=$PWD/cluster host port node
    mkdir -p "$folder/munge" "$folder/state" "$folder/tmp.n1" "$folder/tmp.n2" || return 1
    chmod a+x "$PWD" "$folder" "$folder/munge" || return 1 # munged insists
    host=$(hostname -s)
    port=$(free_ports 4)
    dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 status=none
    chmod 600 "$folder/munge.key"
    munged --num-threads=2 --key-file="$folder/munge.key" --socket="$folder/munge/socket" \
        --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
        --seed-file="$folder/munged.seed" >"$folder/munged.out" 2>&1 || return 1
    cat >"$folder/slurm.conf" <<CONF
ClusterName=foretrace
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
TmpFS=$folder/tmp.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
SlurmctldParameters=node_reg_mem_percent=1
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1))-$((port + 2)) CPUs=2 CoresPerSocket=2 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF=$folder/slurm.conf
    slurmctld -c >"$folder/slurmctld.out" 2>&1 || return 1
    for node in n1 n2; do
        slurmd -N $node >"$folder/slurmd.$node.out" 2>&1 || return 1
    done
    for ((i = 0; i < 60; i++)); do
        [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | grep -c .)" = 2 ] && return 0
        sleep 1
    done
    return 1
}

stop_cluster() {
    local file pid
    for file in cluster/slurmd.*.pid cluster/slurmctld.pid cluster/munged.pid; do
        [ -s "$file" ] || continue
        pid=$(cat "$file")
        kill "$pid" 2>/dev/null
        for ((i = 0; i < 50; i++)); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null
    done
}
