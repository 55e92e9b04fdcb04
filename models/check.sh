#!/usr/bin/env bash
# One check of a model:  check.sh MODEL FOLDER EXPECTED SWITCH…       (needs spin and gcc)
#
# EXPECTED is `holds`: the whole state space was searched and no assertion failed; or a piece of the assertion that must fail: then a
# counter-example must be found, and it is shown step by step. Everything else, an incomplete search included, is a failure.
# The verifier is made and run in FOLDER, within 1.5 GB.
set -euo pipefail
if (($# < 3)); then
  echo "usage: $0 MODEL FOLDER EXPECTED SWITCH…" >&2
  exit 64
fi
model=$(realpath "$1") folder=$2 expected=$3
shift 3

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cp "$model" model.pml
spin -a "$@" model.pml
gcc -w -O2 -DSAFETY -DNOFAIR -DMEMLIM=1500 -o pan pan.c
# -E: that nothing more can happen is no error here. The exit code says nothing; the report does.
./pan -E -m100000 >report.txt || true

if [[ $expected == holds ]]; then
  cat report.txt
  grep -q 'errors: 0$' report.txt || { echo "FAILED: an assertion does not hold"; exit 1; }
  if grep -qE 'Search not completed|max search depth too small|out of memory|memory limit' report.txt; then
    echo "FAILED: not the whole state space was searched"
    exit 1
  fi
  echo "holds in all $(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' report.txt) states"
  exit 0
fi

violated=$(sed -n 's/^pan:1: assertion violated //p' report.txt)
if [[ $violated != *"$expected"* ]]; then
  cat report.txt
  echo "FAILED: no counter-example with '$expected' was found; the model cannot tell this fault"
  exit 1
fi
spin -t -p -g "$@" model.pml | grep -v Starting | tail -150
echo "as expected, a counter-example: $violated"
