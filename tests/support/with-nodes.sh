#!/usr/bin/env bash
# Runs a command with several Redis servers of its own and ends with its code.   with-nodes.sh KIND COMMAND [ARGUMENT…]
#
#   quorum    three independent servers; HOLDFAST_URL is redis+quorum://…, with a max_ttl of 5 s
#   replica   a primary and a replica that is in step; HOLDFAST_URL is the primary's
#
# Each server is with-redis.sh's, one inside another, so nothing is left afterwards.
set -euo pipefail

one=$(dirname "${BASH_SOURCE[0]}")/with-redis.sh
kind=${1:?usage: with-nodes.sh quorum|replica COMMAND [ARGUMENT...]}

# What the call before has started, as host:port, the first one first.
read -ra nodes <<<"${HOLDFAST_TEST_NODES:-}"
if [[ -v HOLDFAST_TEST_NODES ]]; then
  url=${HOLDFAST_URL#redis://}
  nodes+=("${url%/}")
fi
export HOLDFAST_TEST_NODES="${nodes[*]}"

case $kind in
  quorum) wanted=3 ;;
  replica) wanted=2 ;;
  *)
    echo "with-nodes.sh: '$kind' is neither quorum nor replica" >&2
    exit 64
    ;;
esac
if ((${#nodes[@]} < wanted)); then exec "$one" "${BASH_SOURCE[0]}" "$@"; fi
unset HOLDFAST_TEST_NODES
shift

if [[ $kind == quorum ]]; then
  all=$(IFS=,; echo "${nodes[*]}")
  export HOLDFAST_URL="redis+quorum://$all?max_ttl=5s"
  exec "$@"
fi

redis-cli -p "${nodes[1]#*:}" REPLICAOF 127.0.0.1 "${nodes[0]#*:}" >/dev/null
for ((tries = 0; tries < 600; ++tries)); do
  if redis-cli -p "${nodes[0]#*:}" INFO replication | grep -q 'state=online'; then
    export HOLDFAST_URL="redis://${nodes[0]}/"
    exec "$@"
  fi
  sleep 0.05
done
echo "with-nodes.sh: the replica did not come into step within 30 s" >&2
exit 70
