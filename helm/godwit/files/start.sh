#!/usr/bin/env bash
# Starts the broker of this pod, and becomes it.
set -euo pipefail
# This is process 1, which no signal ends that it does not ask for: a pod that is deleted now would run on until it is
# killed.
trap 'exit 143' TERM
here=${BASH_SOURCE[0]%/*}
. "$here/lib.sh"

# Only the first pod may found the cluster, and nobody may once it has been: the Secret stays when everything else is
# lost. An empty pod that may not found waits for others, and ends after clusterConfig.joinTimeoutSeconds.
if [ "${POD_NAME##*-}" != 0 ] || [ -n "${CHART_CLUSTER_ID:-}" ]; then
  export GODWIT_BOOTSTRAP=false
else
  export GODWIT_BOOTSTRAP=true
fi
export GODWIT_CLUSTER_CONFIG_FOUND_ALONE=false

# An address, since the name of the pod may not be known to DNS yet.
export GODWIT_CLUSTER_CONFIG_HOST=$POD_IP

# Who founds together. One that is alone names itself by its address: its name may stand for others later.
seeds=$(cat "${CHART_SEEDS:-$here/seeds}")
if [ -z "$seeds" ]; then
  case $POD_IP in *:*) seeds="[$POD_IP]" ;; *) seeds=$POD_IP ;; esac
  seeds=$seeds:$CHART_CLUSTER_PORT
fi
export GODWIT_CLUSTER_CONFIG_SEED_ENDPOINTS=$seeds

if [ -n "${CHART_NODE_NAME:-}" ]; then
  # Without a zone replicas would be placed as if all nodes could fail together: rather start later. A pod that is still
  # on the same machine takes the zone of its last start, so that a broker comes back while Kubernetes does not answer.
  failure=0
  zone=$(admin kubernetes zone "$CHART_NODE_NAME") || failure=$?
  if [ "$failure" = 0 ]; then
    # A full disk does not end the start.
    { printf '%s %s\n' "$CHART_NODE_NAME" "$zone" >"$zone_file"; } 2>/dev/null || rm -f "$zone_file" || true
  else
    { read -r node zone <"$zone_file"; } 2>/dev/null && [ "$node" = "$CHART_NODE_NAME" ] || exit "$failure"
    say "the zone of $CHART_NODE_NAME is not known now, it was: ${zone:-none}"
  fi
  [ -z "$zone" ] || export GODWIT_CLUSTER_CONFIG_ZONE=$zone
fi

# A full disk does not end the start.
[ -e "$scaled_in" ] || { : >"$not_scaled_in"; } 2>/dev/null || true

exec "$home/bin/standalone.sh" start -f --config "$config" --data "$data" --log -
