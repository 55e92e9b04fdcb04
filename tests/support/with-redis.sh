#!/usr/bin/env bash
# Runs a command with a Redis of its own and ends with the command's code.   with-redis.sh COMMAND [ARGUMENT…]
#
# The server listens on a Unix socket in a fresh folder and on a free loopback port. The command finds it by
#   HOLDFAST_URL                redis://127.0.0.1:PORT/
#   HOLDFAST_TEST_REDIS_SOCKET  the socket's path
# Nothing of it is left afterwards, also when the command fails or this script is ended by a signal.
set -euo pipefail

if (($# == 0)); then
  echo "usage: with-redis.sh COMMAND [ARGUMENT...]" >&2
  exit 64
fi
if ! command -v redis-server >/dev/null; then
  echo "with-redis.sh: redis-server is not installed (Debian: apt-get install redis-server)" >&2
  exit 69
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/holdfast-redis.XXXXXX")
server=
command=
clean_up() {
  if [[ -n $command ]]; then kill "$command" 2>/dev/null || true; fi
  if [[ -n $server ]]; then
    kill -KILL "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Starts a server on the port; fails when the server ended before it listened (the port was taken).
start_on() {
  local port=$1 tries
  : >"$folder/log" # there before it is read, however late the server starts
  redis-server --bind 127.0.0.1 --port "$port" --unixsocket "$folder/redis.sock" --unixsocketperm 700 \
    --dir "$folder" --save '' --appendonly no --daemonize no >"$folder/log" 2>&1 &
  server=$!
  for ((tries = 0; tries < 600; ++tries)); do
    if ! kill -0 "$server" 2>/dev/null; then
      wait "$server" || true
      server=
      return 1
    fi
    # Our own server's word that it listens: a reply on the port could come from somebody else's.
    if grep -q 'Ready to accept connections\|ready to accept connections at' "$folder/log"; then return 0; fi
    sleep 0.05
  done
  echo "with-redis.sh: redis-server did not become ready within 30 s; its log:" >&2
  cat "$folder/log" >&2
  exit 70
}

# Below the kernel's range for outgoing connections (from 32768), where a port may be taken at any moment.
started=no
for ((attempt = 0; attempt < 20; ++attempt)); do
  port=$((10000 + (RANDOM * 32768 + RANDOM) % 22000))
  if start_on "$port"; then
    started=yes
    break
  fi
done
if [[ $started == no ]]; then
  echo "with-redis.sh: redis-server did not start on any of 20 ports; its last log:" >&2
  cat "$folder/log" >&2
  exit 70
fi

export HOLDFAST_URL="redis://127.0.0.1:$port/" HOLDFAST_TEST_REDIS_SOCKET="$folder/redis.sock"
# In the background and waited for, so that a signal to this script is acted on at once. Standard input is passed on.
"$@" <&0 &
command=$!
code=0
wait "$command" || code=$?
command=
exit "$code"
