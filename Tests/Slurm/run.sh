#!/bin/sh
# Tests shares of plans with a Slurm of three nodes on this machine; needs root and the packages of cluster.sh.
#
# Usage: Tests/Slurm/run.sh RESPOOL, the path of the program to test. Ends with a line that has the number of tests.
# With SLURM_OPTIONAL=1, a Slurm that does not start is no failure.
set -eu
respool=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
media=$(cd "$here/../Media" && pwd)
. "$here/cluster.sh"
work=$(mktemp -d /tmp/respool-slurm.XXXXXX)
# Plugins are not taken from folders that others may write to, nor are those of daemons.
chmod 755 "$work"
passed=0

finish() {
  stop_cluster
  rm -rf "$work"
}
trap finish EXIT

fail() {
  echo "failed: $test: $1" >&2
  cat "$work/out/.respool/plans/"*/slurm/*.log >&2 2>/dev/null || :
  exit 1
}

begin() {
  test=$1
  rm -rf "$work/out" "$work/plan.respool"
}

end() {
  passed=$((passed + 1))
  echo "passed: $test"
}

make_plan() {
  "$respool" plan "$work/in" --to "$work/out" --preset opus-64k -o "$work/plan.respool" --quiet
}

# Submits the plan with the further options; sets `job` and `collect` to the numbers of both jobs.
submit() {
  "$respool" submit "$work/plan.respool" --slurm --cores 1 "$@" >"$work/submitted" || fail 'it is not submitted'
  job=$(sed -n 's/^job \([0-9]*\): [0-9]* share.*/\1/p' "$work/submitted")
  collect=$(sed -n 's/^job \([0-9]*\): collects.*/\1/p' "$work/submitted")
}

# Waits until the files that are done are at least $1.
await_files() {
  left=400
  until [ "$("$respool" status "$work/plan.respool" --json | sed -n 's/.*"made": \([0-9]*\),.*/\1/p' | head -n 1)" -ge "$1" ]; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "not even $1 files are done"
    sleep 0.5
  done
}

outputs() { (cd "$work/out" && find . -name .respool -prune -o -type f -exec sha256sum {} + | LC_ALL=C sort -k 2); }

# The ledger without times, and without the names of batches.
ledger() {
  "$respool" status "$work/out" --json | sed -e '/"lastBatch"/,/}/d' -e '/"seconds"/d'
}

# Compares outputs and ledger with those of the first test.
check() {
  await_job "$collect" 400 || fail 'the job that collects has not ended'
  outputs >"$work/outputs"
  cmp -s "$work/outputs" "$work/expected" || fail "outputs differ: $(diff "$work/expected" "$work/outputs" | head -n 5)"
  ledger >"$work/ledger"
  cmp -s "$work/ledger" "$work/expected-ledger" ||
    fail "ledgers differ: $(diff "$work/expected-ledger" "$work/ledger" | head -n 5)"
  [ -z "$(find "$work/out" -name '*.part*')" ] || fail 'temporary files are left'
  grep -q ', 0 failed, 0 missing$' "$work/out/.respool/plans/"*/slurm/collect.log || fail 'files are missing'
}

mkdir "$work/in"
for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  # Sounds of different lengths, long enough to be interrupted; the same for each run.
  ffmpeg -v error -f lavfi -i "sine=frequency=$((number * 40)):duration=$((90 + number * 21 % 120))" -f wav "$work/in/$number.wav"
done
cp "$media/speech.wav" "$work/in/speech.wav"

start_cluster "$work/cluster" || {
  [ "${SLURM_OPTIONAL:-}" = 1 ] || exit 1
  echo 'not tested: Slurm does not start on this machine'
  exit 0
}

begin 'one node'
make_plan
submit --shards 1
await_job "$collect" 400 || fail 'the job that collects has not ended'
outputs >"$work/expected"
ledger >"$work/expected-ledger"
[ "$(wc -l <"$work/expected")" = 16 ] || fail 'not all files are converted'
end

for count in 2 3; do
  begin "$count nodes make the same bytes and the same ledger"
  make_plan
  submit --shards "$count"
  check
  end
done

begin 'a node is killed in the middle'
make_plan
submit --shards 3
await_files 4
kill_node n2
# Its task is queued again when Slurm takes the node for lost; it is started again meanwhile.
sleep 3
start_node n2
check
end

begin 'a worker is killed'
make_plan
submit --shards 3
await_files 3
pkill -KILL -o -f '__worker' || fail 'no worker is found'
check
end

