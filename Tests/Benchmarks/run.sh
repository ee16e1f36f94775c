#!/bin/bash
# Compares the built release with its peers, in turn, and prints ratios.
#   run.sh [--pairs N] [--small] [--only WORD] [--write]
# --small: short inputs, to try the script itself; --write: RESULTS.md anew.  Inputs are made once, in
# RESPOOL_BENCHMARKS (by default a folder of the temporary one).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
inputs=${RESPOOL_BENCHMARKS:-${TMPDIR:-/tmp}/respool-benchmarks}
small=
for word in "$@"; do [ "$word" = --small ] && small=small; done
"$here/make_inputs.sh" "$inputs${small:+-small}" "$root/../shared/media/big" $small
# The release build has the program that composes without an encoder beside the command.
exec python3 "$here/compare.py" "$root/.build/release/respool" "$inputs${small:+-small}" "$here/RESULTS.md" "$@"
