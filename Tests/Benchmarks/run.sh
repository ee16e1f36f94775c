#!/bin/bash
# Runs the release build and its peers in turn and prints ratios.
#   run.sh [--pairs N] [--small] [--only WORD] [--write]
#   run.sh fleet [--small] [--write]
# fleet: the costs of work on many machines, as in FLEET.md; needs root for cgroups.
# --small: short inputs, to try the script itself.  --write: writes RESULTS.md.  Inputs are made once, in
# RESPOOL_BENCHMARKS (default: respool-benchmarks in the temporary folder).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
inputs=${RESPOOL_BENCHMARKS:-${TMPDIR:-/tmp}/respool-benchmarks}
small=
for word in "$@"; do [ "$word" = --small ] && small=small; done
"$here/make_inputs.sh" "$inputs${small:+-small}" "$root/../shared/media/big" $small
if [ "${1:-}" = fleet ]; then
  shift
  exec python3 "$here/fleet.py" "$root/.build/release/respool" "$inputs${small:+-small}" "$here/FLEET.md" "$@"
fi
# compose-benchmark, which composes without an encoder, and boundary-benchmark, which sends packets to a plugin, are
# beside the command in the release build.
exec python3 "$here/compare.py" "$root/.build/release/respool" "$inputs${small:+-small}" "$here/RESULTS.md" "$@"