begin 'the program of a task is killed, and another task does its work'
make_plan
submit --shards 3
await_files 3
pkill -KILL -o -f "respool work $work/plan.respool" || fail 'no task is found'
await_job "$collect" 400 || fail 'the job that collects has not ended'
# Others may have ended before; whoever does a share later completes it.
"$respool" work "$work/plan.respool" --shard 1/1 --quiet || fail 'the rest cannot be done'
"$respool" collect "$work/plan.respool" >"$work/out/.respool/collected"
rm "$work/out/.respool/collected"
outputs >"$work/outputs"
cmp -s "$work/outputs" "$work/expected" || fail 'outputs differ'
end

begin 'a task is queued again'
make_plan
submit --shards 3
await_files 3
scontrol requeue "${job}_2"
check
end

begin 'a task that gets SIGTERM gives back its work and is queued again'
make_plan
submit --shards 2
await_files 2
scancel --batch --signal=TERM "${job}_1"
check
end

begin 'a cancelled job ends, and is not queued again'
make_plan
submit --shards 2
await_files 2
scancel "$job"
await_job "$job" 90 || fail 'the job has not ended'
await_job "$collect" 60 || fail 'the job that collects has not ended'
grep -q ' [1-9][0-9]* missing$' "$work/out/.respool/plans/"*/slurm/collect.log || fail 'no file is missing'
"$respool" work "$work/plan.respool" --shard 1/1 --quiet || fail 'the rest cannot be done'
outputs >"$work/outputs"
cmp -s "$work/outputs" "$work/expected" || fail 'outputs differ'
end

begin 'a share that is submitted twice does nothing twice'
make_plan
submit --shards 3
first=$job
submit --shards 3
check
await_job "$first" 60 || fail 'the first job has not ended'
made=$("$respool" status "$work/plan.respool" --json | sed -n 's/.*"made": \([0-9]*\),.*/\1/p' | head -n 1)
[ "$made" = 16 ] || fail "$made files were made of 16"
end

begin 'a task is paused, and another one takes over its work'
make_plan
submit --shards 3
await_files 3
task=$(pgrep -o -f "respool work $work/plan.respool") || fail 'no task is found'
pkill -STOP -P "$task" || :
kill -STOP "$task"
"$respool" work "$work/plan.respool" --shard 1/1 --quiet || fail 'the rest cannot be done'
# The paused task has its temporary file open.
outputs | grep -v '\.part$' >"$work/outputs"
cmp -s "$work/outputs" "$work/expected" || fail 'outputs differ'
pkill -CONT -P "$task" || :
kill -CONT "$task"
check
end

begin 'the path of the output folder has signs that Slurm replaces'
signs="$work/%a %% b\\c"
"$respool" plan "$work/in/speech.wav" --to "$signs" --preset opus-64k -o "$work/plan.respool" --quiet
submit --shards 1
await_job "$collect" 100 || fail 'the job that collects has not ended'
[ -s "$signs/speech.opus" ] || fail 'there is no output'
grep -q '^1 converted, .* 0 missing$' "$signs/.respool/plans/"*/slurm/collect.log || fail 'nothing is collected'
[ -n "$(find "$signs/.respool" -name share-1.log -size +0)" ] || fail 'the share has no log'
rm -r "$signs"
end

begin 'the disk of a node is full in the middle'
kill_node n2
sleep 1
mkdir "$work/out"
# Room for about three outputs of 90 to 210 seconds with 64 kb/s, beside the state of the work.
start_full_node n2 "$work/out" 3000000
await_nodes 3
make_plan
submit --shards 3
await_job "$collect" 400 || fail 'the job that collects has not ended'
outputs >"$work/outputs"
cmp -s "$work/outputs" "$work/expected" || fail "outputs differ: $(diff "$work/expected" "$work/outputs" | head -n 5)"
ledger >"$work/ledger"
cmp -s "$work/ledger" "$work/expected-ledger" ||
  fail "ledgers differ: $(diff "$work/expected-ledger" "$work/ledger" | head -n 5)"
[ -z "$(find "$work/out" -name '*.part*')" ] || fail 'temporary files are left'
grep -q 'found no space left on the device, and gave back [1-9]' "$work/out/.respool/plans/"*/slurm/collect.log ||
  fail 'collect does not name the reason'
"$respool" status "$work/plan.respool" --verbose | grep -q 'found no space left on the device, and gave back [1-9]' ||
  fail 'status does not name the reason'
kill_node n2
end_full_node
sleep 1
start_node n2
await_nodes 3
end

echo "$passed tests with Slurm passed"
