# Functions that start and stop a Slurm of three nodes on this machine, for tests.
#
# The packages munge, slurmctld, slurmd and slurm-client must be installed, and the user must be root. All files are in
# the folder of start_cluster. Each node has one core.

# Starts the cluster in the folder $1, which exists, and waits until its nodes are idle.
start_cluster() {
  cluster=$1
  mkdir -p "$cluster/state" "$cluster/spool" /run/munge
  # Both daemons refuse folders that others may write to.
  chmod 755 "$cluster" "$cluster/state" "$cluster/spool"
  pgrep -x munged >/dev/null || {
    [ -s /etc/munge/munge.key ] || { head -c 1024 /dev/urandom >/etc/munge/munge.key; }
    chown munge:munge /etc/munge/munge.key /run/munge
    chmod 400 /etc/munge/munge.key
    chmod 755 /run/munge
    su -s /bin/sh munge -c '/usr/sbin/munged --force' 2>/dev/null || /usr/sbin/munged --force
  }
  cat >"$cluster/slurm.conf" <<END
ClusterName=respool
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=17817
AuthType=auth/munge
AuthInfo=cred_expire=5
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool/%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=1,sched_interval=1
ReturnToService=2
SlurmdTimeout=20
KillWait=5
MinJobAge=3600
NodeName=n1 NodeAddr=127.0.0.1 Port=17821 CPUs=1 State=UNKNOWN
NodeName=n2 NodeAddr=127.0.0.1 Port=17822 CPUs=1 State=UNKNOWN
NodeName=n3 NodeAddr=127.0.0.1 Port=17823 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2,n3 Default=YES MaxTime=INFINITE State=UP
END
  export SLURM_CONF="$cluster/slurm.conf"
  slurmctld -f "$SLURM_CONF"
  for node in n1 n2 n3; do start_node "$node"; done
  await_nodes 3
}

# Waits until $1 nodes are idle.
await_nodes() {
  waited=0
  until [ "$(sinfo --noheader --format=%D --states=idle 2>/dev/null | head -n 1)" = "$1" ]; do
    waited=$((waited + 1))
    if [ "$waited" -ge 60 ]; then
      echo 'the nodes of Slurm are not ready:' >&2
      sinfo >&2
      tail -n 5 "$cluster"/*.log >&2
      return 1
    fi
    sleep 1
  done
}

# Starts the node $1.
start_node() {
  mkdir -p "$cluster/spool/$1"
  slurmd -f "$SLURM_CONF" -N "$1"
}

# Starts the node $1, which mounts the folder $2, that exists, by small_cache.py with room for $3 bytes, and whose
# folders for temporary files are full. No other node sees these mounts.
start_full_node() {
  mkdir -p "$cluster/spool/$1" "$cluster/behind"
  unshare --mount --propagation private sh -c '
    set -eu
    mount --bind "$2" "$4/behind"
    "$5" "$4/behind" "$2" "$3" >"$4/small_cache.log" 2>&1 &
    echo $! >"$4/small_cache.process"
    left=50
    until mountpoint -q "$2"; do
      left=$((left - 1))
      [ "$left" -gt 0 ] || { cat "$4/small_cache.log" >&2; exit 1; }
      sleep 0.1
    done
    for folder in /var/tmp /dev/shm; do
      mount -t tmpfs -o size=64k full "$folder"
      head -c 64k /dev/zero >"$folder/full"
    done
    exec slurmd -f "$SLURM_CONF" -N "$1"
  ' sh "$1" "$2" "$3" "$cluster" "$here/small_cache.py"
}

# Ends the mount of start_full_node.
end_full_node() { kill "$(cat "$cluster/small_cache.process")" 2>/dev/null || :; }

# Kills the node $1 with all that runs on it, as if it had lost its power.
kill_node() {
  pid=$(cat "$cluster/$1.pid")
  # The processes of a job are children of slurmstepd, which is named after the node's job.
  for step in $(pgrep -f "slurmstepd: \[.*" || :); do
    if tr '\0' '\n' <"/proc/$step/environ" 2>/dev/null | grep -q "^SLURMD_NODENAME=$1\$"; then
      pkill -KILL -P "$step" || :
    fi
  done
  for job in $(grep -lsz "^SLURMD_NODENAME=$1\$" /proc/[0-9]*/environ | cut -d / -f 3); do
    kill -KILL "$job" 2>/dev/null || :
  done
  kill -KILL "$pid"
}

stop_cluster() {
  for file in "$cluster"/*.pid; do [ ! -f "$file" ] || kill "$(cat "$file")" 2>/dev/null || :; done
  sleep 1
  pkill -KILL -f "slurmstepd.*" 2>/dev/null || :
}

# Waits until the job $1 has left the queue, at most $2 seconds.
await_job() {
  left=$2
  while [ -n "$(squeue --noheader --job="$1" 2>/dev/null)" ]; do
    left=$((left - 1))
    if [ "$left" -le 0 ]; then
      echo "job $1 has not ended:" >&2
      squeue >&2
      return 1
    fi
    sleep 1
  done
}
