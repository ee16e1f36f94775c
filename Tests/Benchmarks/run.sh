#!/bin/bash
# Runs the release build and its peers in turn and prints ratios.
#   run.sh [--pairs N] [--small] [--only WORD] [--write]
# --small: short inputs, to try the script itself.  --write: writes RESULTS.md.  Inputs are made once, in
# RESPOOL_BENCHMARKS (default: respool-benchmarks in the temporary folder).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
inputs=${RESPOOL_BENCHMARKS:-${TMPDIR:-/tmp}/respool-benchmarks}
small=
for word in "$@"; do [ "$word" = --small ] && small=small; done
"$here/make_inputs.sh" "$inputs${small:+-small}" "$root/../shared/media/big" $small
# compose-benchmark, which composes without an encoder, and boundary-benchmark, which sends packets to a plugin, are
# beside the command in the release build.
exec python3 "$here/compare.py" "$root/.build/release/respool" "$inputs${small:+-small}" "$here/RESULTS.md" "$@"
