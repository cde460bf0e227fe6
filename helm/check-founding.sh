#!/usr/bin/env bash
# Checks with real brokers that only the first pod founds a cluster, whatever its address is, and that the cluster is
# founded only once. The script of the pods starts each broker, on an address of the loopback network. Needs "mvn
# package" first, and takes some 30 seconds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
dist=$(ls -d ../broker-dist/target/godwit-*/ | head -n 1)
[ -x "$dist/bin/standalone.sh" ] || { echo "check: run \"mvn package\" first" >&2; exit 2; }
work=$(mktemp -d)
port=28899
declare -A pids=()
passed=0

cat >"$work/standalone.yml" <<YAML
clusterConfig: {env: "$work", port: $port, tls: {plain: true}}
mqttServerConfig: {tcpListener: {port: 0, host: 127.0.0.1}}
apiServerConfig: {port: 0}
YAML
# The first pod has the highest address, so it does not found the cluster because of its address.
printf '127.0.0.13:%s,127.0.0.12:%s,127.0.0.11:%s' $port $port $port >"$work/seeds"

# pod ORDINAL ADDRESS [CLUSTER_ID]
pod() {
  mkdir -p "$work/$1"
  POD_NAME=pod-$1 POD_IP=$2 CHART_CLUSTER_ID=${3:-} CHART_CLUSTER_PORT=$port CHART_SEEDS=$work/seeds \
    PODS_HOME=$(readlink -f "$dist") PODS_STATE=$work/$1 PODS_CONFIG=$work/standalone.yml JVM_HEAP_OPTS=-Xmx200m \
    GODWIT_TRAINING=off bash godwit/files/start.sh >"$work/$1.log" 2>&1 </dev/null &
  pids[$1]=$!
}
stop() {
  for ordinal in "$@"; do
    kill "${pids[$ordinal]}" 2>/dev/null || true
    wait "${pids[$ordinal]}" || true
    unset "pids[$ordinal]"
  done
}
lose_disk() { rm -rf "${work:?}/$1"; }
trap 'stop "${!pids[@]}"; rm -rf "$work"' EXIT

cluster() { sed -n 's/^cluster=//p' "$work/$1/data/FORMAT" 2>/dev/null; }
state() { sed -n 's/^state=//p' "$work/$1/data/godwit.status" 2>/dev/null; }
waits() { sed -n 's/^waiting=//p' "$work/$1/data/godwit.status" 2>/dev/null; }

# eventually WHAT COMMAND...: fails unless the command succeeds within two minutes.
eventually() {
  local what=$1 since=$SECONDS
  shift
  until "$@"; do
    if [ $((SECONDS - since)) -gt 120 ]; then
      echo "FAILED: $what" >&2
      tail -n 5 "$work"/*.log >&2
      exit 1
    fi
    sleep 0.5
  done
  passed=$((passed + 1))
}
is_ready() { [ "$(state "$1")" = ready ]; }
# $2 is a pattern.
is_waiting() { [[ "$(state "$1")" = starting && "$(waits "$1")" = $2 ]]; }
is_of() { [ "$(cluster "$1")" = "$2" ]; }

pod 0 127.0.0.13
pod 1 127.0.0.12
pod 2 127.0.0.11
for each in 0 1 2; do eventually "pod $each serves" is_ready "$each"; done
founded=$(cluster 0)
[ -n "$founded" ]
for each in 1 2; do eventually "pod $each joined the first" is_of "$each" "$founded"; done

stop 0
lose_disk 0
pod 0 127.0.0.10
eventually "the first pod, with an empty disk and another address, joins" is_of 0 "$founded"

stop 0 1 2
lose_disk 0
pod 0 127.0.0.9 "$founded"
eventually "the first pod, with an empty disk, alone, after the note, founds nothing" \
    is_waiting 0 'a node of a cluster: no *'
[ -z "$(cluster 0)" ]
stop 0
lose_disk 0
pod 0 127.0.0.13
eventually "nor does it before the note" is_waiting 0 'the node at 127.0.0.11*'
[ -z "$(cluster 0)" ]
stop 0

echo "$passed passed, 0 failed"
